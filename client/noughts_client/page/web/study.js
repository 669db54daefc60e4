// The view of those who learn: lectures, games in files, and one's own games to review.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { analysisText as analysis } from "./analysis_texts.js";
import { board } from "./board.js";
import { classText as classes } from "./class_texts.js";
import { pastView } from "./games.js";
import { puzzleText as puzzles } from "./puzzles_texts.js";
import { studyText as own } from "./study_texts.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

export const title = text.study;

/** @param {App} app */
export function view(app) {
  const [first, second, third, fourth] = pictured(app);
  return html`<div class="study">
    <div class="head"><h1>${text.study}</h1></div>
    ${card(tree, own.lecture, own.lectureHelp, "/lecture", own.openLecture)}
    ${card(small(app, fourth), puzzles.title, puzzles.help, "/puzzles", puzzles.open)}
    ${card(seats, classes.title, classes.help, "/classes", classes.openList)}
    ${card(small(app, first), analysis.title, analysis.help, "/analysis", analysis.open)}
    ${card(small(app, second), own.replayFile, own.replayHelp, "/?replay", own.openFile)}
    ${app.mine.over?.length ? pastView(app) : card(small(app, third), own.reviewYours, own.reviewHelp)}
  </div>`;
}

/**
 * @param {unknown} picture
 * @param {string} heading
 * @param {string} help
 * @param {string} [path]
 * @param {string} [label]
 */
function card(picture, heading, help, path, label) {
  return html`<section class="panel subject">
    <div class="picture" aria-hidden="true">${picture}</div>
    <h2>${heading}</h2>
    <p>${help}</p>
    ${path ? html`<p><a class="button main" href=${path}>${label}</a></p>` : nothing}
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
