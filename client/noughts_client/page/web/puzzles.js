// Puzzles: one on the board, solved against its proof, which the server has; then its solution, and the next.

import { Lost, Refused } from "./connection.js";
import { STEPS } from "./drag.js";
import { picking } from "./picking.js";
import { nearest } from "./puzzle_record.js";
import { puzzleText as text } from "./puzzles_texts.js";
import { puzzleView } from "./puzzles_view.js";
import { gameOf } from "./looks.js";
import { store, stored } from "./storage.js";
import { lookAt } from "./table.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").State} State
 * @typedef {import("./branch.js").Position} Position
 * @typedef {{rating: number, deviation: number, volatility: number, change?: number}} Standing
 * @typedef {{puzzle: string, rating: number, score?: number}} Listed
 * @typedef {{game: string, count: number, today: string, tried?: number, standing?: Standing}} OfGame
 * @typedef {{day: string, beginner: Standing, games: OfGame[], days: string[], sets: {set: string, title: string, count: number}[]}} List
 * @typedef {{puzzle: string, game: string, setup?: Record<string, string>, start: string, side: "first" | "second", goal: string,
 *            moves: number, rating: number, text: string, score?: number, hinted?: boolean}} Puzzle
 * @typedef {{set: string, title: string, by: {id: string, name: string}, puzzles: Listed[],
 *            solvers?: {player: {id: string, name: string}, scores: (number | null)[]}[]}} PuzzleSet
 * @typedef {"easier" | "mine" | "harder"} Level
 * @typedef {typeof now} Now
 */

/** How long a wrong move stays on the board with its answer, if the user does not go on, and how long after a move the answer comes. */
const WRONG_MS = 3500;
const REPLY_MS = 450;

/** From this deviation on a rating is not provisional any more, as the server has it. */
const PROVISIONAL = 110;

/** By how much easier and harder puzzles are rated. */
const STEP = 200;

/** How many other puzzles of the day are shown. */
const MORE = 3;

/** Where the game of the last puzzle, and the level of the next, are kept. */
const GAME = "noughts.puzzle_game";
const LEVEL = "noughts.puzzle_level";

export let title = text.title;

/** @type {Page} */
let page;
/** Counts what was opened: an answer that comes later belongs to what is left. */
let visit = 0;
/** The query that is shown. @type {string | null} */
let query = null;
/** The puzzles of games, once they were asked for. @type {Map<string, Listed[]>} */
const indexes = new Map();

const now = {
  /** @type {List | null} */
  list: null,
  /** @type {Puzzle | null} */
  puzzle: null,
  /** @type {PuzzleSet | null} */
  set: null,
  /** Other puzzles of the day, with their positions. @type {{puzzle: Puzzle, place: Position}[]} */
  more: [],
  /** @type {import("./looks.js").Drawn | undefined} */
  drawn: undefined,
  /** The moves from the start, and the positions that they lead through. @type {string[]} */
  moves: [],
  /** @type {Position[]} */
  places: [],
  /** How many of the moves are on the board. */
  at: 0,
  forward: false,
  /** @type {"open" | "solved" | "shown"} */
  state: "open",
  /** What was said of the last move or hint. @type {{kind: "right" | "wrong" | "hinted", words: string} | null} */
  said: null,
  /** A wrong move that is still on the board, and the last one, whose place stays marked. @type {string | null} */
  wrong: null,
  /** @type {string | null} */
  refused: null,
  /** The ply at which a wrong move was played that is shown with its answer. @type {number | null} */
  refuting: null,
  hints: 0,
  /** The moves that the hint names. @type {string[]} */
  named: [],
  /** The score of this try, and how the rating has changed by it. @type {number | null} */
  score: null,
  /** @type {number | null} */
  change: null,
  /** @type {{line: string[], others: {move: string, name: string, text: string}[]} | null} */
  proof: null,
  turned: false,
  /** @type {Level} */
  level: "mine",
  /** Why there is nothing to show. @type {string | null} */
  problem: null,
  /** What was asked of the server and has not come. @type {"hint" | "answer" | null} */
  asked: null,
  /** The form for a set. @type {{problem: string | null, sending: boolean}} */
  form: { problem: null, sending: false },
};

/** @type {import("./picking.js").Picked} */
const picked = { path: [], chosen: null, pending: null, focus: null, error: null };

const info = () => (now.puzzle ? gameOf(page.app, { game: now.puzzle.game, drawn: now.drawn }) : undefined);
const standsStill = () => now.state === "open" && now.at === now.places.length - 1 && now.wrong === null && now.refuting === null;

