// The view of those who learn: the last game and what decided it, puzzles of the day, and what else there is to study.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { analysisText as analysis } from "./analysis_texts.js";
import { board, isTurned } from "./board.js";
import { classText as classes } from "./class_texts.js";
import { nameOf, pastView, titleOf } from "./games.js";
import { gameOf } from "./looks.js";
import { puzzleText as puzzles } from "./puzzles_texts.js";
import { studyText as own } from "./study_texts.js";
import { text } from "./texts.js";
import { turnsIn } from "./turns.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./types.js").MyGame} MyGame */

export const title = text.study;

/** The room whose last position was asked for. @type {string | null} */
let asked = null;

export function enter() {
  asked = null;
}

/** @param {App} app */
export function view(app) {
  const [first, second, , fourth] = pictured(app);
  const { over } = app.mine;
  const last = over?.find(({ outcome }) => outcome?.reason !== "aborted");
  return html`<div class="study">
    <h1 class="spoken">${text.study}</h1>
    <div class="latest">${last ? lastGame(app, last) : over && firstGame(app)} ${last ? pastView(app) : nothing}</div>
    ${app.today || nothing}
    <section>
      <div class="head"><h2>${own.more}</h2></div>
      <div class="subjects">
        ${card(small(app, fourth), puzzles.title, puzzles.help, "/puzzles", puzzles.open)}
        ${card(small(app, first), analysis.title, analysis.help, "/analysis", analysis.open)}
        ${card(tree, own.lecture, own.lectureHelp, "/lecture", own.openLecture)}
        ${card(seats, classes.title, classes.help, "/classes", classes.openList)}
        ${card(small(app, second), own.replayFile, own.replayHelp, "/?replay", own.openFile)}
      </div>
    </section>
  </div>`;
}

/**
 * How the last game ended, and the way to what decided it.
 * @param {App} app
 * @param {MyGame} last
 */
function lastGame(app, last) {
  const { room, game: key, side, outcome, options, seats, ended_at } = last;
  const known = app.boards.get(room);
  if (!known && asked !== room && app.connection.welcomed) look(app, room);
  const game = gameOf(app, { game: key, drawn: known?.drawn });
  const other = seats[side === "first" ? "second" : "first"];
  const result = outcome?.winner == null ? "drawn" : outcome.winner === side ? "won" : "lost";
  const moves = turnsIn(game, known?.state?.ply ?? 0);
  const path = `/rooms/${room}`;
  return html`<section class="panel last-game">
    <a class="position" href=${path}>
      ${game && known ? board({ game, rows: known.rows, counts: known.counts, last: known.last, line: known.state?.outcome?.cells, turned: isTurned(game, side), label: text.board(game.title) }) : html`<span class="no-board"></span>`}
    </a>
    <div class="told">
      <p class="note">${own.lastGame} · ${titleOf(app, key, options.setup)} · ${text.lobby.day(ended_at ?? "")}</p>
      <h2><span class="result ${result}">${own.you[result]}</span> <bdi>${other ? nameOf(other) : text.openSeat}</bdi>${moves ? own.inMoves(moves) : "."}</h2>
      <p>${own.why[result]}</p>
    </div>
    <p class="ways">
      <a class="button main" href="${path}?review">${own.decided}</a>
      ${result === "lost" ? html`<a class="button" href="${path}?practice=${side}">${own.practise}</a>` : html`<a class="button" href="/analysis?room=${room}">${own.analyse}</a>`}
    </p>
  </section>`;
}

/**
 * Ask for the last position of a room.
 * @param {App} app
 * @param {string} room
 */
function look(app, room) {
  asked = room;
  app.connection.request("watch", { room, preview: true }).catch(() => {}); // then it stays empty
  app.connection.request("leave", { room }).catch(() => {});
}

/**
 * Nothing is over yet: the way to a first game, of the game that is offered first.
 * @param {App} app
 */
function firstGame(app) {
  const game = [...app.games.values()].find(({ key }) => app.examples[key]);
  if (!game || app.may) return nothing;
  const play = () => app.actions.playComputer(game);
  return html`<section class="panel last-game">
    <a class="position" href="/" tabindex="-1" aria-hidden="true">${small(app, game)}</a>
    <div class="told">
      <h2>${own.reviewYours}</h2>
      <p>${own.reviewHelp}</p>
    </div>
    <p class="ways"><button class="main" @click=${play}>${own.firstGame(game.title)}</button><a class="button" href="/">${own.otherGames}</a></p>
  </section>`;
}

/**
 * @param {unknown} picture
 * @param {string} heading
 * @param {string} help
 * @param {string} path
 * @param {string} label
 */
function card(picture, heading, help, path, label) {
  return html`<section class="panel subject">
    <div class="picture" aria-hidden="true">${picture}</div>
    <h2>${heading}</h2>
    <p>${help}</p>
    <p><a class="button" href=${path}>${label}</a></p>
  </section>`;
}

/**
 * The games with an example that have the most kinds of pieces: their boards tell most.
 * @param {App} app
 */
function pictured(app) {
  const kinds = (/** @type {import("./types.js").GameInfo} */ { pieces }) => Object.keys(pieces ?? {}).length;
  return [...app.games.values()].filter(({ key }) => app.examples[key]).sort((one, other) => kinds(other) - kinds(one));
}

/**
 * @param {App} app
 * @param {import("./types.js").GameInfo | undefined} game
 */
function small(app, game) {
  return game ? board({ game, ...app.examples[game.key] }) : nothing;
}

/** A class, of whom some play, some are here, and some are not. */
const seats = html`<svg class="sketch" viewBox="0 0 150 96">
  ${Array.from({ length: 15 }, (_, seat) => svg`<circle class=${seat < 7 ? "plays" : seat < 12 ? "sits" : "gone"} cx=${27 + 24 * (seat % 5)} cy=${24 + 24 * Math.floor(seat / 5)} r="8"></circle>`)}
</svg>`;

/** A tree of which the last branch is cut. */
const tree = html`<svg class="sketch" viewBox="0 0 150 96">
  <path d="M75 26 30 44M75 26v18M30 62 17 76M30 62l13 14M75 62 62 76M75 62l13 14"></path>
  <path class="cut" d="M75 26l45 18m-29-4 12-10m0 10-12-10"></path>
  <path class="max" d="M75 6l13 20H62z"></path>
  <path class="min" d="M30 64 18 44h24zM75 64 63 44h24z"></path>
  <path class="gone" d="M120 64 108 44h24z"></path>
  <path class="end" d="M10 76h14v14H10zM36 76h14v14H36zM55 76h14v14H55zM81 76h14v14H81z"></path>
</svg>`;
