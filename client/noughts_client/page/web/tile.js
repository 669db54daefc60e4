// The card of a game: one click plays the computer, another opens what can be chosen.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board } from "./board.js";
import { CONTROLS } from "./clock.js";
import { icon } from "./icons.js";
import { liveRooms, offered } from "./smallboards.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/**
 * @param {App} app
 * @param {GameInfo} game
 */
export function gameTile(app, game) {
  const playing = [...app.rooms.values()].filter((room) => room.game === game.key && room.status === "playing").length;
  const seeks = [...app.seeks.values()].filter((seek) => seek.game === game.key && seek.player.id !== app.me?.id).length;
  const waiting = seeks + offered(app).filter((room) => room.game === game.key).length;
  const level = levelFor(game, app.level);
  const shown = app.terms === game.key;
  return html`<li class="tile" data-game=${game.key}>
    <button class="go" aria-label=${text.playAgainst(game.title, level)} @click=${() => app.actions.playComputer(game)}>
      ${board({ ...position(app, game), game, small: true })}
      <span class="start" aria-hidden="true">${text.play}</span>
      <span class="text">
        <span class="name">${game.title}</span>
        <span class="note small">${text.lobby.going(playing, waiting)}</span>
      </span>
    </button>
    <button
      class="terms" aria-label=${text.lobby.terms(game.title)} title=${text.lobby.terms(game.title)} aria-expanded=${shown ? "true" : "false"}
      @click=${(/** @type {MouseEvent} */ event) => app.actions.showTerms(shown ? null : game.key, event)}
    >${icon("people")}</button>
    ${shown ? terms(app, game) : nothing}
  </li>`;
}

/**
 * The level that a game has for the one that is chosen: the first of its levels is its strongest, whatever its name.
 * @param {GameInfo} game
 * @param {string} level
 */
export function levelFor({ levels }, level) {
  return levels.includes(level) ? level : level === "best" ? levels[0] : levels[Math.floor(levels.length / 2)];
}

/**
 * What the card shows: a game that is being played, or an example.
 * @param {App} app
 * @param {GameInfo} game
 */
function position(app, game) {
  const live = liveRooms(app).find((room) => room.game === game.key && app.boards.get(room.room) && !room.options.setup);
  const now = live && app.boards.get(live.room);
  const { rows, counts, last } = now ?? app.examples[game.key] ?? {};
  return { rows: rows ?? game.layout.map((row) => ".".repeat(row.length)), counts, last };
}

/**
 * What can be chosen: how the game is set up, a person or the computer, the clock, the side.
 * @param {App} app
 * @param {GameInfo} game
 */
function terms(app, game) {
  const { first, second } = game.sides;
  return html`<form class="pop ${app.leftward ? "leftward" : ""}" @submit=${app.actions.start}>
    <div class="head">
      <h3>${game.title}</h3>
      <button type="button" class="bare" aria-label=${text.close} @click=${() => app.actions.showTerms(null)}>${icon("close")}</button>
    </div>
    ${setupChoice(game)}
    <div class="chips" role="radiogroup" aria-label=${text.clock}>
      ${[...CONTROLS.keys()].map(
        (name) => html`<label><input type="radio" name="clock" value=${name} .checked=${name === ""} />${name || text.noClock}</label>`,
      )}
    </div>
    <p class="note small">${text.clockHelp}</p>
    <label class="switch">${text.rated} <input type="checkbox" name="rated" aria-describedby="rated-needs" ?disabled=${!app.me?.registered} /></label>
    ${app.me?.registered ? nothing : html`<p class="note small" id="rated-needs">${text.ratedNeeds}</p>`}
    <div class="segments" role="radiogroup" aria-label=${text.side}>
      ${/** @type {[string, string][]} */ ([["first", text.lobby.first(first.name)], ["either", text.either], ["second", second.name]]).map(
        ([side, label]) => html`<label><input type="radio" name="side" value=${side} .checked=${side === "first"} />${label}</label>`,
      )}
    </div>
    <div class="both">
      <button class="main" name="how" value="invite">${text.invite}</button>
      <button class="main" name="how" value="seek">${text.seek}</button>
    </div>
    <button name="how" value="computer">${text.playComputer}</button>
    <p class="note small">${text.sideHelp}</p>
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
    ({ key, title, default: usual, choices }) => html`<label
      >${title}
      ${choices
        ? html`<select name=${`setup ${key}`}>
            ${choices.map((choice) => html`<option value=${choice} ?selected=${choice === usual}>${choice}</option>`)}
          </select>`
        : html`<input name=${`setup ${key}`} value=${usual} maxlength="200" placeholder=${text.asUsual} autocomplete="off" spellcheck="false" />`}</label
    >`,
  );
}