const picks = picking(picked, {
  game: info,
  position: () => {
    const place = standsStill() ? now.places[now.at] : null;
    return place ? { legal_moves: place.legal_moves, to_move: place.to_move } : null;
  },
  change: (changes) => {
    Object.assign(picked, changes);
    draw();
  },
  play: tryMove,
});

function draw() {
  page.app.actions.redraw();
}

/** @param {Partial<Now>} changes */
function set(changes) {
  Object.assign(now, changes);
  draw();
}

// what is opened

/** The address has changed, or the connection is there again. @param {Page} from */
export async function enter(from) {
  page = from;
  const { app } = page;
  if (app.view !== "puzzles" || !app.games.size || !app.connection.welcomed) return;
  if (query === location.search && now.puzzle && !now.problem) return;
  query = location.search;
  const visited = ++visit;
  const asked = new URLSearchParams(query);
  try {
    const list = await request("puzzles", {});
    const of = asked.get("set");
    const puzzleSet = of === null ? null : await request("puzzle_set", { set: of });
    if (visited !== visit) return;
    const level = /** @type {Level} */ (stored(LEVEL) ?? "mine");
    Object.assign(now, { list: { ...list, games: list.games.filter((/** @type {OfGame} */ { game }) => app.games.has(game)) }, set: puzzleSet, level, problem: null });
    const id = asked.get("puzzle") ?? (puzzleSet ? (freshIn(puzzleSet) ?? puzzleSet.puzzles[0])?.puzzle : await chosen(asked.get("game")));
    if (visited !== visit) return;
    if (!id) return set({ puzzle: null, problem: puzzleSet ? text.gone : text.none });
    await open(id, visited);
    if (!puzzleSet) loadMore(visited);
  } catch (error) {
    if (visited === visit) failed(error);
  }
}

/** @param {unknown} error */
function failed(error) {
  query = null;
  if (error instanceof Lost) return; // a new connection asks again
  if (!(error instanceof Refused)) throw error;
  set({ problem: error.message, puzzle: null });
}

/**
 * The puzzle to begin with: the next of a game that was asked for, or else today's.
 * @param {string | null} game
 */
async function chosen(game) {
  if (game !== null) return (await nextOf(game))?.puzzle ?? null;
  const games = now.list?.games ?? [];
  const last = stored(GAME);
  return (games.find((one) => one.game === last) ?? games.find((one) => one.game === "connect4") ?? games[0])?.today ?? null;
}

/**
 * @param {string} id
 * @param {number} visited
 */
async function open(id, visited) {
  const puzzle = /** @type {Puzzle} */ (await request("puzzle", { puzzle: id }));
  const { place, drawn } = await positions(puzzle, []).then(({ places, drawn: found }) => ({ place: places[0], drawn: found }));
  if (visited !== visit) return;
  Object.assign(picked, { path: [], chosen: null, pending: null, focus: null, error: null });
  store(GAME, puzzle.game);
  title = page.app.games.get(puzzle.game)?.title ?? text.title;
  set({ puzzle, drawn, moves: [], places: [place], at: 0, forward: false, state: "open", said: null, wrong: null, refused: null, refuting: null, hints: 0, asked: null, named: [], score: null, change: null, proof: null, turned: false });
  for (const scrolled of [window, document.querySelector(".puzzle .parts")]) scrolled?.scrollTo(0, 0);
}

/**
 * The positions after moves of a puzzle.
 * @param {Puzzle} puzzle
 * @param {string[]} moves
 * @param {number} [since]
 * @returns {Promise<{places: Position[], drawn: import("./looks.js").Drawn | undefined}>}
 */
async function positions({ game, setup, start }, moves, since = 0) {
  const answer = await request("replay", { game, setup: setup ?? {}, start, moves, since, legal: true });
  return { places: answer.positions, drawn: answer.layout && { layout: answer.layout, board: answer.board } };
}

/** @param {number} visited */
async function loadMore(visited) {
  const others = (now.list?.games ?? []).filter(({ game, today }) => game !== now.puzzle?.game && scoreOf(today) === null);
  const known = others.sort((one, other) => Number(standingOf(other.game) !== null) - Number(standingOf(one.game) !== null)).slice(0, MORE);
  const more = await Promise.all(known.map(async ({ today }) => {
    const puzzle = /** @type {Puzzle} */ (await request("puzzle", { puzzle: today }));
    const { places } = await positions(puzzle, []);
    return { puzzle, place: places[0] };
  })).catch(() => []);
  if (visited === visit) set({ more });
}

/**
 * A request that is sent again when the server is busy.
 * @param {string} type
 * @param {Record<string, unknown>} fields
 * @returns {Promise<any>}
 */
