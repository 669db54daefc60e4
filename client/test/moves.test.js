import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, expected, meant, next, partAt, partNames, step } from "../noughts_client/page/web/moves.js";

const CELLS = new Set(["a1", "a10", "b1", "e7", "e8", "5"]);
const LEGAL = ["a1b1", "a10b1", "e7e8", "e7e8q", "e7e8n", "pass", "a1"];

test("the options after a path lead to legal moves", () => {
  const after = (/** @type {string[]} */ ...path) => Object.fromEntries(next(LEGAL, CELLS, path));
  const more = { move: null, more: true };
  assert.deepEqual(after(), { a1: { move: "a1", more: true }, a10: more, e7: more, pass: { move: "pass", more: false } });
  assert.deepEqual(after("e7"), { e8: { move: "e7e8", more: true } });
  assert.deepEqual(after("e7", "e8"), { q: { move: "e7e8q", more: false }, n: { move: "e7e8n", more: false } });
  assert.deepEqual(after("b1"), {});
});

test("a path may be a whole move already", () => {
  assert.equal(complete(LEGAL, CELLS, ["e7", "e8"]), "e7e8");
  assert.equal(complete(LEGAL, CELLS, ["e7"]), null);
  assert.equal(complete(LEGAL, CELLS, []), null);
});

test("a typed move is meant as one that is legal, if only one is alike", () => {
  assert.equal(meant(LEGAL, " E7e8Q "), "e7e8q");
  assert.equal(meant(LEGAL, "h1"), "h1");
  assert.equal(meant(["Nf3", "nf3"], "NF3"), "NF3");
});

test("a cell stands for its own name or for that of its column", () => {
  const game = { layout: [["1", "2"]], cells: [["a1", "b1"]] };
  assert.deepEqual(partNames(game), new Set(["1", "2", "a1", "b1"]));
  assert.equal(partAt(game, 0, 1, undefined), "2");
  assert.equal(partAt(game, 0, 1, new Map([["b1", { move: "b1", more: false }]])), "b1");
});

test("a move is expected to place a piece, to let it fall, or to carry it", () => {
  const squares = { layout: [["a2", "b2"], ["a1", "b1"]] };
  assert.deepEqual(expected(["..", ".."], squares, "b2", "x"), { rows: [".x", ".."], cell: "b2" });
  assert.deepEqual(expected(["P.", ".."], squares, "a2b1", "P"), { rows: ["..", ".P"], cell: "b1" });
  assert.deepEqual(expected(["P.", ".."], squares, "a2", "x"), { rows: ["P.", ".."], cell: null });
  const columns = { layout: [["1", "2"], ["1", "2"]], cells: [["a2", "b2"], ["a1", "b1"]] };
  assert.deepEqual(expected(["..", "o."], columns, "1", "x"), { rows: ["x.", "o."], cell: "a2" });
});

test("a picked part makes a move, goes on, or begins another path", () => {
  const after = (/** @type {string[]} */ path, /** @type {string} */ part) => step(LEGAL, CELLS, path, part);
  assert.deepEqual(after([], "e7"), { path: ["e7"] });
  assert.deepEqual(after(["e7"], "e8"), { path: ["e7", "e8"] }, "a longer move goes on from there");
  assert.deepEqual(after(["e7", "e8"], "q"), { move: "e7e8q", ends: false });
  assert.deepEqual(after(["e7", "e8"], "e8"), { move: "e7e8", ends: true }, "picked again, it is the move so far");
  assert.deepEqual(after(["e7"], "e7"), { path: [] }, "picked again, it is put down");
  assert.deepEqual(after(["e7"], "a10"), { path: ["a10"] });
  assert.deepEqual(after(["e7"], "pass"), { move: "pass", ends: false });
  assert.deepEqual(after(["e7"], "5"), { path: [] });
});
