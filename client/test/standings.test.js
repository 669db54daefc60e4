import assert from "node:assert/strict";
import { test } from "node:test";
import "./lit.js";

const { half, namesOf } = await import("../noughts_client/page/web/standings.js");

/** @param {string} id @param {string} name @param {number} number */
const row = (id, name, number) => /** @type {any} */ ({ number, player: { id, name, kind: "human" } });

test("points are written with halves", () => {
  assert.deepEqual([0, 0.5, 1, 2.5].map(half), ["0", "½", "1", "2½"]);
});

test("names that look alike have their numbers, and nobody else", () => {
  const rows = [row("p-1", "sam", 1), row("p-2", "SAM", 2), row("p-3", "sam ", 3), row("p-4", "Samuel", 4), row("p-5", "ｓａｍ", 5)];
  const names = namesOf(rows);
  assert.deepEqual(rows.map(({ player }) => names(player)), ["sam (no. 1)", "SAM (no. 2)", "sam  (no. 3)", "Samuel", "ｓａｍ (no. 5)"]);
  assert.equal(names(/** @type {any} */ ({ id: "p-9", name: "sam" })), "sam");
});