async function request(type, fields) {
  for (let left = 3; ; left--) {
    try {
      return await page.app.connection.request(type, fields);
    } catch (error) {
      if (!(error instanceof Refused) || error.retryAfterS === undefined || !left) throw error;
      const { retryAfterS } = error;
      await new Promise((resolve) => setTimeout(resolve, retryAfterS * 1000));
    }
  }
}

// what the player has solved

function isGuest() {
  return !page.app.me?.registered;
}

/**
 * The score of a puzzle, null if it was not tried.
 * @param {string} id
 * @returns {number | null}
 */
function scoreOf(id) {
  const listed = [...(indexes.get(id.split("/")[0]) ?? []), ...(now.set?.puzzles ?? [])].find(({ puzzle, score }) => puzzle === id && score !== undefined);
  return listed?.score ?? (now.puzzle?.puzzle === id ? now.puzzle.score ?? null : null);
}

/**
 * The player's rating in a game, null before the first puzzle.
 * @param {string} game
 * @returns {Standing | null}
 */
function standingOf(game) {
  return now.list?.games.find((one) => one.game === game)?.standing ?? null;
}

/**
 * Whether a rating is hardly known yet: then its leaps say nothing.
 * @param {Standing} standing
 */
function isUncertain({ deviation }) {
  return deviation > PROVISIONAL;
}

/** @param {string} game */
function triedIn(game) {
  return now.list?.games.find((one) => one.game === game)?.tried ?? 0;
}

function days() {
  return now.list?.days ?? [];
}

/**
 * Take in the score of a first try.
 * @param {Puzzle} puzzle
 * @param {{score?: number, standing?: Standing}} answer
 */
function scored(puzzle, { score, standing }) {
  const { list } = now;
  if (score === undefined || !standing || !list) return;
  now.score = score;
  now.change = isUncertain(standing) ? null : standing.change ?? null;
  puzzle.score = score;
  const listed = [...(indexes.get(puzzle.game) ?? []), ...(now.set?.puzzles ?? [])].filter((each) => each.puzzle === puzzle.puzzle);
  for (const each of listed) each.score = score;
  const games = list.games.map((one) => (one.game === puzzle.game ? { ...one, standing, tried: (one.tried ?? 0) + 1 } : one));
  now.list = { ...list, games, days: score && list.days[0] !== list.day ? [list.day, ...list.days] : list.days };
}

// solving

/** @param {string} move */
async function tryMove(move) {
  const { puzzle, moves } = now;
  if (!puzzle || !standsStill() || picked.pending !== null) return;
  const visited = visit;
  Object.assign(picked, { path: [], chosen: null, pending: move, error: null });
  set({ said: null, named: [], refused: null });
  try {
    if (!now.places[now.at].legal_moves.includes(move)) return await readMove(visited, puzzle, move);
    const answer = await request("puzzle_move", { puzzle: puzzle.puzzle, moves, move, set: now.set?.set });
    if (visited !== visit) return;
    scored(puzzle, answer);
    if (!answer.kept) return await wrongMove(visited, puzzle, move, answer);
    const line = [...moves, move, ...answer.replies];
    const { places } = await positions(puzzle, line, moves.length + 1);
    if (visited !== visit) return;
    picked.pending = null;
    set({ moves: line, places: [...now.places, ...places], said: { kind: "right", words: answer.text }, hints: 0 });
    await show(visited, now.at + 1);
    if (answer.solved && visited === visit) finish("solved");
  } catch (error) {
    if (visited !== visit) return;
    picked.pending = null;
    set({ said: { kind: "wrong", words: page.wordsOf(error) } });
  }
}

/**
 * Try what was typed if the server reads a move in it, such as "Kb4".
 * @param {number} visited
 * @param {Puzzle} puzzle
 * @param {string} typed
 */
async function readMove(visited, puzzle, typed) {
  const read = await positions(puzzle, [...now.moves, typed], now.moves.length + 1).catch((error) => {
    if (error instanceof Refused) return null;
    throw error;
  });
  if (visited !== visit) return;
  Object.assign(picked, { pending: null, error: read ? null : text.notLegal(typed) });
  draw();
  const move = read?.places[0].move;
  if (move) await tryMove(move);
}

/**
 * Show a wrong move and the answer to it for a while.
 * @param {number} visited
 * @param {Puzzle} puzzle
 * @param {string} move
 * @param {{kept: boolean | null, text: string, replies: string[]}} answer
 */
