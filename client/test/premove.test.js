import assert from "node:assert/strict";
import { test } from "node:test";
import { due, picked, usualParts } from "../noughts_client/page/web/premove.js";

const chess = new Set("abcdefgh".split("").flatMap((file) => [..."12345678"].map((rank) => file + rank)));

test("most moves of a game tell how many picks a premove has", () => {
  assert.equal(usualParts(["e2e4", "e7e8q", "e7e8n", "a2a3", "b2b3", "c2c3"], chess), 2);
  assert.equal(usualParts(["1", "2"], new Set(["1", "2"])), 1);
  assert.equal(usualParts([], chess), 1);
});

test("a pick after the last takes a premove back", () => {
  assert.deepEqual(picked([], "e2", 2), ["e2"]);
  assert.deepEqual(picked(["e2"], "e4", 2), ["e2", "e4"]);
  assert.deepEqual(picked(["e2"], "e2", 2), []);
  assert.deepEqual(picked(["e2", "e4"], "d2", 2), []);
});

test("a premove is a move, the beginning of some, or nothing", () => {
  const legal = ["e2e4", "e2e3", "e7e8q", "e7e8n"];
  assert.equal(due(["e2", "e4"], legal, chess), "e2e4");
  assert.equal(due(["e2"], legal, chess), null);
  assert.equal(due(["e7", "e8"], legal, chess), null, "the piece has to be chosen");
  assert.equal(due(["d2", "d4"], legal, chess), undefined);
  assert.equal(due(["22", "15"], ["22x15", "22x15x8"], new Set(["22", "15", "8"])), "22x15");
});
