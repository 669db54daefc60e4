// The first view: go on with a game, play the computer or a person, watch, and see who is best.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { CONTROLS } from "./clock.js";
import { continueView, liveView, nameOf, offersView, pastView, trouble } from "./games.js";
import { nameView } from "./name.js";
import { isMine } from "./smallboards.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 */

/** @param {App} app */
export function homeView(app) {
  if (!app.games.size) return noServer(app);
  return html`<p class="about">${text.about} <a href="/lecture">${text.lobby.lecture}</a></p>
    <div class="home">
      ${continueView(app)} ${computer(app)} ${person(app)}
      <div class="stack">${best(app)} ${pastView(app)}</div>
      ${liveView(app)} <section class="panel">${nameView(app)}</section> ${byId(app)}
    </div>`;
}

/**
 * There has been no connection yet: there is nothing to choose from.
 * @param {App} app
 */
function noServer(app) {
  return html`<p class="about">${text.about}</p>
    <section class="panel">
      <p role="status">${app.status === "connecting" || app.status === "open" ? text.connecting : text.lobby.noServer}</p>
    </section>`;
}

/**
 * @param {App} app
 * @param {import("./lobby.js").Form} form
 */
function gameChoice(app, form) {
  return html`<label
    >${text.game}
    <select name="game" @change=${(/** @type {Event} */ event) => app.actions.choose(form, event)}>
      ${[...app.games.values()].map(
        (game) => html`<option value=${game.key} .selected=${game.key === app.form[form]}>${game.title}</option>`,
      )}
    </select></label
  >`;
}

/**
 * What can be chosen of the game itself, such as the size of the board.
 * @param {import("./types.js").GameInfo | undefined} game
 */
function setupChoice(game) {
  return repeat(
    game?.options ?? [],
    ({ key }) => `${game?.key} ${key}`,
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

/** @param {App} app */
function computer(app) {
  const game = app.games.get(app.form.computer);
  if (!game) return nothing;
  return html`<section class="panel">
    <h2>${text.playComputer}</h2>
    <form @submit=${app.actions.playComputer}>
      ${gameChoice(app, "computer")} ${setupChoice(game)}
      <label
        >${text.level}
        <select name="level">
          ${repeat(
            game.levels,
            (level) => `${game.key} ${level}`,
            (level) => html`<option value=${level} ?selected=${level === "medium"}>${level}</option>`,
          )}
        </select></label
      >
      <label
        >${text.side}
        <select name="side">
          <option value="first">${text.lobby.movesFirst(game.sides.first.name)}</option>
          <option value="second">${game.sides.second.name}</option>
          <option value="either">${text.either}</option>
        </select></label
      >
      <button class="main">${text.play}</button>
    </form>
    ${trouble(app, "computer")}
  </section>`;
}

/** @param {App} app */
function person(app) {
  const registered = app.me?.registered;
  const rooms = [...app.rooms.values()].filter((room) => room.status === "waiting" && !isMine(app, room));
  return html`<section class="panel">
    <h2>${text.playPerson}</h2>
    ${app.seek
      ? html`<p role="status">${text.seeking(app.games.get(app.seek.game)?.title ?? "")}</p>
          <p class="note">${app.seek.waited ? text.lobby.waited : text.lobby.eitherSide}</p>
          <button @click=${app.actions.unseek}>${text.stopSeeking}</button>`
      : html`<form @submit=${app.actions.playPerson}>
          ${gameChoice(app, "person")} ${setupChoice(app.games.get(app.form.person))}
          <label
            >${text.clock}
            <select name="clock">
              ${[...CONTROLS.keys()].map((name) => html`<option value=${name}>${name || text.noClock}</option>`)}
            </select></label
          >
          <label class="check"
            ><input type="checkbox" name="rated" aria-describedby="rated-needs" ?disabled=${!registered} /> ${text.rated}</label
          >
          ${registered ? nothing : html`<span class="note" id="rated-needs">${text.ratedNeeds}</span>`}
          <button class="main" name="how" value="seek">${text.seek}</button>
          <button name="how" value="invite">${text.invite}</button>
        </form>`}
    ${trouble(app, "person")} ${offersView(app, rooms)}
  </section>`;
}

/** @param {App} app */
function best(app) {
  return html`<section class="panel">
    <h2>${text.leaderboard}</h2>
    <form>${gameChoice(app, "best")}</form>
    ${trouble(app, "best")}
    ${app.leaders === null
      ? nothing
      : app.leaders.length
        ? html`<ol class="leaders">
            ${app.leaders.map((player) => html`<li><bdi>${nameOf(player)}</bdi> <span>${player.measured === false ? text.notMeasured : player.rating}</span></li>`)}
          </ol>`
        : html`<p class="note">${text.noRatings}</p>`}
  </section>`;
}

/** @param {App} app */
function byId(app) {
  return html`<section class="panel">
    <h2>${text.lobby.byId}</h2>
    <form @submit=${app.actions.goToRoom} class="inline">
      <label>${text.roomId} <input name="room" autocomplete="off" spellcheck="false" maxlength="200" /></label>
      <button>${text.go}</button>
    </form>
    ${trouble(app, "room")}
    <p><a class="button" href="/?replay">${text.replayFile}</a></p>
  </section>`;
}
