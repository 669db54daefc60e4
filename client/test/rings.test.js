import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { decoys, ringed } from "../noughts_client/page/web/rings.js";

const layout = [1, 2, 3, 4, 5, 6, 7, 8, 9].reverse().map((rank) => [..."abcdefghi"].map((file) => `${file}${rank}`));
const game = /** @type {any} */ ({ layout });
const rows = layout.map((row) => ".".repeat(row.length));

test("a hint rings two other cells near the right one, which are not always the same", () => {
  const found = [4, 5, 6].map((ply) => decoys(game, rows, "e5", [...layout.flat(), null], ply));
  for (const two of found) {
    assert.equal(new Set([...two, "e5"]).size, 3);
    for (const cell of two) assert.ok(/^[def][456]$/.test(cell), cell);
  }
  assert.notDeepEqual(found[0], found[1]);
});

test("a hint rings as many as there are", () => {
  assert.deepEqual(decoys(game, rows, "e5", ["e5", null, "a1"], 7), ["a1"]);
  assert.deepEqual(decoys(game, rows, "e5", ["e5"], 7), []);
});

test("the word of a ring can be read on a phone, within the ring or beside it", () => {
  const square = (/** @type {number} */ width) => /** @type {any} */ ({ layout: Array.from({ length: width }, (_, r) => Array.from({ length: width }, (_, c) => `${r}.${c}`)) });
  for (const [width, cell, level] of [[3, "1.1", 160], [15, "7.7", 698], [15, "0.0", 150]]) {
    const wide = square(/** @type {number} */ (width));
    const [{ values }] = /** @type {any[]} */ (ringed(wide, wide.layout.map((row) => ".".repeat(row.length)), false, [{ cell: /** @type {string} */ (cell), kind: "you", word: "you" }]));
    const [, y, size] = values.at(-1).values;
    assert.ok((size * 390) / (100 * /** @type {number} */ (width)) >= 13, `${size}`);
    assert.equal(Math.round(y), level);
  }
});
