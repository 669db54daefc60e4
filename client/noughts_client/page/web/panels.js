// What is beside a board, in tabs: moves, values, the review, chat, and what there is to know about the game.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { control } from "./clock.js";
import { icon } from "./icons.js";
import { shareButton } from "./link.js";
import { soundIsOn } from "./sounds.js";
import { seen } from "./table.js";
import { setupText, text } from "./texts.js";
import { analysisOf, course, isAlike, isSecret, knownOf, lineOf, ordered, verdict, worthInWords, worths } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {App["tab"]} Tab
 */

/**
 * The tabs that there are: a file has no values, and only a game that is over can be reviewed.
 * @param {App} app
 * @param {Table} table
 * @returns {Tab[]}
 */
function tabsOf(app, table) {
  const file = table.notes !== null;
  const over = table.state.status === "over" && table.state.ply > 0;
  return [
    "moves",
    ...(file ? [] : [/** @type {Tab} */ ("values")]),
    ...(over && !file && !app.present ? [/** @type {Tab} */ ("review")] : []),
    ...(file || app.present ? [] : [/** @type {Tab} */ ("chat")]),
    "rules",
  ];
}

/**
 * @param {App} app
 * @param {Table} table
 */
function tabOf(app, table) {
  return tabsOf(app, table).includes(app.tab) ? app.tab : "moves";
}

/**
 * @param {App} app
 * @param {Table} table
 */
