// The menu of a room: what can be done with the whole game, and with this view. It is loaded when it is opened.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { shareButton } from "./link.js";
import { linkTo } from "./panels.js";
import { mayDraw, mySide } from "./room.js";
import { text } from "./room_texts.js";
import { seen } from "./table.js";

const own = {
  leave: "Leave the projector view",
  download: "Download the game",
  downloadText: "Download it as text",
  /** @param {string} format */
  downloadAs: (format) => `Download it as ${format.toUpperCase()}`,
};

/**
 * An entry leads elsewhere or has done what it says: the menu closes.
 * @param {Event} event
 */
function chosen(event) {
  const menu = /** @type {HTMLElement} */ (event.currentTarget).closest("details");
  if (menu && event.target instanceof HTMLElement && event.target.matches("a, .turns")) menu.open = false;
}

/**
 * What a player seldom does, which on a phone has no room beside how the game stands: to offer a draw, and to resign.
 * @param {import("./app.js").App} app
 * @param {import("./table.js").Table} table
 * @param {import("./types.js").GameInfo} game
 * @returns {unknown[]}
 */
function rare(app, table, game) {
  const { options, state } = table;
  if (state.status !== "playing" || state.rules_changed || mySide(app, table) === null) return [];
  const begun = state.moves.length > 1;
  return [
    mayDraw(table, game) ? html`<button class="turns rare" @click=${() => app.actions.table("offer_draw")}>${text.draw}</button>` : nothing,
    begun || options.tournament ? html`<button class="turns rare ends" @click=${app.actions.askToResign}>${begun ? text.resign : text.forfeit}</button>` : nothing,
  ];
}

/**
 * @param {import("./app.js").App} app
 * @param {import("./table.js").Table} table
 * @param {import("./types.js").GameInfo} game
 */
export function menuView(app, table, game) {
  const over = table.state.status === "over" && table.state.moves.length > 0;
  const [draw, resign] = rare(app, table, game);
  return html`<div class="menu" @click=${chosen}>
    ${draw} ${game.board?.bottom ? html`<button class="turns" @click=${app.actions.flip}>${text.flip}</button>` : nothing}
    ${table.state.status === "waiting" ? nothing : shareButton(linkTo(table.room), text.name)}
    <button class="turns" @click=${app.actions.toggleSound}>${app.sound ? text.soundOff : text.soundOn}</button>
    ${over
      ? html`<a class="button" href="/analysis?room=${table.room}&at=${seen(table).ply}">${text.analyse}</a>
          <a class="button" href="/games/${table.room}.jsonl" download>${own.download}</a>
          <a class="button" href="/games/${table.room}.txt" download>${own.downloadText}</a>
          ${game.record ? html`<a class="button" href="/games/${table.room}.${game.record}" download>${own.downloadAs(game.record)}</a>` : nothing}`
      : nothing}
    <a class="button projects" href="/rooms/${table.room}${app.present ? "" : "?present"}">${app.present ? own.leave : text.projector}</a>
    ${resign}
  </div>`;
}
