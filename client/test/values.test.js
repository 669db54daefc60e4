import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineOf, others, share, shareAtEnd, verdict } from "../noughts_client/page/web/standing.js";
import { knownOf, worth, worthInWords, worths } from "../noughts_client/page/web/values.js";

const table = /** @type {any} */ ({ positions: [] });
const plain = /** @type {any} */ ({});

/** @param {number} value @param {object} [more] */
const move = (value, more = {}) => ({ value, exact: false, distance: null, line: [], ...more });

/** @param {Record<string, any>} moves @param {string[]} best @param {object} [more] */
function analysis(moves, best, more = {}) {
  const value = Math.max(...Object.values(moves).map((one) => one.value));
  return { room: "r", game: "g", ply: 0, to_move: /** @type {"first"} */ ("first"), value, exact: false, best, moves, nodes: 1, depth: 1, seconds: 1, ...more };
}

test("moves that are worth the same share a rank, and too many alike have none", () => {
  const found = analysis({ a: move(5), b: move(9), c: move(5), d: move(-1), e: move(-1), f: move(-1) }, ["b"]);
  assert.deepEqual([...worths(found, plain, table).keys()], ["b", "a", "c", "d", "e", "f"]);
  const ranks = [...worths(found, plain, table)].map(([name, { rank }]) => `${name}${rank}`);
  assert.deepEqual(ranks, ["b1", "a2", "c2", "d0", "e0", "f0"]);
  const alike = analysis(Object.fromEntries([..."abcdefg"].map((name) => [name, move(0)])), ["a"], { verdict: "unknown" });
  assert.ok([...worths(alike, plain, table).values()].every(({ rank, size }) => rank === 0 && size === 0));
});

test("a move that may be better does not rank below one that is proved to lose", () => {
  const found = analysis({ g2: move(-2, { exact: true }), c1: move(-4, { exact: true }), h3: move(-30, { bound: "upper" }), a2: move(-12) }, [], { verdict: "unknown" });
  assert.deepEqual([...worths(found, plain, table).keys()], ["a2", "h3", "g2", "c1"]);
});

test("few moves that are worth the same share a rank, also with the one that the search prefers", () => {
  const found = analysis({ a: move(5), b: move(83), c: move(83), d: move(83) }, ["c"], { verdict: "preferred" });
  assert.deepEqual([...worths(found, plain, table)].map(([name, { rank }]) => `${name}${rank}`), ["c1", "b1", "d1", "a4"]);
});

test("the move that the search prefers is the first by itself, if many others are worth the same", () => {
  const found = analysis({ a: move(5), b: move(9), c: move(9), d: move(9), e: move(9), f: move(9), g: move(9) }, ["c"], { verdict: "preferred" });
  assert.deepEqual([...worths(found, plain, table)].map(([name, { rank }]) => `${name}${rank}`), ["c1", "b0", "d0", "e0", "f0", "g0", "a0"]);
});

test("the rest of the moves is told by its best, or by each if all are alike", () => {
  assert.equal(others(1, 214, "is winning", false), "The best of the other 214 moves is winning.");
  assert.equal(others(1, 215, "loses in 2 moves", true), "Each of the other 215 moves loses in 2 moves.");
  assert.equal(others(0, 7, "draws", true), "Each of 7 moves draws.");
  assert.equal(others(1, 1, "draws", true), "The other move draws.");
});

test("the size of a move is the share of those that are worse", () => {
  const all = worths(analysis({ a: move(3), b: move(2), c: move(1), d: move(1) }, ["a"]), plain, table);
  assert.deepEqual([...all.values()].map(({ size }) => size), [0.75, 0.5, 0, 0]);
});

test("a move whose value is only bounded comes after one that is known", () => {
  assert.deepEqual([...worths(analysis({ a: move(4, { bound: "upper" }), b: move(4) }, ["b"]), plain, table).keys()], ["b", "a"]);
});

const told = (/** @type {any} */ of, /** @type {any} */ game) => { const { label, detail, spoken } = worth(of, game, table); return [label, detail, spoken]; };

