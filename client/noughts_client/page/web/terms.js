// On which terms a game is played: how it is set up, a person or the computer, the clock, rated or not, the side.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { CONTROLS } from "./clock.js";
import { icon } from "./icons.js";
import { formOf, newKey } from "./lobby.js";
import { text } from "./texts.js";
import { levelFor } from "./home.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/** How wide the terms of a game are, and how far they at least are from the edges of the window, in CSS pixels. */
const [WIDE_PX, GAP_PX] = [330, 16];

const own = {
  seek: "Find an opponent",
  clockHelp: "Minutes for the game + seconds a move.",
  side: "You play",
  either: "either side",
  sideHelp: "If an opponent is found for you, sides are random.",
  asUsual: "as usual",
  /** @param {string} side */
  first: (side) => `${side} (first)`,
};

/**
 * What can be chosen: how the game is set up, a person or the computer, the clock, the side.
 * @param {App} app
 * @param {GameInfo} game
 */
export function termsView(app, game) {
  const { first, second } = game.sides;
  return html`<form class="pop ${app.leftward ? "leftward" : ""}" @submit=${app.actions.start}>
    <div class="head">
      <h3>${game.title}</h3>
      <button type="button" class="bare" aria-label=${text.close} @click=${() => app.actions.showTerms(null)}>${icon("close")}</button>
    </div>
    <div class="chips" role="radiogroup" aria-label=${text.clock}>
      ${[...CONTROLS.keys()].map(
        (name) => html`<label><input type="radio" name="clock" value=${name} .checked=${name === ""} />${name || text.noClock}</label>`,
      )}
    </div>
    <p class="note small">${own.clockHelp}</p>
    <label class="switch">${text.rated} <input type="checkbox" name="rated" aria-describedby="rated-needs" ?disabled=${!app.me?.registered} /></label>
    ${app.me?.registered ? nothing : html`<p class="small"><a id="rated-needs" href="/settings">${text.ratedNeeds}</a></p>`}
    <div class="segments" role="radiogroup" aria-label=${own.side}>
      ${/** @type {[string, string][]} */ ([["first", own.first(first.name)], ["either", own.either], ["second", second.name]]).map(
        ([side, label]) => html`<label><input type="radio" name="side" value=${side} .checked=${side === "first"} />${label}</label>`,
      )}
    </div>
    ${setupChoice(game)}
    <div class="both">
      <button class="main" name="how" value="invite">${text.invite}</button>
      <button name="how" value="seek">${own.seek}</button>
    </div>
    <button name="how" value="computer">${text.playComputer}</button>
    <p class="note small">${own.sideHelp}</p>
    ${app.trouble.terms ? html`<p class="error" role="alert">${app.trouble.terms}</p>` : nothing}
  </form>`;
}

/**
 * What can be chosen of the game itself, such as the size of the board.
 * @param {GameInfo} game
 */
function setupChoice(game) {
  return repeat(
    game.options ?? [],
    ({ key }) => `${game.key} ${key}`,
    ({ key, title, default: usual, choices }) => choices
      ? html`<label>${title}
          <select name=${`setup ${key}`}>
            ${choices.map((choice) => html`<option value=${choice} ?selected=${choice === usual}>${choice}</option>`)}
          </select></label>`
      : html`<details><summary>${title}</summary>
          <input name=${`setup ${key}`} aria-label=${title} value=${usual} maxlength="200" placeholder=${own.asUsual} autocomplete="off" spellcheck="false" /></details>`,
  );
}

/**
 * What was chosen of the game itself. A text that was left empty chooses nothing.
 * @param {FormData} form
 */
function setupOf(form) {
  const chosen = [...form].filter(([name, value]) => name.startsWith("setup ") && value !== "");
  return Object.fromEntries(chosen.map(([name, value]) => [name.slice("setup ".length), value]));
}

/**
 * Open a game on the terms of a form, or look for an opponent on them.
 * @param {import("./lobby.js").Home} home
 * @param {SubmitEvent} event
 */
export async function start(home, event) {
  const form = formOf(event);
  const game = /** @type {GameInfo} */ (home.app.games.get(home.app.terms ?? ""));
  const setup = /** @type {import("./types.js").Setup} */ (setupOf(form));
  const how = form.get("how");
  const side = form.get("side") === "either" ? (Math.random() < 0.5 ? "first" : "second") : form.get("side");
  const other = how === "computer" ? `computer:${levelFor(game, home.app.level)}` : "open";
  const seats = side === "first" ? { first: "me", second: other } : { first: other, second: "me" };
  const rated = form.has("rated");
  const clock = CONTROLS.get(String(form.get("clock") ?? "")) ?? null;
  if (clock && "per_move_s" in clock) (await import("./your_move.js")).ask();
  if (how === "computer") return home.open("terms", { game: game.key, setup, seats, clock, rated });
  if (how === "invite") return home.open("terms", { game: game.key, setup, seats, clock, rated, private: !rated });
  const seek = { game: game.key, setup, clock, rated, key: newKey() };
  await home.loadWaiting();
  home.change({ seek });
  const answer = await home.ask("terms", "seek", seek);
  if (answer !== null) {
    home.change({ terms: null });
    home.app.waitingViews?.showSeek();
  } else if (home.app.seek === seek) home.change({ seek: null });
}

/**
 * Show the terms of a game, or close them.
 * @param {import("./lobby.js").Home} home
 * @param {string | null} key
 * @param {Element | null} [card] the card of the game
 */
export function show(home, key, card) {
  const leftward = card ? card.getBoundingClientRect().left + WIDE_PX > innerWidth : home.app.leftward;
  if (key === null) /** @type {HTMLElement | null} */ (document.querySelector(".tile:has(.pop) .terms"))?.focus();
  home.change({ terms: key, leftward, termsView });
  home.troubled("terms");
  requestAnimationFrame(() => {
    const pop = /** @type {HTMLElement | null} */ (document.querySelector(".pop"));
    if (pop === null) return;
    const { top, bottom } = pop.getBoundingClientRect();
    // Rather than move the page, it rises as far as the window has room.
    if (bottom > innerHeight) pop.style.top = `${-Math.max(0, Math.min(bottom - innerHeight + GAP_PX, top - GAP_PX))}px`;
    pop.scrollIntoView({ block: "nearest" });
  });
}
