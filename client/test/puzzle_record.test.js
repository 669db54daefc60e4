// The days running, and the puzzle that comes next.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, running } from "../noughts_client/page/web/puzzle_record.js";

test("the days running end with today or yesterday, and a day without one breaks them", () => {
  assert.equal(running([], "2026-03-01"), 0);
  assert.equal(running(["2026-03-01"], "2026-03-01"), 1);
  assert.equal(running(["2026-03-01", "2026-02-28", "2026-02-27", "2026-02-25"], "2026-03-02"), 3);
  assert.equal(running(["2026-02-27"], "2026-03-01"), 0);
});

test("the nearest rating that was not tried comes next", () => {
  const puzzles = [700, 900, 1000, 1300].map((rating) => ({ puzzle: `hex/${rating}`, rating }));
  assert.equal(nearest(puzzles, 960, () => false)?.rating, 1000);
  assert.equal(nearest(puzzles, 960, (id) => id === "hex/1000")?.rating, 900);
  assert.equal(nearest(puzzles, 960, () => true), null);
});
