// What few ever see: that this browser is not known, or keeps nothing, and that there is nothing at an address.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { accountTexts } from "./account_texts.js";
import { text } from "./texts.js";

/**
 * The server does not know the token of this browser, which is somebody new now: who has a code can be the same again. Or
 * the browser keeps nothing: a player who reloads a room is a spectator of the own game. The settings say so with the name.
 * @param {import("./app.js").App} app
 * @param {Pick<import("./app.js").Page, "change" | "go">} page
 */
export function noticesView({ forgotten, forgetful, me, room, view }, { change, go }) {
  const enter = () => {
    change({ forgotten: false });
    go("/settings#devices");
  };
  return html`${forgotten && me
    ? html`<div class="notice" role="alert">
        <p>${accountTexts.forgotten} <bdi>${me.name}</bdi>. ${accountTexts.forgottenHelp}</p>
        <button @click=${enter}>${accountTexts.haveCode}</button>
        <button @click=${() => change({ forgotten: false })}>${text.close}</button>
      </div>`
    : nothing}
  ${forgetful && (room || view === "home")
    ? html`<div class="notice" role="alert">
        <p>${accountTexts.forgets}</p>
        <button @click=${() => change({ forgetful: false })}>${text.close}</button>
      </div>`
    : nothing}`;
}

/** @param {boolean} room whether a room was asked for, and not another address */
export function nothingView(room) {
  return html`<section class="panel nothing">
    <h1>${room ? text.unknownRoom : text.unknownPage}</h1>
    <p>${room ? accountTexts.unknownRoomHelp : accountTexts.unknownPageHelp}</p>
    <p><a class="button main" href="/">${text.toHome}</a></p>
  </section>`;
}
