// Whether the server still hears a player who waits: a network can die without a word to the browser.

/** After so many ms without a word the server is asked for one. */
export const SILENT_MS = 8000;

/** How long its answer may take, in ms. */
export const PATIENCE_MS = 5000;

/** How often to look, in ms. */
const LOOK_MS = 2000;

/**
 * Connect anew when the server does not answer, while somebody plays and looks.
 * @param {import("./connection.js").Connection} connection
 * @param {() => boolean} plays
 */
export function pulse(connection, plays) {
  let asks = false;
  setInterval(async () => {
    if (asks || document.hidden || !connection.welcomed || connection.silence() < SILENT_MS || !plays()) return;
    asks = true;
    const opening = connection.openings;
    const answered = connection.request("ping").then(() => true, () => true); // a refusal is an answer, too
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, false));
    if (!(await Promise.race([answered, late])) && connection.openings === opening) connection.lose();
    asks = false;
  }, LOOK_MS);
}
