import assert from "node:assert/strict";
import { test } from "node:test";
import { PATIENCE_MS, pulse, SILENT_MS } from "../noughts_client/page/web/pulse.js";

/** @param {import("node:test").TestContext} t @param {{answers: boolean, silent: number, plays: boolean}} what */
async function pings(t, { answers, silent, plays }) {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  Object.assign(globalThis, { document: { hidden: false }, addEventListener: () => {} });
  const counts = { pings: 0, lost: 0 };
  const connection = /** @type {any} */ ({
    welcomed: true, openings: 1, silence: () => silent, lose: () => counts.lost++,
    request: () => (counts.pings++, answers ? Promise.resolve({}) : new Promise(() => {})),
  });
  pulse(connection, () => plays);
  const settled = async () => {
    for (let turn = 0; turn < 9; turn++) await Promise.resolve();
  };
  t.mock.timers.tick(2000);
  await settled();
  t.mock.timers.tick(PATIENCE_MS);
  await settled();
  return counts;
}

test("a server that does not answer a player who waits is lost", async (t) => {
  assert.deepEqual(await pings(t, { answers: false, silent: SILENT_MS, plays: true }), { pings: 1, lost: 1 });
});

test("a server that answers is not lost", async (t) => {
  const { pings: asked, lost } = await pings(t, { answers: true, silent: SILENT_MS, plays: true });
  assert.ok(asked >= 1);
  assert.equal(lost, 0);
});

test("nothing is asked of a server that was heard, nor for who does not play", async (t) => {
  assert.deepEqual(await pings(t, { answers: false, silent: SILENT_MS - 1, plays: true }), { pings: 0, lost: 0 });
  t.mock.timers.reset();
  assert.deepEqual(await pings(t, { answers: false, silent: SILENT_MS, plays: false }), { pings: 0, lost: 0 });
});
