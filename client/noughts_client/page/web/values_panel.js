// What the moves of a position are worth, in words, and how the game went. It is loaded when somebody wants to know.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { bodyOf } from "./board.js";
import { courseGraph } from "./course_graph.js";
import { DOTS, placeFor } from "./grid.js";
import { partNames } from "./moves.js";
import { called } from "./naming.js";
import { otherOf } from "./room.js";
import { text } from "./room_texts.js";
import { course, lineOf, others, share, shareAtEnd, verdict } from "./standing.js";
import { seen } from "./table.js";
import { analysisOf, isValued } from "./valued.js";
import { isAlike, knownOf, worthInWords, worths } from "./values.js";

export { worthInWords, worths }; // a room has them from here, once values are wanted

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 */

/** The texts that nothing else needs. */
const own = {
  largerIsBetter: "Larger dots: better moves",
  noBestLine: "The search finds several moves equally good.",
  numbers: "Numbers",
  is: "is ",
  bestLine: { proved: "Best line:", preferred: "The search prefers:" },
  graph: "Who was better after each move",
  /** @param {string} who */
  up: (who) => `↑ ${who} is better`,
  /** @param {string} who */
  down: (who) => `↓ ${who} is better`,
  isOver: "The game is over. Step back to see what the moves were worth.",
};

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
      ? html`<p class="note">${own.isOver}</p>`
      : html`<div class=${found?.stale ? "stale" : ""}>
          ${app.valuesError
            ? html`<p class="note">${app.valuesError}</p>`
            : html`<p class="verdict">${analysis ? verdict(analysis, game, table) : text.computing}</p> ${analysis ? bestFew(app, table, game, analysis) : nothing}`}
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
  const all = worths(analysis, game, table);
  const moves = [...all.keys()];
  const line = analysis.best.length ? lineOf(analysis.moves[analysis.best[0]], analysis.number, analysis.to_move) : [];
  const few = moves.filter((move) => all.get(move)?.rank);
  const rest = moves[few.length];
  // Where all words are alike the numbers tell the moves apart.
  const lost = analysis.exact && analysis.value < 0; // then no move is better, whatever is known of each
  const isExact = (/** @type {string} */ move) => analysis.moves[move].exact || lost;
  const inWords = (/** @type {string} */ move) => worthInWords(analysis.moves[move], game, table, lost);
  const words = few.map(inWords);
  const numbers = app.numbers || (few.length > 1 && new Set(words).size === 1 && !few.every((move) => isAlike(analysis.moves[move], analysis.moves[few[0]])));
  return html`<p class="best-line">
      ${known === "unknown" ? own.noBestLine : line.length > 1 ? html`${own.bestLine[known]} <b>${line[0]}</b> ${line.slice(1, 12).join(" ")}` : nothing}
    </p>
    <div class="worths">
      ${few.map((move, index) => {
        const { rank, kind, best, spoken } = /** @type {import("./values.js").Worth} */ (all.get(move));
        return html`<div class="worth-line">
          <span class="rank ${kind} ${best ? "best" : ""}">${placeFor(move, rank)}</span> <b>${called(game, analysis.moves[move].names?.[0] ?? move)}</b>
          <span>${words[index]}</span> <span class="value">${numbers && !isExact(move) ? spoken : nothing}</span>
        </div>`;
      })}
      ${rest === undefined
        ? nothing
        : html`<p class="note">${others(few.length, moves.length - few.length, `${isExact(rest) ? "" : own.is}${inWords(rest)}`, allAlike(analysis, moves.slice(few.length)))}</p>`}
    </div>
    <div class="scale">
      ${rest === undefined || !partNames(game).has(rest) || moves.length - few.length > DOTS || allAlike(analysis, moves.slice(few.length)) ? nothing : html`<i></i><i></i><i></i>${own.largerIsBetter}`}
      <label class="switch">${own.numbers} <input type="checkbox" .checked=${app.numbers} @change=${app.actions.toggleNumbers} /></label>
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
    game, side: "first",
    label: own.graph,
    says: [own.up(game.sides.first.name), own.down(game.sides.second.name)],
    at: seen(table).ply,
    go: app.actions.lookAt,
  });
}

/**
 * How the two sides stand, from the bottom of the board.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} bottom
 */
export function bar(app, table, game, bottom) {
  if (!isValued(app, table)) return nothing;
  const analysis = analysisOf(table)?.analysis;
  const { outcome } = seen(table).state;
  const first = analysis ? share(analysis, game) : shareAtEnd(outcome?.winner ?? null);
  const height = (bottom === "first" ? 1 - first : first) * 100;
  return html`<div class="bar ${bodyOf(game, bottom)}" .style=${`--top-share: ${height.toFixed(1)}%`} aria-hidden="true">
    <i class=${bodyOf(game, otherOf(bottom))}></i>
  </div>`;
}