async function wrongMove(visited, puzzle, move, { kept, text: words, replies }) {
  const { moves, places } = now;
  picked.pending = null;
  set({ wrong: move, refused: kept === null ? null : move, said: { kind: "wrong", words } });
  if (replies.length) {
    const after = await positions(puzzle, [...moves, move, ...replies], moves.length + 1);
    if (visited !== visit) return;
    set({ moves: [...moves, move, ...replies], places: [...places, ...after.places], wrong: null, refuting: places.length - 1 });
    await show(visited, places.length);
  }
  await seen();
  if (visited !== visit || now.state !== "open") return;
  set({ moves, places, at: places.length - 1, forward: false, wrong: null, refuting: null });
}

/** Wait until a wrong move has been seen, or the user taps or presses a key. */
function seen() {
  const over = new AbortController();
  return new Promise((resolve) => {
    over.signal.addEventListener("abort", resolve);
    for (const type of ["click", "keydown"]) document.addEventListener(type, () => over.abort(), { signal: over.signal });
    setTimeout(() => over.abort(), WRONG_MS);
  });
}

/**
 * Put the moves that are known on the board, one after the other.
 * @param {number} visited
 * @param {number} at
 */
async function show(visited, at) {
  for (let ply = at; ply < now.places.length; ply++) {
    if (ply > at) await new Promise((resolve) => setTimeout(resolve, REPLY_MS));
    if (visited !== visit || now.at !== ply - 1) return; // the user looks elsewhere
    const by = now.places[ply - 1].to_move;
    if (by && by !== now.puzzle?.side) page.app.actions.announce(text.replied(/** @type {GameInfo} */ (info()).sides[by].name, nameAt(ply)));
    set({ at: ply, forward: true });
  }
}

/** @param {number} ply */
function nameAt(ply) {
  return now.places[ply].name ?? now.moves[ply - 1];
}

/**
 * The puzzle is over: have its proof.
 * @param {"solved" | "shown"} state
 */
async function finish(state) {
  const { puzzle } = now;
  const visited = visit;
  if (!puzzle) return;
  set(state === "solved" ? { state, named: [] } : { asked: "answer" });
  try {
    const proof = await request("puzzle_proof", { puzzle: puzzle.puzzle, set: now.set?.set });
    if (visited !== visit) return;
    scored(puzzle, proof);
    if (state === "solved") return set({ proof });
    const { places } = await positions(puzzle, proof.line);
    if (visited !== visit) return;
    set({ asked: null, proof, state, moves: proof.line, places, at: 0, forward: false, wrong: null, refused: null, refuting: null, said: null, named: [] });
    await new Promise((resolve) => setTimeout(resolve, REPLY_MS));
    await show(visited, 1);
  } catch (error) {
    if (visited === visit) set({ asked: null, said: { kind: "wrong", words: page.wordsOf(error) } });
  }
}

async function hint() {
  const { puzzle, moves } = now;
  if (!puzzle || !standsStill()) return;
  const visited = visit;
  const number = Math.min(now.hints + 1, 2);
  set({ asked: "hint" });
  try {
    const answer = await request("puzzle_hint", { puzzle: puzzle.puzzle, moves, number }).finally(() => (now.asked = null));
    if (visited !== visit || moves !== now.moves) return;
    puzzle.hinted = true;
    set({ hints: number, refused: null, named: answer.moves, said: { kind: "hinted", words: answer.text } });
  } catch (error) {
    if (visited === visit) set({ said: { kind: "wrong", words: page.wordsOf(error) } });
  }
}

/** Try the same puzzle again from its start, which changes no rating. */
function again() {
  visit++;
  Object.assign(picked, { path: [], chosen: null, pending: null, error: null });
  set({ moves: [], places: now.places.slice(0, 1), at: 0, forward: false, state: "open", said: null, wrong: null, refused: null, refuting: null, hints: 0, asked: null, named: [], change: null });
}

// the next

/**
 * The puzzles of a game.
 * @param {string} game
 * @returns {Promise<Listed[]>}
 */
async function index(game) {
  const known = indexes.get(game);
  if (known) return known;
  const { puzzles } = await request("puzzles", { game });
  indexes.set(game, puzzles);
  return puzzles;
}

/** @param {string} game */
async function nextOf(game) {
  const all = await index(game);
  const by = { easier: -STEP, mine: 0, harder: STEP }[now.level];
  const rating = (standingOf(game) ?? now.list?.beginner)?.rating ?? 0;
  return nearest(all, rating + by, (id) => scoreOf(id) !== null || id === now.puzzle?.puzzle);
}

/** @param {PuzzleSet} puzzleSet */
function freshIn(puzzleSet) {
  return puzzleSet.puzzles.find(({ puzzle, score }) => score === undefined);
}

