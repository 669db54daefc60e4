// Whether the server still hears somebody who waits: a network can die without a word to the browser.

/** After so many ms without a word the server is asked for one. */
export const SILENT_MS = 8000;

/** How long its answer may take, in ms. */
export const PATIENCE_MS = 5000;

/** How often to look, in ms. */
const LOOK_MS = 2000;

/** Whether a connection matters, to each view that asked. @type {WeakMap<object, (() => boolean)[]>} */
const known = new WeakMap();

/**
 * Connect anew when the server does not answer, while it matters and somebody looks, and when the network goes or comes.
 * @param {import("./connection.js").Connection} connection
 * @param {() => boolean} when
 */
export function pulse(connection, when) {
  const matters = known.get(connection) ?? [];
  if (matters.push(when) > 1) return;
  known.set(connection, matters);
  let asks = false;
  for (const change of ["offline", "online"]) addEventListener(change, () => connection.restart());
  setInterval(async () => {
    if (asks || document.hidden || !connection.welcomed || connection.silence() < SILENT_MS || !matters.some((when) => when())) return;
    asks = true;
    const opening = connection.openings;
    const answered = connection.request("ping").then(() => true, () => true); // a refusal is an answer, too
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, false));
    if (!(await Promise.race([answered, late])) && connection.openings === opening) connection.lose();
    asks = false;
  }, LOOK_MS);
}
