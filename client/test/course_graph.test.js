import assert from "node:assert/strict";
import { test } from "node:test";
import "./lit.js";

const { expectations, runsOf } = await import("../noughts_client/page/web/course_graph.js");

/** @param {number} ply @param {"first" | "second"} side @param {[number, string | null]} before @param {[number, string | null]} after */
const move = (ply, side, before, after) => /** @type {any} */ ({
  ply, side, before: { expected: before[0], result: before[1] }, after: { expected: after[0], result: after[1] },
});

test("what a side could expect counts the other side's moves the other way round", () => {
  const moves = [move(0, "first", [0.5, null], [0.6, null]), move(1, "second", [0.4, null], [0.1, null])];
  assert.deepEqual(expectations(moves, "first").map(({ share }) => share), [0.5, 0.6, 0.9]);
  assert.deepEqual(expectations(moves, "second").map(({ share }) => share), [0.5, 0.4, 0.1]);
});

test("between two moves a proof counts more than an estimate", () => {
  const moves = [move(0, "first", [0.5, null], [1, "win"]), move(1, "second", [0.3, null], [0, "loss"])];
  assert.deepEqual(expectations(moves, "first").map(({ ply, share }) => [ply, share]), [[0, 0.5], [1, 1], [2, 1]]);
});

test("a course is not drawn through positions that nobody has looked at", () => {
  const points = [0, 1, 4, 5, 7].map((ply) => ({ ply, share: 0.5 }));
  assert.deepEqual(runsOf(points).map((run) => run.map(({ ply }) => ply)), [[0, 1], [4, 5], [7]]);
});
