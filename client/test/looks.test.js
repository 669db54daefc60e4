import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { touched } from "../noughts_client/page/web/looks.js";


test("a small board marks the last move when it is first seen", () => {
  const columns = /** @type {any} */ ({ layout: [["1", "2"], ["1", "2"]], cells: [["a2", "b2"], ["a1", "b1"]] });
  assert.deepEqual(touched(columns, "1", undefined, ["..", "r."]), ["a1"]);
  assert.deepEqual(touched(columns, "1", undefined, ["y.", "r."]), ["a2"]);
  const board = /** @type {any} */ ({ layout: [["e4", "f4"], ["e2", "f2"]] });
  assert.deepEqual(touched(board, "e2e4", undefined, ["..", ".."]), ["e4", "e2"]);
  assert.deepEqual(touched(board, "e2xf4", undefined, ["..", ".."]), ["f4", "e2"]);
  assert.deepEqual(touched(board, "swap", ["x.", ".."], [".x", ".."]), ["e4", "f4"]);
  assert.deepEqual(touched(board, undefined, undefined, ["..", ".."]), []);
});
