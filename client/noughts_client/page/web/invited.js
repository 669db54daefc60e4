// Another player invites this one to a seat: in a line over the page, by a sound, and to a screen reader.

import { html } from "./vendor/lit-html/lit-html.js";
import { listen } from "./listening.js";
import { isMuted } from "./muting.js";
import { text } from "./room_texts.js";

/**
 * @param {import("./connection.js").Message} message an `invitation`
 * @param {import("./app.js").Page} page
 */
export function invited({ room, game, by }, page) {
  const { app, change } = page;
  if (isMuted(app, by.id)) return;
  const sentence = text.invited(by.name, app.games.get(game)?.title ?? game);
  const close = () => change({ notice: null, announced: "" });
  change({
    announced: sentence,
    notice: html`<span>${sentence}</span> <a class="button" href="/rooms/${room}" @click=${close}>${text.look}</a> <button @click=${close}>${text.close}</button>`,
  });
  listen(page, () => ["call"]);
}