export function tabs(app, table) {
  const now = tabOf(app, table);
  const unread = now === "chat" ? 0 : linesOf(app, table).length - app.chatSeen;
  return html`<div class="tabs" role="radiogroup" aria-label=${text.beside}>
    ${repeat(
      tabsOf(app, table),
      (tab) => tab,
      (tab) => html`<label
        ><input type="radio" name="tab" value=${tab} .checked=${tab === now} @change=${() => app.actions.openTab(tab)} />${text.tabs[tab]}${tab === "chat" && unread > 0
          ? html`<span class="badge">${unread}</span>`
          : nothing}</label
      >`,
    )}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
export function tabView(app, table, game, mine) {
  switch (tabOf(app, table)) {
    case "values":
      return html`<div class="view values">${isSecret(table) ? html`<p class="note">${text.ratedNoValues}</p>` : explained(app, table, game)}</div>`;
    case "review":
      return html`<div class="view">${app.reviews ? html`${app.reviews.betterLine(app, table, game)} ${app.reviews.reviewPanel(app, table, game)}` : nothing}</div>`;
    case "chat":
      return html`<div class="view">${app.chats?.chatPanel(app, table, mine)}</div>`;
    case "rules":
      return html`<div class="view">${rulesPanel(app, table, game)}</div>`;
    default:
      return html`<div class="view">${movesPanel(app, table)}</div>`;
  }
}

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
    ${graph(app, table, game)}`;
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
  const moves = ordered(analysis);
  const line = analysis.best.length ? lineOf(analysis.moves[analysis.best[0]], analysis.number, analysis.to_move) : [];
  const few = moves.filter((move) => all.get(move)?.rank);
  const rest = moves[few.length];
  return html`<p class="best-line">
      ${known === "unknown" ? text.noBestLine : line.length ? html`${text.bestLine[known]} <b>${line[0]}</b> ${line.slice(1, 12).join(" ")}` : nothing}
    </p>
    <div class="worths">
      ${few.map((move) => {
        const { rank, kind, best, label } = /** @type {import("./values.js").Worth} */ (all.get(move));
        return html`<div class="worth-line">
          <span class="rank ${kind} ${best ? "best" : ""}">${rank}</span> <b>${analysis.moves[move].names?.[0] ?? move}</b>
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
 * From so many moves on, the list has two columns for each side.
 */
const LONG = 24;

/**
 * @param {App} app
 * @param {Table} table
 */
function movesPanel(app, table) {
  const { moves, names } = table.state;
  const { ply } = seen(table);
  const note = table.notes?.get(ply);
  if (!moves.length) return html`<p class="note">${text.noMoves}</p>`;
  const sides = sidesOf(table);
  return html`<ol class="moves ${moves.length > LONG ? "long" : ""}">
      ${repeat(
        (names ?? moves).map((move, index) => ({ move, index })),
        (/** @type {{move: string, index: number}} */ { index }) => index,
        (/** @type {{move: string, index: number}} */ { move, index }) => html`<li>
          ${sides[index].number ? html`<span class="number" aria-hidden="true">${sides[index].number}</span>` : nothing}
          <button
            class="move ${sides[index].side} ${ply === index + 1 ? "now" : ""}"
            aria-current=${ply === index + 1 ? "true" : nothing}
            ?disabled=${!table.positions[index + 1]}
            @click=${() => app.actions.lookAt(index + 1)}
          >${move}${app.reviews?.markOf(app, table, index) ?? nothing}</button>
        </li>`,
      )}
    </ol>
    ${note ? html`<p class="bot-note"><bdi>${note}</bdi></p>` : nothing}`;
}

/**
 * For each move who played it, and the number of the turn where a new line begins.
 * @param {Table} table
 * @returns {{side: Side, number: number}[]}
 */
function sidesOf({ positions, state }) {
  let turn = 0;
  /** @type {Side | null} */
  let before = null;
  return state.moves.map((_, index) => {
    const side = positions[index]?.to_move ?? (index % 2 ? "second" : "first");
    const begins = before === null || side === "first" || before === "second";
    if (begins) turn++;
    before = side;
    return { side, number: begins ? turn : 0 };
  });
}

/**
 * The way through the moves.
 * @param {App} app
 * @param {Table} table
 */
export function stepper(app, table) {
  const { ply } = seen(table);
  const all = table.state.moves.length;
  const button = (/** @type {number} */ to, /** @type {string} */ label, /** @type {Parameters<typeof icon>[0]} */ sign, /** @type {boolean} */ off) =>
    html`<button class="bare" aria-label=${label} title=${label} ?disabled=${off} @click=${() => app.actions.lookAt(to)}>${icon(sign)}</button>`;
  return html`<div class="steps-through">
    ${button(0, text.first, "first", ply === 0)} ${button(ply - 1, text.back, "previous", ply === 0)}
    ${button(ply + 1, text.forward, "next", ply === all)} ${button(all, text.present, "last", ply === all)}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 */
export function linesOf(app, table) {
  return app.chat.filter((line) => line.room === table.room);
}

/**
 * What was agreed: the game, how it is set up, the clock, rated or not.
 * @param {Table} table
 * @param {GameInfo} game
 */
export function termsOf({ options }, game) {
  return [game.title, setupText(game, options.setup), playedFor(options)].filter(Boolean).join(" · ");
}

/**
 * The clock, and whether ratings change.
 * @param {Table["options"]} options
 */
export function playedFor({ clock, rated, unrated_because }) {
  return `${clock ? control(clock) : text.noClock} · ${rated && !unrated_because ? text.rated : text.notRated}`;
}

/**
 * The terms, who watches, and the rules.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function rulesPanel(app, table, game) {
  return html`<p class="terms">${termsOf(table, game)}${table.notes === null && table.spectators ? ` · ${text.spectators(table.spectators)}` : ""}</p>
    ${(game.rules ?? []).map((line) => html`<p>${line}</p>`)}
    <p class="note small">${text.keys}</p>`;
}

/**
 * A link of the menu leads elsewhere: the menu closes.
 * @param {Event} event
 */
function chosen(event) {
  const menu = /** @type {HTMLElement} */ (event.currentTarget).closest("details");
  if (menu && event.target instanceof HTMLAnchorElement) menu.open = false;
}

/**
 * What can be done with the whole game, and with this view.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function menu(app, table, game) {
  if (table.notes !== null) return nothing;
  const over = table.state.status === "over" && table.state.moves.length > 0;
  return html`<details class="more">
    <summary aria-label=${text.more} title=${text.more}>${icon("more")}</summary>
    <div class="menu" @click=${chosen}>
      <label class="switch">${text.sound} <input type="checkbox" .checked=${soundIsOn()} @change=${app.actions.toggleSound} /></label>
      <a href="/rooms/${table.room}${app.present ? "" : "?present"}">${app.present ? text.noProjector : text.projector}</a>
      ${shareButton(`${location.origin}/rooms/${table.room}`, game.title)}
      ${over
        ? html`<a href="/games/${table.room}.jsonl" download>${text.download}</a>
            <a href="/games/${table.room}.txt" download>${text.downloadText}</a>
            ${game.record ? html`<a href="/games/${table.room}.${game.record}" download>${text.downloadAs(game.record)}</a>` : nothing}`
        : nothing}
    </div>
  </details>`;
}
