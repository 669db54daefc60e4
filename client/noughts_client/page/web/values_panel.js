// What the moves of a position are worth, in words, and how the game went. It is loaded when somebody wants to know.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { courseGraph } from "./course_graph.js";
import { placeFor } from "./grid.js";
import { called } from "./naming.js";
import { text } from "./room_texts.js";
import { seen } from "./table.js";
import { analysisOf, course, isAlike, knownOf, lineOf, verdict, worthInWords, worths } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/**
 * Who stands how, the best few moves in words, and how it came about.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function explained(app, table, game) {
  const found = analysisOf(table);
  const over = seen(table).state.outcome !== null;
  const analysis = found?.analysis;
  return html`${over
      ? html`<p class="note">${text.isOver}</p>`
      : html`<div class=${found?.stale ? "stale" : ""}>
          <p class="verdict">${app.valuesError ?? (analysis ? verdict(analysis, game, table) : text.computing)}</p>
          ${analysis && !app.valuesError ? bestFew(app, table, game, analysis) : nothing}
        </div>`}
    ${app.valuesError ? nothing : graph(app, table, game)}`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Analysis} analysis
 */
function bestFew(app, table, game, analysis) {
  const known = knownOf(analysis);
  const all = worths(analysis);
  const moves = [...all.keys()];
  const line = analysis.best.length ? lineOf(analysis.moves[analysis.best[0]], analysis.number, analysis.to_move) : [];
  const few = moves.filter((move) => all.get(move)?.rank);
  const rest = moves[few.length];
  return html`<p class="best-line">
      ${known === "unknown" ? text.noBestLine : line.length > 1 ? html`${text.bestLine[known]} <b>${line[0]}</b> ${line.slice(1, 12).join(" ")}` : nothing}
    </p>
    <div class="worths">
      ${few.map((move) => {
        const { rank, kind, best, label } = /** @type {import("./values.js").Worth} */ (all.get(move));
        return html`<div class="worth-line">
          <span class="rank ${kind} ${best ? "best" : ""}">${placeFor(move, rank)}</span> <b>${called(game, analysis.moves[move].names?.[0] ?? move)}</b>
          <span>${worthInWords(analysis.moves[move], game, table)}</span> <span class="value">${app.numbers ? label : nothing}</span>
        </div>`;
      })}
      ${rest === undefined
        ? nothing
        : html`<p class="note">${text.others(few.length, moves.length - few.length, worthInWords(analysis.moves[rest], game, table), allAlike(analysis, moves.slice(few.length)))}</p>`}
    </div>
    <div class="scale">
      ${rest === undefined || allAlike(analysis, moves.slice(few.length)) ? nothing : html`<i></i><i></i><i></i>${text.largerIsBetter}`}
      <label class="switch">${text.numbers} <input type="checkbox" .checked=${app.numbers} @change=${app.actions.toggleNumbers} /></label>
    </div>`;
}

/**
 * Whether moves are all worth the same.
 * @param {import("./types.js").Analysis} analysis
 * @param {string[]} some
 */
function allAlike({ moves }, some) {
  return some.every((move) => isAlike(moves[move], moves[some[0]]) && moves[move].bound === undefined);
}

/**
 * How the game went: up is better for the first side. The keys for the moves go to the same positions.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function graph(app, table, game) {
  return courseGraph(course(app.words, table, game), table.state.ply, {
    label: text.graph,
    says: [text.up(game.sides.first.name), text.down(game.sides.second.name)],
    at: seen(table).ply,
    go: app.actions.lookAt,
  });
}
