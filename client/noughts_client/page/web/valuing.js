// What the moves of a room are worth: which position is asked about next, and when.

import { Lost, Refused } from "./connection.js";
import { seen, withAnalysis } from "./table.js";
import { isSecret } from "./valued.js";

/**
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./play.js").Core} Core
 */

/** Between two analyses that fill the graph: whoever looks at a position comes first, and so do others. */
const GRAPH_PAUSE_MS = 1000;

/** @param {Core} core */
export function valuing({ app, change, wordsOf, loaded, styled }) {
  let analysing = false;
  /** The game under way in which the server does not say what moves are worth. @type {string | null} */
  let refusedIn = null;
  let analyseLater = 0;

  /**
   * The ply whose moves are to be analysed next: the one that is looked at, then the latest that the graph lacks.
   * @param {Table} table
   */
  function wanted(table) {
    if (app.tab !== "values" || table.notes || isSecret(table)) return null;
    if (table.room === refusedIn && table.state.status !== "over") return null;
    const lacks = (/** @type {number} */ ply) =>
      !table.analyses[ply] && table.positions[ply] && !(ply === table.state.ply && table.state.outcome);
    const { ply } = seen(table);
    if (lacks(ply)) return ply;
    if (document.hidden) return null;
    for (let before = table.state.ply; before >= 0; before--) if (lacks(before)) return before;
    return null;
  }

  /** Load what explains values, if their tab is open. */
  async function explain() {
    if (app.tab === "values" && !app.explains) {
      const [explains] = await Promise.all([loaded(import("./values_panel.js")), styled("values.css")]);
      change({ explains });
    }
  }

  /** Ask what the moves of a position are worth, one request at a time. */
  async function analyse() {
    clearTimeout(analyseLater);
    const { table } = app;
    const ply = table && wanted(table);
    if (!table || ply === null || analysing) return;
    analysing = true;
    const moves = table.state.moves.slice(0, ply);
    let pause = 0;
    try {
      const found = /** @type {any} */ (await app.connection.request("analyse", { room: table.room, ply }));
      if (app.table?.room === table.room) change({ table: withAnalysis(app.table, moves, found), valuesError: null });
    } catch (error) {
      if (error instanceof Lost) pause = Infinity; // the next welcome asks again
      else if (error instanceof Refused && error.retryAfterS !== undefined) pause = error.retryAfterS * 1000;
      else if (app.table?.state.turn === table.state.turn) {
        pause = Infinity;
        refusedIn = table.room;
        change({ valuesError: wordsOf(error) });
      }
    }
    analysing = false;
    if (pause === Infinity || !app.table) return;
    if (pause === 0 && seen(app.table).ply !== wanted(app.table)) pause = GRAPH_PAUSE_MS;
    analyseLater = setTimeout(analyse, pause);
  }

  /** The server may be asked again what it has refused to say. */
  function anew() {
    refusedIn = null;
  }

  return { analyse, anew, explain };
}
