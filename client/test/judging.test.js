import assert from "node:assert/strict";
import { test } from "node:test";

import "./lit.js";
const { judge, worthAfter } = await import("../noughts_client/page/web/judging.js");

const guess = { value: 5, exact: false, distance: null, line: ["d2d4"], names: ["d4"] };
const answer = { value: 9, exact: true, distance: 3, line: ["g8f6", "c2c4"], names: ["Nf6", "c4"] };
const after = { value: 9, exact: true, to_move: "second", best: ["g8f6"], moves: { g8f6: answer } };

test("a move is worth the opposite of the position in which the other side answers", () => {
  const worth = worthAfter("d2d4", guess, after, "first");
  assert.deepEqual(worth, { value: -9, exact: true, distance: 4, line: ["d2d4", "g8f6", "c2c4"], names: ["d4", "Nf6", "c4"] });
  assert.equal(worthAfter("d2d4", guess, { ...after, to_move: "first" }, "first").value, 9);
  const over = worthAfter("d2d4", guess, { value: -9, exact: true, to_move: null, best: [], moves: {} }, "first");
  assert.deepEqual([over.value, over.distance, over.line], [9, 1, ["d2d4"]]);
});

test("a proof found after the move decides where the analysis before it had an estimate", () => {
  const mistake = { mark: "win_thrown_away", move: "a2a3", better: { move: "e2e4" }, before: { result: "win", expected: 1 } };
  const analysis = { moves: { d2d4: { ...guess, value: 900 } } };
  const byEstimate = judge("d2d4", mistake, analysis, {}, 0.2);
  assert.deepEqual(byEstimate, { right: true, proved: false });
  const byProof = judge("d2d4", mistake, analysis, {}, 0.2, worthAfter("d2d4", guess, after, "first"));
  assert.deepEqual(byProof, { right: false, proved: true });
});
