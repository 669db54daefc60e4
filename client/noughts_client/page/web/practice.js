// Practice on the mistakes of a finished game: each position as it was, a better move to be found on the board, and what the
// engine says of each try.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { Lost, Refused } from "./connection.js";
import { judge, worthAfter } from "./judging.js";
import { called } from "./naming.js";
import { parts, partNames } from "./moves.js";
import { practiceText as text } from "./practice_texts.js";
import { practiceView } from "./practice_view.js";
import { isMistake } from "./review.js";
import { decoys, endOf } from "./rings.js";
import { mySide } from "./room.js";
import { gameOf } from "./looks.js";
import { cellsOf, withAnalysis } from "./table.js";
import { lineOf } from "./standing.js";

/**
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Place} Place
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {import("./types.js").Side} Side
 * @typedef {{mistake: ReviewedMove, state: "open" | "found" | "shown", wrong: string[], hints: number, answer: Tried | null}} Task
 * @typedef {{move: string, judgement: import("./judging.js").Judgement | null, worth: import("./types.js").MoveWorth}} Tried
 * @typedef {{names: string[], places: Place[], cells: string[][], step: number}} Line
 * @typedef {{room: string, side: Side, tasks: Task[], index: number, tried: Tried | null, shows: boolean, checked: string | null,
 *            hint: string[] | null, said: string, line: Line | null, problem: string | null}} Practice
 *
 * `wrong` are the moves of a task that were tried in vain, and `hints` counts what was asked for. `index` is that of the task that is tried, the number of tasks at
 * the end. `tried` is the last move that was tried, and `shows` whether it is still on the board; `checked` is one that the
 * engine still looks at. `hint` are the cells that are ringed, with what is `said` of them.
 */

/** How long a piece that was moved stays where it does not belong, in ms. */
const TRIED_MS = 1000;

/** The time from one move of a line that is played to the next, in ms. */
const PLAY_MS = 900;

/** How long after a lost connection an analysis is asked for again, in ms. */
const AGAIN_MS = 1000;

/**
 * What is known of a move: by the review, which took more time, or else by the analysis.
 * @param {string} move
 * @param {ReviewedMove} mistake
 * @param {import("./types.js").Analysis} analysis
 */
function worthOf(move, { move: played, worth, better }, analysis) {
  return move === better?.move ? better.worth : move === played ? worth : analysis.moves[move];
}

/**
 * @param {import("./play.js").Core} core
 * @param {() => Promise<void>} review ask for the review of the room
 */
