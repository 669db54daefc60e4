import assert from "node:assert/strict";
import { test } from "node:test";
import { control, lasts, left, shown } from "../noughts_client/page/web/clock.js";

const SINCE = "2026-01-01T00:00:00Z";
const AT = Date.parse(SINCE);

test("only the clock that runs has less left, and never less than nothing", () => {
  const clock = { first_ms: 5000, second_ms: 3000, running: /** @type {"first"} */ ("first"), since: SINCE };
  assert.equal(left(clock, "first", AT + 2000), 3000);
  assert.equal(left(clock, "second", AT + 2000), 3000);
  assert.equal(left(clock, "first", AT + 9000), 0);
  assert.equal(left(clock, "first", AT - 9000), 5000);
});

test("a time is shown in tenths, minutes, hours or days", () => {
  for (const [ms, words] of /** @type {[number, string][]} */ ([
    [0, "0.0"], [1, "0.1"], [9899, "9.9"], [10_000, "0:10"], [61_000, "1:01"], [3_600_000, "1:00:00"], [10_800_000, "3:00:00"], [10_800_001, "3 h 1 min"], [18_720_000, "5 h 12 min"],
    [18_000_000, "5 h"], [86_399_000, "1 day"], [90_000_000, "1 day 1 h"], [259_200_000, "3 days"], [259_199_000, "3 days"], [255_000_000, "2 days 23 h"],
  ])) assert.equal(shown(ms), words);
});

test("what is shown stays the same for as long as it lasts, and no longer", () => {
  for (const ms of [1, 99, 100, 4321, 9900, 10_001, 61_000, 3_599_999, 3_600_001, 10_800_000, 10_800_001, 18_720_500, 86_399_000, 86_400_001, 90_000_000]) {
    const kept = lasts(ms);
    assert.equal(shown(ms - kept + 1), shown(ms), `${ms}`);
    assert.notEqual(shown(ms - kept), shown(ms), `${ms}`);
  }
});

test("a time control is put in few words", () => {
  assert.equal(control({ initial_s: 180, increment_s: 2 }), "3+2");
  assert.equal(control({ initial_s: 90, increment_s: 0 }), "90 s+0");
  assert.equal(control({ per_move_s: 30 }), "30 s a move");
  assert.equal(control({ per_move_s: 259_200 }), "3 days a move");
  assert.equal(control({ per_move_s: 86_400 }), "a day a move");
});
