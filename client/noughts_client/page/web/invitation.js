// What a room says until somebody has the other seat: the link to it, or on which terms one would play.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { linkBox } from "./link_box.js";
import { linkTo, termsOf } from "./panels.js";
import { text } from "./room_texts.js";

const own = {
  help: "Send this link. Whoever opens it can take the other seat.",
  /** @param {string} side */
  youPlay: (side) => `You play ${side}.`,
  /** @param {string} side */
  youWould: (side) => `You would play ${side}.`,
  unlisted: "Only those with the link can see the game. It is not under Watch.",
};

/**
 * @param {import("./app.js").App} app
 * @param {import("./table.js").Table} table
 * @param {import("./types.js").GameInfo} game
 * @param {boolean} invited whether the open seat could be this player's
 */
export function invitationView(app, table, game, invited) {
  const taken = table.state.seats.first ? "first" : "second";
  const open = taken === "first" ? "second" : "first";
  const terms = html`<p class="note">${termsOf(table, game)}</p>`;
  if (invited) {
    return html`<p>${own.youWould(game.sides[open].name)}</p>
      ${terms}
      ${table.options.rated && !app.me?.registered ? html`<p>${text.ratedNeeds} <button @click=${app.actions.account}>${text.account}</button></p>` : nothing}`;
  }
  return html`<p>${own.help} ${own.youPlay(game.sides[taken].name)}</p>
    ${linkBox(app, { link: linkTo(table.room), label: text.invite, open: innerHeight > 700 })}
    ${table.options.private ? html`<p class="note">${own.unlisted}</p>` : nothing}
    ${terms}`;
}
