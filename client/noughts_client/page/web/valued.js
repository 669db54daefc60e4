// Whether what moves are worth may be told of a game, and what is known of it. Pure.

import { seen } from "./table.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./table.js").Table} Table
 */

/**
 * Whether the server refuses to analyse a game, so that nobody gets help in it.
 * @param {Table} table
 */
export function isSecret({ options, state }) {
  return options.rated && state.status !== "over";
}

/**
 * Whether values are wanted, and may be seen: between people the server tells none before the end.
 * @param {{tab: string, valuesError: string | null}} app
 * @param {Table} table
 */
export function isValued({ tab, valuesError }, table) {
  return tab === "values" && valuesError === null && !isSecret(table);
}

/**
 * The analysis of the position that is looked at or, until it is there, the latest one before it, which is `stale`.
 * @param {Table} table
 * @returns {{analysis: Analysis, stale: boolean} | null}
 */
export function analysisOf(table) {
  const { ply, state } = seen(table);
  if (state.outcome || table.line || isSecret(table)) return null;
  for (let at = ply; at >= 0; at--) if (table.analyses[at]) return { analysis: table.analyses[at], stale: at < ply };
  return null;
}
