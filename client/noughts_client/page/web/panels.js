// What is beside a board, in tabs: moves, values, the review, chat, and what there is to know about the game.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { control } from "./clock.js";
import { icon } from "./icons.js";
import { shareButton } from "./link.js";
import { gameOf } from "./looks.js";
import { seen } from "./table.js";
import { isSecret } from "./valued.js";
import { text } from "./room_texts.js";
import { setupText } from "./texts.js";
import { typeset } from "./typeset.js";

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
    ...(over && !file ? [/** @type {Tab} */ ("review")] : []),
    ...(file || app.present ? [] : [/** @type {Tab} */ ("chat")]),
    "rules",
  ];
}

/**
 * @param {App} app
 * @param {Table} table
 */
export function tabOf(app, table) {
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
      return html`<div class="view values">${isSecret(table) ? html`<p class="note">${text.ratedNoValues}</p>` : app.explains?.explained(app, table, game)}</div>`;
    case "review":
      return html`<div class="view">${app.reviews?.reviewPanel(app, table, game)}</div>`;
    case "chat":
      return html`<div class="view">${app.chats?.chatPanel(app, table, mine)}</div>`;
    case "rules":
      return html`<div class="view">${rulesPanel(app, table, game)}</div>`;
    default:
      return html`<div class="view listed">${movesPanel(app, table, game)}</div>`;
  }
}

/**
 * From so many moves on, the list has two columns for each side.
 */
const LONG = 24;

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function movesPanel(app, table, game) {
  const { moves, names } = table.state;
  const { ply } = seen(table);
  const note = table.notes?.get(ply);
  if (!moves.length) return html`<p class="note">${text.noMoves}</p>${(game.rules ?? []).map((line) => html`<p class="note rule">${typeset(line)}</p>`)}`;
  const sides = sidesOf(table);
  return html`<ol class="moves ${moves.length > LONG ? "long" : ""}">
      ${repeat(
        (names ?? moves).map((move, index) => ({ move, index })),
        (/** @type {{move: string, index: number}} */ { index }) => index,
        (/** @type {{move: string, index: number}} */ { move, index }) => html`<li>
          ${sides[index].number ? html`<span class="number" aria-hidden="true">${sides[index].number}.</span>` : nothing}
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
    ${(game.rules ?? []).map((line) => html`<p>${typeset(line)}</p>`)}
    <p class="note small">${text.keys}</p>`;
}

/**
 * A menu is open: Esc or a click elsewhere closes it.
 * @param {Event} event
 */
export function opened(event) {
  const menu = /** @type {HTMLDetailsElement} */ (event.currentTarget);
  const leave = (/** @type {MouseEvent} */ { target }) => {
    if (menu.open && menu.contains(/** @type {Node} */ (target))) return;
    menu.open = false;
    document.removeEventListener("click", leave);
  };
  if (menu.open) document.addEventListener("click", leave);
}

/** @param {KeyboardEvent} event */
export function escaped(event) {
  const menu = /** @type {HTMLDetailsElement} */ (event.currentTarget);
  if (event.key !== "Escape" || !menu.open) return;
  event.stopPropagation();
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

/**
 * What the header has while a room is shown: a way to pass it on, and the switch for sounds.
 * @param {App} app
 */
export function inHeader(app) {
  const bottom = app.table && gameOf(app, app.table)?.board?.bottom;
  return html`${bottom
    ? html`<button class="bare" aria-label=${text.flip} title=${text.flip} aria-pressed=${app.flipped ? "true" : "false"} @click=${app.actions.flip}>${icon("flip")}</button>`
    : nothing}${app.room && app.table?.state.status !== "waiting" ? shareButton(linkTo(app.room), text.name, "bare") : nothing}<button
    class="bare sound" role="switch" aria-label=${text.sound} aria-checked=${app.sound ? "true" : "false"}
    title=${app.sound ? text.soundOff : text.soundOn} @click=${app.actions.toggleSound}
  >${icon(app.sound ? "sound" : "silent")}</button>`;
}

/** @param {string} room */
export function linkTo(room) {
  return `${location.origin}/rooms/${room}`;
}

/** What the menu holds, once it was opened. @type {typeof import("./room_menu.js") | null} */
let entries = null;

/**
 * What can be done with the whole game, and with this view.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function menu(app, table, game) {
  if (table.notes !== null) return nothing;
  const open = async (/** @type {Event} */ event) => {
    opened(event);
    entries ??= await import("./room_menu.js");
    app.actions.redraw();
  };
  return html`<details class="more" @toggle=${open} @keydown=${escaped}>
    <summary aria-label=${text.more} title=${text.more}>${icon("more")}</summary>
    ${entries?.menuView(app, table, game)}
  </details>`;
}
