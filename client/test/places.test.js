import assert from "node:assert/strict";
import { test } from "node:test";
import { enlivened } from "../noughts_client/page/web/places.js";

const at = (/** @type {Record<string, number>} */ times) => (/** @type {string} */ room) => times[room];

test("a game in which somebody moves takes the place of one that stands still", () => {
  const moved = at({ one: 0, two: 0, three: 29_000 });
  assert.deepEqual(enlivened(["one", "two"], ["one", "two", "three"], moved, 30_000), ["three", "two"]);
});

test("a game keeps its place while it moves, and where no other does", () => {
  assert.deepEqual(enlivened(["one", "two"], ["one", "two", "three"], at({ one: 15_000, two: 0, three: 0 }), 30_000), ["one", "two"]);
  assert.deepEqual(enlivened(["one", "two"], ["one", "two", "three"], at({ one: 15_000, two: 0, three: 29_000 }), 30_000), ["one", "three"]);
});

test("a game that is over, an empty place and one that has not come stay as they are", () => {
  assert.deepEqual(enlivened(["over", null], ["one", "three"], at({ over: 0, one: 29_000 }), 30_000), ["over", null]);
  assert.deepEqual(enlivened(["one"], ["one", "three"], at({ one: 0 }), 30_000), ["one"]);
});
