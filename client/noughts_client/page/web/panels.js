// The panels beside a board: values, moves, chat, and what there is to know about the game.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { control } from "./clock.js";
import { markOf } from "./review.js";
import { soundIsOn } from "./sounds.js";
import { seen } from "./table.js";
import { setupText, text } from "./texts.js";
import { analysisOf, course, isSecret, knownOf, lineOf, verdict } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function valuesPanel(app, table, game) {
  if (table.notes) return nothing;
  const refused = isSecret(table);
  return html`<section class="panel values">
    <label class="switch" title=${text.valuesHelp}>
      <input type="checkbox" .checked=${app.values.on} ?disabled=${refused} @change=${app.actions.toggleValues} />
      ${text.values}
    </label>
    ${refused ? html`<p class="note">${text.ratedNoValues}</p>` : app.values.on ? explained(app, table, game) : nothing}
  </section>`;
}

/**
 * Who stands how, the best line, and how it came about.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function explained(app, table, game) {
  const found = analysisOf(table);
  const over = seen(table).state.outcome !== null;
  const analysis = found?.analysis;
  const known = analysis && knownOf(analysis);
  const line = analysis?.best.length ? lineOf(analysis.moves[analysis.best[0]], analysis.number, analysis.to_move) : [];
  return html`<div class=${found?.stale ? "stale" : ""}>
      ${over
        ? html`<p class="note">${text.isOver}</p>`
        : html`<p class="verdict">${app.valuesError ?? (analysis ? verdict(analysis, game) : text.computing)}</p>`}
      <p class="best-line">${known === "unknown" ? text.noBestLine : known && line.length ? html`${text.bestLine[known]} <b>${line[0]}</b> ${line.slice(1, 12).join(" ")}` : nothing}</p>
    </div>
    ${graph(app, table, game)}`;
}

/**
 * How the game went: up is better for the first side. The slider below the moves goes to the same positions by keyboard.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function graph(app, table, game) {
  const points = course(app.words, table, game);
  const width = table.state.ply;
  if (points.length < 2) return nothing;
  const y = (/** @type {number} */ share) => (100 - share * 100).toFixed(1);
  const line = points.map(({ ply, share }) => `${ply} ${y(share)}`).join("L");
  const { ply } = seen(table);
  const clicked = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    app.actions.lookAt(Math.round(((event.clientX - box.left) / box.width) * width));
  };
  return html`<figure class="graph">
    <svg viewBox="0 0 ${width} 100" preserveAspectRatio="none" role="img" aria-label=${text.graph} @click=${clicked}>
      <path class="area" d="M${points[0].ply} 50L${line}L${points[points.length - 1].ply} 50Z"></path>
      <path class="middle" d="M0 50H${width}"></path>
      <path class="course" d="M${line}"></path>
      ${svg`<path class="here" d="M${ply} 0V100"></path>`}
    </svg>
    <figcaption><span>${text.up(game.sides.first.name)}</span> <span>${text.down(game.sides.second.name)}</span></figcaption>
  </figure>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function movesPanel(app, table, game) {
  const { moves } = table.state;
  const { ply } = seen(table);
  const go = (/** @type {number} */ to) => () => app.actions.lookAt(to);
  const note = table.notes?.get(ply);
  const button = (/** @type {number} */ to, /** @type {string} */ label, /** @type {string} */ sign, /** @type {boolean} */ off) =>
    html`<button aria-label=${label} title=${label} ?disabled=${off} @click=${go(to)}>${sign}</button>`;
  return html`<section class="panel">
    <h2>${text.moves}</h2>
    <ol class="moves">
      ${repeat(
        (table.state.names ?? moves).map((move, index) => ({ move, index })),
        (/** @type {{move: string, index: number}} */ { index }) => index,
        (/** @type {{move: string, index: number}} */ { move, index }) => html`<li>
          <span class="number" aria-hidden="true">${index + 1}.</span>
          <button
            class="move ${ply === index + 1 ? "now" : ""}"
            aria-current=${ply === index + 1 ? "true" : nothing}
            ?disabled=${!table.positions[index + 1]}
            @click=${go(index + 1)}
          >${move}${markOf(app, table, index)}</button>
        </li>`,
      )}
    </ol>
    <div class="replay">
      ${button(0, text.first, "|◀", ply === 0)} ${button(ply - 1, text.back, "◀", ply === 0)}
      <input
        type="range" min="0" max=${moves.length} .value=${String(ply)} aria-label=${text.moves} aria-valuetext=${text.ply(ply)}
        @input=${(/** @type {Event} */ event) => app.actions.lookAt(Number(/** @type {HTMLInputElement} */ (event.target).value))}
      />
      ${button(ply + 1, text.forward, "▶", ply === moves.length)} ${button(moves.length, text.present, "▶|", ply === moves.length)}
    </div>
    <p class="note keys">${text.keys}</p>
    ${note ? html`<p class="bot-note"><bdi>${note}</bdi></p>` : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {Side | null} mine
 */
export function chatPanel(app, table, mine) {
  const lines = app.chat.filter((line) => line.room === table.room);
  return html`<details class="panel chat" ?open=${lines.length > 0}>
    <summary>${mine === null ? text.chatOfSpectators : text.chat}</summary>
    <ul aria-live="polite">
      ${lines.map((line) => html`<li><bdi class="who">${line.from}</bdi> <bdi>${line.text}</bdi></li>`)}
    </ul>
    <form @submit=${app.actions.say}>
      <input name="line" maxlength="280" autocomplete="off" aria-label=${text.say} placeholder=${text.say} />
      <button>${text.send}</button>
    </form>
  </details>`;
}

/**
 * The terms, who watches, the rules, and what can be done with the whole game.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function gamePanel(app, table, game) {
  const { clock, rated } = table.options;
  const file = table.notes !== null;
  const terms = [game.title, setupText(game, table.options.setup), clock ? control(clock) : "", rated ? text.rated : "", file ? "" : text.spectators(table.spectators)];
  return html`<section class="panel">
    <p>${terms.filter(Boolean).join(" · ")}</p>
    ${file
      ? nothing
      : html`<label class="switch"><input type="checkbox" .checked=${soundIsOn()} @change=${app.actions.toggleSound} /> ${text.sound}</label>
          <p class="links">
            <a href="/rooms/${table.room}${app.present ? "" : "?present"}">${app.present ? text.noProjector : text.projector}</a>
            ${table.state.status === "over" && table.state.moves.length
              ? html`<a href="/games/${table.room}.jsonl" download>${text.download}</a>
                  <a href="/games/${table.room}.txt" download>${text.downloadText}</a>
                  ${game.record ? html`<a href="/games/${table.room}.${game.record}" download>${text.downloadAs(game.record)}</a>` : nothing}`
              : nothing}
          </p>`}
    ${game.rules && !app.present
      ? html`<details>
          <summary>${text.rules}</summary>
          ${game.rules.map((line) => html`<p>${line}</p>`)}
        </details>`
      : nothing}
  </section>`;
}