export function practising({ app, change, draw, go }, review) {
  /** @type {Practice | null} */
  let now = null;
  let asking = false;
  let later = 0;
  let playing = 0;

  /** The side that the address names, or the user's own. */
  function wantedSide() {
    const named = new URLSearchParams(location.search).get("practice");
    return named === "first" || named === "second" ? named : (app.table && mySide(app, app.table)) ?? "first";
  }

  function shown() {
    const over = app.table?.room === app.room && app.table?.state.status === "over";
    return over && app.view === "room" && location.search.includes("practice");
  }

  /** Begin with the room that is shown, or go on. */
  function begin() {
    if (!shown()) return; // the game goes on
    change({ tab: "review" });
    window.scrollTo(0, 0);
    if (app.review?.room !== app.room) review();
    ready();
  }

  /** Make the tasks once the review is complete, and have the analysis of the one that is tried. */
  function ready() {
    const { review: found, room } = app;
    const side = wantedSide();
    if (!found?.complete || found.room !== room || !app.table || app.table.room !== room) return;
    if (now === null || now.room !== room || now.side !== side) {
      const mistakes = [...found.moves.values()].filter((move) => move.side === side && isMistake(move) && move.better);
      const decided = (/** @type {ReviewedMove} */ { ply }) => Number(ply === found.decisive);
      start(room, side, mistakes.sort((one, other) => decided(other) - decided(one) || one.ply - other.ply)); // the most telling first
    }
    analyse();
  }

  /**
   * @param {string} room
   * @param {Side} side
   * @param {ReviewedMove[]} mistakes
   */
  function start(room, side, mistakes) {
    /** @type {Task[]} */
    const tasks = mistakes.map((mistake) => ({ mistake, state: "open", wrong: [], hints: 0, answer: null }));
    now = { room, side, tasks, index: 0, tried: null, shows: false, checked: null, hint: null, said: "", line: null, problem: null };
    change({ path: [], chosen: null, error: null, focus: null });
  }

  /** @param {Partial<Practice>} changes */
  function set(changes) {
    if (now) now = { ...now, ...changes };
    draw();
  }

  function task() {
    return now?.tasks[now.index] ?? null;
  }

  /** Ask what the moves of the position are worth: of the one that is tried, and then of the next. */
  async function analyse() {
    clearTimeout(later);
    const { table } = app;
    if (asking || !table || !shown()) return;
    const ply = now?.tasks.slice(now.index, now.index + 2).map(({ mistake }) => mistake.ply).find((at) => !table.analyses[at]);
    if (ply === undefined) return;
    asking = true;
    let wait = 0;
    try {
      const found = /** @type {any} */ (await app.connection.request("analyse", { room: table.room, ply }));
      if (app.table?.room === table.room) change({ table: withAnalysis(app.table, table.state.moves.slice(0, ply), found) });
    } catch (error) {
      if (error instanceof Refused && error.retryAfterS === undefined) {
        set({ problem: error.message });
        wait = Infinity;
      } else wait = error instanceof Refused ? 1000 * (error.retryAfterS ?? 0) : error instanceof Lost ? AGAIN_MS : Infinity;
    }
    asking = false;
    if (wait < Infinity) later = setTimeout(analyse, wait);
  }

  /**
   * The position that is shown as a table of its own: the user plays the side that made the mistake.
   * @returns {Table | null}
   */
  function table() {
    const { table: real } = app;
    const one = task();
    if (!now || !real || !one) return null;
    const { ply, side } = one.mistake;
    const state = real.positions[ply];
    if (!state) return null;
    const legal = one.state === "open" && now.checked === null ? Object.keys(real.analyses[ply]?.moves ?? {}) : [];
    const place = now.line && now.line.step > 0 ? now.line.places[now.line.step] : null;
    return {
      ...real, at: null, line: null, forward: false, plays: side, previous: null,
      state: {
        ...state, status: "playing", ply, turn: ply, legal_moves: legal, outcome: null, offers: [], next: null, clock: null, to_move: side,
        moves: real.state.moves.slice(0, ply), ...(place ? { ...place, to_move: null } : {}),
      },
    };
  }

  /**
   * The user has played a move.
   * @param {string} typed a move, or its name in the notation of the game
   */
  async function tried(typed) {
    const one = task();
    const game = app.table && gameOf(app, app.table);
    const analysis = one && app.table?.analyses[one.mistake.ply];
    if (!now || !one || !game || !analysis || one.state !== "open" || now.checked !== null) return;
    const move = typed in analysis.moves ? typed : Object.keys(analysis.moves).find((each) => analysis.moves[each].names?.[0] === typed);
    change({ path: [], chosen: null, error: move === undefined ? text.notLegal(typed) : null });
    if (move === undefined) return;
    const { mistake } = one;
    const swing = app.review?.swing ?? 0;
    let worth = worthOf(move, mistake, analysis);
    let judgement = judge(move, mistake, analysis, game, swing);
    if (!judgement.proved && move !== mistake.move && move !== mistake.better?.move) {
      set({ checked: move, tried: null, hint: null, said: text.checks(called(game, worth.names?.[0] ?? move)) });
      const after = await lookAfter(move, mistake.ply);
      if (task() !== one || now.checked !== move) return; // the user has gone on
      if (after?.exact) worth = worthAfter(move, worth, after, mistake.side);
      judgement = judge(move, mistake, analysis, game, swing, worth);
    }
    if (judgement.right) Object.assign(one, { state: "found", answer: { move, judgement, worth } });
    else if (!one.wrong.includes(move)) one.wrong.push(move);
    set({ tried: { move, judgement, worth }, shows: true, checked: null, hint: null, said: "" });
    if (judgement.right) follow(move, worth);
    else if (parts(move, partNames(game)).length > 1) setTimeout(() => now?.tried?.move === move && set({ shows: false }), TRIED_MS);
  }

  /**
   * The analysis of the position after a move, for which the engine takes as long as before for all moves; null if it is
   * not to be had.
   * @param {string} move
   * @param {number} ply
   * @returns {Promise<import("./types.js").Analysis | null>}
   */
  function lookAfter(move, ply) {
    const { game, state, options } = /** @type {Table} */ (app.table);
    const request = { game, setup: options.setup, moves: [...state.moves.slice(0, ply), move] };
    return /** @type {Promise<any>} */ (app.connection.request("analyse", request)).catch(() => null);
  }

  /**
   * Look up the positions that a move and the line after it lead to.
   * @param {string} move
   * @param {import("./types.js").MoveWorth} worth
   */
  async function follow(move, worth) {
    const one = task();
    const { table: real } = app;
    if (!one || !real) return;
    const { ply, side } = one.mistake;
    const line = worth.line.length ? worth.line : [move];
    const moves = [...real.state.moves.slice(0, ply), ...line];
    const answer = await app.connection.request("replay", { game: real.game, moves, setup: real.options.setup }).catch(() => null);
    const game = gameOf(app, real);
    if (answer === null || task() !== one || !game) return; // the move is told all the same
    const places = answer.positions.slice(ply);
    const cells = line.map((each, index) => cellsOf(game, each, places[index].rows, places[index + 1].rows));
    set({ line: { names: lineOf(worth, one.mistake.number, side), places, cells, step: 1 } });
  }

  function show() {
    const one = task();
    const better = one?.mistake.better;
    if (!one || !better) return;
    const answer = { ...better, judgement: null };
    Object.assign(one, { state: "shown", answer });
    change({ path: [], chosen: null, error: null });
    set({ tried: answer, shows: true, checked: null, hint: null, said: "" });
    follow(answer.move, answer.worth);
  }

  /**
   * At first ring the piece that moves or, where one is placed, a few places that nobody has tried, of which one is right; then
   * name the move.
   */
  function hint() {
    const one = task();
    const game = app.table && gameOf(app, app.table);
    const position = table();
    const analysis = one && app.table?.analyses[one.mistake.ply];
    const better = one?.mistake.better;
    if (!one || !game || !position || !better || !analysis) return;
    const { rows, legal_moves } = position.state;
    const nameOf = (/** @type {string} */ move) => analysis.moves[move]?.names?.[0] ?? move;
    one.hints++;
    const cells = new Set((game.cells ?? game.layout).flat());
    const way = parts(better.move, partNames(game));
    const end = endOf(game, rows, better.move, one.mistake.side);
    if (one.hints > 1) return set({ hint: end === null ? [] : [end], said: text.hintWhole(called(game, nameOf(better.move))), tried: null });
    if (way.length > 1 && cells.has(way[0])) return set({ hint: [way[0]], said: text.hintPiece(way[0]), tried: null });
    if (end === null) return set({ hint: [], said: text.hintPass, tried: null });
    const tried = new Set([one.mistake.move, ...one.wrong]);
    const isWrong = (/** @type {string} */ move) => !judge(move, one.mistake, analysis, game, app.review?.swing ?? 0).right;
    const others = legal_moves.filter((move) => !tried.has(move) && parts(move, partNames(game)).length === way.length && isWrong(move));
    const ends = new Map([better.move, ...others].map((move) => [endOf(game, rows, move, one.mistake.side), move]));
    const near = decoys(game, rows, end, [...ends.keys()], one.mistake.ply);
    if (!near.length) return set({ hint: [], said: text.hintOther, tried: null });
    const few = [...ends].filter(([cell]) => cell === end || near.includes(cell ?? "")).map(([, move]) => move);
    const named = few.sort((a, b) => legal_moves.indexOf(a) - legal_moves.indexOf(b)).map((move) => called(game, nameOf(move)));
    set({ hint: [end, ...near], said: text.hintAmong(named.join(", ")), tried: null });
  }

  function next() {
    if (!now) return;
    clearTimeout(playing);
    change({ focus: null, path: [], chosen: null, error: null });
    set({ index: now.index + 1, tried: null, shows: false, checked: null, hint: null, said: "", line: null, problem: null });
    analyse();
    if (task()) requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector('.board [tabindex="0"]'))?.focus({ preventScroll: true }));
  }

  /** @param {boolean} all whether also those that were found */
  function again(all) {
    if (!now) return;
    start(now.room, now.side, now.tasks.filter(({ state }) => all || state !== "found").map(({ mistake }) => mistake));
    analyse();
  }

  function leave() {
    clearTimeout(playing);
    now = null;
    go(`/rooms/${app.room}`);
  }

  /** @param {number} index */
  function jump(index) {
    set({ index: index - 1 });
    next();
    const one = task();
    if (!one?.answer) return;
    set({ tried: one.answer, shows: true });
    follow(one.answer.move, one.answer.worth);
  }

  /** Put the line on the board, one move after the other. */
  function play() {
    const line = now?.line;
    if (!line) return;
    along(line.step < line.names.length ? line.step + 1 : 1);
    const { step } = /** @type {Line} */ (now?.line);
    if (step < line.names.length) playing = setTimeout(play, PLAY_MS);
  }

  /** @param {number} step */
  function along(step) {
    clearTimeout(playing);
    if (now?.line) set({ line: { ...now.line, step: Math.max(0, Math.min(step, now.line.names.length)) } });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const on = { ArrowLeft: -1, ArrowRight: 1, ",": -1, ".": 1 }[event.key];
    if (!on || !now?.line || /** @type {Element} */ (event.target).matches("input")) return;
    event.preventDefault();
    along(now.line.step + on);
  }

  const actions = { hint, show, next, again, leave, along, play, jump };

  function view() {
    const { table: real, review: found } = app;
    const game = real && gameOf(app, real);
    if (now === null || now.room !== app.room || now.side !== wantedSide()) queueMicrotask(ready); // the review, or the room, has just come
    if (now && real && game && now.room === app.room) return practiceView(app, real, game, now, table(), actions);
    const problem = app.error ?? found?.problem;
    const going = found && !found.complete ? ` ${found.moves.size} / ${found.plies}` : "";
    return html`<div class="practice-wait">
      <p role="status">${problem ?? text.wait + going}</p>
      ${problem ? html`<button class="main" @click=${review}>${text.retry}</button>` : nothing} <button @click=${leave}>${text.leave}</button>
    </div>`;
  }

  return { begin, shown, table, tried, view, onKey, title: text.title };
}
