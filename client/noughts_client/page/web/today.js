// The puzzles of the day on the first view: a small board for each of a few games. It is loaded when all else has come.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board, isTurned } from "./board.js";
import { gameOf } from "./looks.js";
import { running } from "./puzzle_record.js";
import { puzzleText as own } from "./puzzles_texts.js";
import { stored } from "./storage.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./puzzles.js").Puzzle} Puzzle
 */

/** How many are shown. */
const SHOWN = 4;

/**
 * Ask for the puzzles of the day, that of the game that was solved last first; nothing where there are none.
 * @param {App} app
 */
export async function today(app) {
  const ask = (/** @type {string} */ type, /** @type {Record<string, unknown>} */ fields) => app.connection.request(type, fields);
  const last = stored("noughts.puzzle_game");
  const { games, days, day } = await ask("puzzles", {});
  const known = games.filter((/** @type {any} */ { game }) => app.games.has(game));
  const chosen = known.toSorted((/** @type {any} */ one, /** @type {any} */ other) => Number(other.game === last) - Number(one.game === last)).slice(0, SHOWN);
  const cards = await Promise.all(chosen.map(async (/** @type {any} */ { today: id }) => {
    const puzzle = /** @type {any} */ (await ask("puzzle", { puzzle: id }));
    const { game, setup, start } = puzzle;
    const { positions, layout, board: look } = await ask("replay", { game, setup: setup ?? {}, start, moves: [], since: 0 });
    return card(app, puzzle, positions[0], layout && { layout, board: look });
  }));
  if (!cards.length) return nothing;
  return html`<section class="strip today">
    <div class="head">
      <h2>${own.ofToday}</h2>
      ${days.length ? html`<p class="note">${own.running(running(days, day), days[0] === day)}</p>` : nothing}
      <a href="/puzzles">${own.allPuzzles}</a>
    </div>
    <ul class="cards">${cards}</ul>
  </section>`;
}

/**
 * @param {App} app
 * @param {Puzzle} puzzle
 * @param {{rows: string[], counts?: number[][]}} place
 * @param {import("./looks.js").Drawn | undefined} drawn
 */
function card(app, { puzzle, game: key, side, text: task, score }, { rows, counts }, drawn) {
  const game = gameOf(app, { game: key, drawn });
  if (!game) return nothing;
  return html`<li class="card"><a href="/puzzles?puzzle=${puzzle}">
    ${board({ game, rows, counts, turned: isTurned(game, side), label: text.board(game.title) })}
    <span class="turn-of">${game.title}${score === undefined ? "" : own.done(score)}</span>
    <span class="names">${task.split(/(?<=\.) /)[0]}</span>
  </a></li>`;
}
