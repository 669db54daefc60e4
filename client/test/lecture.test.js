import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, linesAt, waitingAt } from "../noughts_client/page/web/lecture_code.js";
import "./lit.js";
import * as playouts from "../noughts_client/page/web/lecture_playouts.js";
import { answerAt, answered, asking, questionAt, unscored } from "../noughts_client/page/web/lecture_predict.js";

const place = (parent, rank, player, name) => ({ ...(parent === null ? {} : { parent }), rank, move: String(rank + 1), player, name });
const enter = (node, alpha, beta, value) => ({ step: "enter", node, alpha, beta, ...(value === undefined ? {} : { value, end: "leaf" }) });
const update = (node, child, value, alpha, beta) => ({ step: "update", node, child, value, alpha, beta });

/** Alpha-beta in A(B(3,12),C(2,4)): after 2 the node C is cut. */
const trace = {
  tree: "A(B(3,12),C(2,4))", search: "alphabeta", strict: false, depth: null, value: 3, best: "B", visited: 6, ends: 3, total: 12, notes: [],
  nodes: [
    place(null, 0, "max", "A"), place(0, 0, "min", "B"), place(1, 0), place(1, 1), place(0, 1, "min", "C"), place(4, 0), place(4, 1),
  ],
  steps: [
    enter(0, null, null), enter(1, null, null), enter(2, null, null, 3), update(1, 2, 3, null, 3), enter(3, null, 3, 12), update(1, 3, 3, null, 3),
    update(0, 1, 3, 3, null), enter(4, 3, null), enter(5, 3, null, 2), update(4, 5, 2, 3, 2), { step: "cut", node: 4, alpha: 3, beta: 2, moves: ["2"] },
    update(0, 4, 3, 3, null),
  ],
};

const said = (count, asked) => linesAt(trace, count, asked).map((line) => codeOf(trace)[line].words);

test("each step is at its line, in the half of its player", () => {
  assert.deepEqual(said(0), []);
  assert.deepEqual(said(1), ["search(node, α, β)"]);
  assert.deepEqual(said(3), ["if leaf: return its value"]);
  assert.deepEqual(said(4), ["v ← min(v, search(child, α, β))", "β ← min(β, v)"]);
  assert.deepEqual(said(7), ["v ← max(v, search(child, α, β))", "α ← max(α, v)"]);
  assert.deepEqual(said(10, true), ["if α ≥ β: cut the rest"]);
  assert.deepEqual(said(11), said(10, true));
  assert.notDeepEqual(linesAt(trace, 11), codeOf(trace).findIndex(({ part }) => part === "cut"), "MIN's line, not MAX's");
  assert.deepEqual(said(12), ["return v"]);
});

test("the code is that of the search", () => {
  const words = (fields) => codeOf({ ...trace, ...fields }).map((line) => line.words).join("\n");
  assert.ok(!words({ search: "minimax" }).includes("α"));
  assert.ok(words({ strict: true }).includes("if α > β"));
  assert.ok(words({ search: "ordered" }).includes("the best estimate first"));
  assert.ok(words({ search: "table" }).includes("if the table knows enough"));
  assert.ok(words({ depth: 2 }).includes("deep enough"));
});

test("nodes wait at the line that searches their child", () => {
  const waits = [...waitingAt(trace, 3)].map(([line, names]) => [codeOf(trace)[line].words, names]);
  assert.deepEqual(waits, [["v ← min(v, search(child, α, β))", ["B"]], ["v ← max(v, search(child, α, β))", ["A"]]]);
  assert.equal(waitingAt(trace, 1).size, 0);
});

test("there is a question wherever the rest could be cut", () => {
  const asked = trace.steps.map((_, index) => questionAt(trace, index + 1)).map((question) => question && question.cut);
  assert.deepEqual(asked, [null, null, null, false, null, null, false, null, null, true, null, null]);
  assert.equal(questionAt({ ...trace, search: "minimax" }, 4), null);
});

test("only the first answer to a question counts", () => {
  const traces = [{ ...trace, search: "minimax" }, trace];
  let score = unscored();
  assert.equal(asking(traces, 4, score), 1);
  score = answered(traces, 1, 4, score, true);
  assert.equal(asking(traces, 4, score), -1);
  score = answered(traces, 1, 4, score, false);
  score = answered(traces, 1, 10, score, true);
  assert.deepEqual([answerAt(1, 4, score), answerAt(1, 10, score), answerAt(0, 4, score)], [false, true, null]);
});

/** Playouts in a game with the moves a and b: a is lost, b is drawn, and then chosen again. */
const sampled = {
  game: "g", search: "mcts", strict: false, depth: null, value: null, best: "b", visited: 3, ends: 3, total: 10, notes: [],
  nodes: [{ rank: 0, player: "max" }, { parent: 0, rank: 0, move: "a", player: "min" }, { parent: 0, rank: 1, move: "b", player: "min" }],
  steps: [
    { step: "expand", node: 1 }, { step: "playout", node: 1, moves: ["b"], value: 0, rows: ["ox"] }, { step: "back_up", node: 1, value: 0 },
    { step: "expand", node: 2 }, { step: "playout", node: 2, moves: ["a"], value: 0.5, rows: ["xo"] }, { step: "back_up", node: 2, value: 0.5 },
    { step: "select", node: 0, child: 2, terms: [{ child: 1, mean: 0, bonus: 1.2 }, { child: 2, mean: 0.5, bonus: 1.2 }] },
    { step: "expand", node: 2 }, { step: "playout", node: 2, moves: [], value: 0.5, rows: ["xo"] }, { step: "back_up", node: 2, value: 0.5 },
  ],
};

test("a playout counts for its node and all above, for the side that moved there", () => {
  const counts = (count) => playouts.replay(sampled, count).map(({ visits, points }) => [visits, points]);
  assert.deepEqual(counts(2), [[0, 0], [0, 0], [0, 0]]);
  assert.deepEqual(counts(6).map(([visits]) => visits), [2, 1, 1]);
  assert.deepEqual(counts(10).slice(1), [[1, 0], [2, 1]]);
});

test("the terms are there while a child is selected", () => {
  const selecting = playouts.replay(sampled, 7);
  assert.deepEqual(selecting.map(({ best, way }) => [best, way]), [[false, true], [false, false], [true, true]]);
  assert.equal(selecting[1].term?.bonus, 1.2);
  assert.ok(playouts.replay(sampled, 8).every(({ term }) => term === null));
  assert.equal(playouts.playoutAt(sampled, 6)?.rows?.[0], "xo");
  assert.equal(playouts.playoutAt(sampled, 7), null);
});

test("playouts are told in words, and at the lines of their code", () => {
  const lines = (count) => linesAt(sampled, count).map((line) => codeOf(sampled)[line].words);
  assert.equal(playouts.words(sampled, 7), "Selection: b has the greatest bound, 1.70.");
  assert.equal(playouts.words(sampled, 2), "Playout: 1 random move, and MIN wins.");
  assert.equal(playouts.closing(sampled), "MAX plays b: 2 of 3 playouts began with it, for 50 % of the points. That is no proof.");
  assert.deepEqual(lines(1), ["node ← a new child of node"]);
  assert.deepEqual(lines(3), ["n ← n + 1", "w ← w + result for who moved there"]);
  assert.deepEqual(lines(10), ["return the move with the greatest n"]);
  assert.equal(waitingAt(sampled, 7).size, 0);
});