test("what is proved is told as a result, in the winner's own moves, and an estimate by what it counts", () => {
  assert.deepEqual(told(move(984, { exact: true, distance: 7 }), plain), ["win", "in 4", "wins in 4 moves"]);
  assert.deepEqual(told(move(0, { exact: true }), plain), ["draw", "", "draws"]);
  assert.deepEqual(told(move(-3, { bound: "upper" }), plain), ["≤−3", "", "≤−3 points"]);
  const pawns = { measure: { one: "pawn", many: "pawns", worth: 100 } };
  assert.deepEqual([told(move(214), pawns), told(move(-100), pawns)], [["+2.1", "", "+2.1 pawns"], ["−1", "", "−1 pawn"]]);
  const discs = { measure: { one: "disc", many: "discs", worth: 1, margins: true } };
  assert.deepEqual(told(move(-12, { exact: true }), discs), ["−12", "loss", "loses by 12 discs"]);
  assert.equal(worthInWords(move(-12, { bound: "upper" }), /** @type {any} */ (discs), table, true), "loses", "by how much is not proved");
});

test("a position is told in words, with what the side is ahead by", () => {
  const sides = { first: { name: "Black" }, second: { name: "White" } };
  const game = /** @type {any} */ ({ sides, unit: 27, measure: { one: "disc", many: "discs", worth: 1, margins: true } });
  assert.equal(verdict(analysis({ a: move(-12) }, ["a"]), game, table), "White is ahead, by about 12 discs");
  assert.equal(verdict(analysis({ a: move(1) }, ["a"]), game, table), "About even");
  assert.equal(verdict(analysis({ a: move(12) }, ["a"]), { ...game, measure: undefined }, table), "Black is ahead");
  const proved = analysis({ a: move(-1, { exact: true }) }, ["a"], { exact: true });
  assert.equal(verdict(proved, game, table), "White wins by 1 disc");
});

test("an estimate is told beside the best one, and a proved loss as what it is", () => {
  const kinds = (/** @type {Record<string, any>} */ moves) => [...worths(analysis(moves, ["a"]), plain, table).values()].map(({ kind }) => kind);
  assert.deepEqual(kinds({ a: move(-20), b: move(-50), c: move(-900, { exact: true }) }), ["good", "even", "bad"]);
  assert.deepEqual(kinds({ a: move(20), b: move(5), c: move(-30) }), ["good", "good", "bad"]);
  assert.deepEqual(kinds({ a: move(-8, { exact: true }), b: move(-9, { exact: true }) }), ["bad", "bad"]);
});

test("only what is proved counts as proved", () => {
  assert.equal(knownOf(analysis({ a: move(1, { exact: true }) }, ["a"], { exact: true })), "proved");
  assert.equal(knownOf(analysis({ a: move(1) }, ["a"], { exact: true })), "preferred");
  assert.equal(knownOf(analysis({ a: move(1) }, ["a"], { verdict: "unknown" })), "unknown");
});

test("the bar is the first side's, whoever is to move", () => {
  const proved = { exact: true, to_move: /** @type {"second"} */ ("second") };
  assert.equal(share(analysis({ a: move(1) }, ["a"], proved), undefined), 0);
  assert.equal(share(analysis({ a: move(0) }, ["a"]), undefined), 0.5);
  assert.ok(share(analysis({ a: move(1e6) }, ["a"]), undefined) < 1);
  assert.deepEqual([shareAtEnd("first"), shareAtEnd(null), shareAtEnd("second")], [1, 0.5, 0]);
});

test("a line is numbered from the number of its first move", () => {
  const line = move(0, { line: ["e4", "e5", "Nf3"] });
  assert.deepEqual(lineOf(line, 1, "first"), ["1. e4", "e5", "2. Nf3"]);
  assert.deepEqual(lineOf(line, 1, "second"), ["1... e4", "2. e5", "Nf3"]);
  assert.deepEqual(lineOf(line, undefined, "first"), ["e4", "e5", "Nf3"]);
});
