import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ended } from "../noughts_client/page/web/room_texts.js";

const words = /** @type {any} */ ({ endings: { line: { how: "by a full row", lines: { 3: "three in a row", 4: "four in a row" }, boards: "three boards in a row" }, count: { how: "by count" }, aborted: { closed: "Closed." } } });

test("a line is told by its length, from the side of whoever reads it", () => {
  const line = (/** @type {number} */ count) => ({ winner: /** @type {const} */ ("first"), reason: "line", cells: Array(count).fill("a1") });
  assert.equal(ended(words, "You won", line(3)), "You won with three in a row.");
  assert.equal(ended(words, "You lost", line(4)), "You lost to four in a row.");
  assert.equal(ended(words, "Ann won", line(7)), "Ann won by a full row.");
  assert.equal(ended(words, "You won", line(9), {}, 3), "You won with three boards in a row.");
  assert.equal(ended(words, "You lost", line(11), {}, 3), "You lost to three boards in a row.");
});

test("points are told where they are known, and a game without a result has its own words", () => {
  const count = { winner: /** @type {const} */ ("first"), reason: "count", cells: [] };
  assert.equal(ended(words, "Ann won", count, { lead: 12 }), "Ann won by 12 points.");
  assert.equal(ended(words, "Ann won", count), "Ann won by count.");
  assert.equal(ended(words, "Ann won", count, { score: [13, 51] }), "Ann won 51 to 13.");
  assert.equal(ended(words, "You lost", count, { score: [13, 51] }), "You lost 13 to 51.");
  assert.equal(ended(words, null, { winner: null, reason: "aborted", cells: [] }), "Closed.");
});