/** @param {string} [game] */
async function next(game = now.puzzle?.game ?? "") {
  const { set: puzzleSet } = now;
  const fresh = puzzleSet ? freshIn(puzzleSet) : undefined;
  if (puzzleSet) return fresh && page.go(`/puzzles?set=${puzzleSet.set}&puzzle=${fresh.puzzle}`);
  try {
    const found = await nextOf(game);
    if (found) page.go(`/puzzles?puzzle=${found.puzzle}`);
    else set({ said: { kind: "hinted", words: text.none } });
  } catch (error) {
    failed(error);
  }
}

// sets

/** @param {SubmitEvent} event */
async function makeSet(event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const [from, to, count] = ["from", "to", "count"].map((name) => Number(form.get(name)));
  set({ form: { problem: null, sending: true } });
  let problem = null;
  try {
    const all = (await index(String(form.get("game")))).filter(({ rating }) => rating >= from && rating <= to);
    // evenly from the easiest to the hardest
    const some = all.length <= count ? all : Array.from({ length: count }, (_, each) => all[Math.floor((each * all.length) / count)]);
    if (!some.length) problem = text.noneSo;
    else {
      const made = await request("make_puzzle_set", { title: String(form.get("title")).trim(), puzzles: some.map(({ puzzle }) => puzzle) });
      page.go(`/puzzles?set=${made.set}`);
    }
  } catch (error) {
    problem = page.wordsOf(error);
  }
  set({ form: { problem, sending: false } });
}

async function removeSet() {
  if (!now.set) return;
  try {
    await request("puzzle_set", { set: now.set.set, delete: true });
    page.go("/puzzles");
  } catch (error) {
    set({ form: { problem: page.wordsOf(error), sending: false } });
  }
}

async function reloadSet() {
  if (now.set) set({ set: await request("puzzle_set", { set: now.set.set }).catch(() => now.set) });
}

// what is shown

/**
 * The board as the panels of a room know it.
 * @param {Puzzle} puzzle
 * @returns {Table}
 */
function table(puzzle) {
  const seats = { first: null, second: null };
  const shown = now.places.slice(0, now.state === "open" ? now.at + 1 : undefined);
  const moves = now.moves.slice(0, shown.length - 1);
  const names = shown.slice(1).map((place, ply) => place.name ?? moves[ply]);
  const states = shown.map((place, ply) => /** @type {State} */ ({
    ...place, status: place.outcome ? "over" : "playing", turn: ply, ply, moves, names, seats, clock: null, offers: [], next: null,
  }));
  /** @type {Table} */
  const whole = {
    room: "", game: puzzle.game, options: { private: false, rated: false, clock: null, setup: puzzle.setup ?? {} }, version: 0,
    state: states[states.length - 1], spectators: 0, previous: null, positions: states, analyses: [], at: null, forward: false, notes: null, drawn: now.drawn,
  };
  return { ...lookAt(whole, now.at), forward: now.forward };
}

/** @param {number} ply */
function along(ply) {
  if (now.state === "open" || ply < 0 || ply >= now.places.length) return;
  set({ at: ply, forward: ply > now.at });
  page.app.actions.announce(ply ? nameAt(ply) : "");
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!page || page.app.view !== "puzzles" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && (picked.path.length || picked.chosen)) return picks.unpick();
  if (target.matches("[data-cell]") && now.state === "open" && /^[a-z0-9]$/i.test(event.key)) return document.getElementById("typed")?.focus();
  if (target.matches("input, select, textarea, summary") || (target.matches("[data-cell]") && !target.matches(STEPS))) return;
  const to = { ArrowLeft: now.at - 1, ArrowRight: now.at + 1, Home: 0, End: now.places.length - 1 }[event.key];
  if (to === undefined || now.state === "open") return;
  event.preventDefault();
  along(to);
});

/** @param {Level} level */
function setLevel(level) {
  store(LEVEL, level);
  set({ level });
}

export const actions = {
  hint, next, again, along, makeSet, removeSet, reloadSet, setLevel, picks,
  answer: () => finish("shown"),
  flip: () => set({ turned: !now.turned }),
  focusOn: (/** @type {string} */ name) => {
    picked.focus = name;
    draw();
  },
  scoreOf, standingOf, isUncertain, triedIn, days, isGuest,
};

/** @param {App} app */
export function view(app) {
  const { puzzle } = now;
  const game = page && info();
  return puzzleView(app, now, picked, game && puzzle ? { game, puzzle, table: table(puzzle) } : null, actions);
}
