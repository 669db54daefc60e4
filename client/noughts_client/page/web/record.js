// The view of games in a file.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { roomView } from "./room.js";
import { seen } from "./table.js";
import { studyText as own } from "./study_texts.js";
import { text } from "./room_texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 */

/**
 * The suffixes of other programs' files that the server reads.
 * @param {App} app
 */
function suffixesOf(app) {
  return [...app.games.values()].flatMap(({ record }) => (record ? [`.${record}`] : []));
}

/**
 * A game in a file, and the way to another.
 * @param {App} app
 */
export function recordView(app) {
  const opened = (/** @type {Event} */ event) => {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file) app.actions.openFile(file);
  };
  const names = ({ seats, game } = app.records[0]) =>
    `${app.games.get(game)?.title ?? game}: ${seats.first?.name ?? "–"}, ${seats.second?.name ?? "–"}`;
  return html`${app.table ? roomView(app) : nothing}
    <section class="panel record">
      <h1>${own.replayFile}</h1>
      <p class="note">${own.replayHelp}</p>
      <label>${own.file} <input type="file" accept=${[".jsonl", ...suffixesOf(app)].join(",")} @change=${opened} /></label>
      ${app.records.length > 1
        ? html`<label>${text.game}
            <select @change=${(/** @type {Event} */ event) => app.actions.openRecord(Number(/** @type {HTMLSelectElement} */ (event.target).value))}>
              ${app.records.map((record, index) => html`<option value=${index} ?selected=${index === app.recordShown}>${index + 1}. ${names(record)}</option>`)}
            </select></label>`
        : nothing}
      ${app.table ? html`<p><a class="button main" href=${analysisOf(app.table)}>${text.analyse}</a></p>` : nothing}
      ${app.recordRoom ? html`<p><a href="/rooms/${app.recordRoom}">${own.openRoom}</a></p>` : nothing}
      ${app.error && !app.table ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
    </section>`;
}

/**
 * The address of the analysis board with the game of a file, at the position that is looked at.
 * @param {Table} table
 */
function analysisOf(table) {
  const { game, options, state } = table;
  const setup = new URLSearchParams(/** @type {Record<string, string>} */ (options.setup ?? {})).toString();
  return `/analysis?${new URLSearchParams({ game, setup, moves: state.moves.join(" "), at: String(seen(table).ply) })}`;
}
