// The lecture: what is searched, the traces of it, and where in them the reader is.

import { Lost, Refused } from "./connection.js";
import { answered, asking, unscored } from "./lecture_predict.js";
import { forget } from "./lecture_tree.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./lecture_layout.js").Trace} Trace
 * @typedef {import("./lecture_layout.js").Search} Search
 */

/** @type {Search[]} */
export const SEARCHES = ["minimax", "alphabeta", "ordered", "table", "mcts"];
const FIGURE = "3,12,8/2,4,6/14,5,2";

/** What a lecture begins with in a game: the moves, and how deep it is searched. Elsewhere the start, and two plies. */
const BEGINNINGS = new Map([["tictactoe", { moves: "1,2,3,5,9", depth: "" }]]);

/** The game of playouts when a tree of leaves was shown, which has none. */
const SAMPLED = "tictactoe";

/** How many playouts a lecture has unless it is told. */
export const PLAYOUTS = 30;

export const state = {
  subject: "tree",
  tree: FIGURE,
  /** The text of the position in which the moves begin, empty for the game's start. */
  start: "",
  moves: "",
  depth: "",
  playouts: "",
  seed: "",
  /** @type {Search[]} */
  searches: ["alphabeta"],
  /** Whether searches stand side by side. */
  several: false,
  /** Whether the form is open. */
  editing: false,
  strict: false,
  present: false,
  /** Whether the reader is asked before each cut. */
  predicting: false,
  score: unscored(),
  /** @type {Trace[]} */
  traces: [],
  /** Of a game: the same by minimax, which tells what the others have saved. @type {Trace | null} */
  plain: null,
  step: 0,
  playing: false,
  speed: 1,
  loading: 0,
  /** For which address all traces are here. @type {string | null} */
  loaded: null,
  /** @type {string | null} */
  error: null,
};

/** @type {App | null} */
let app = null;
let draw = () => {};
/** @type {number | undefined} */
let timer;

/**
 * The lecture is shown from now on: ask for what the address says. After a lost connection nothing changes.
 * @param {App} theApp
 * @param {() => void} theDraw
 */
export function enterLecture(theApp, theDraw) {
  app = theApp;
  draw = theDraw;
  readAddress();
  if (state.loaded === location.search) draw();
  else load();
}

/** Something else is shown from now on. */
export function leaveLecture() {
  pause();
  app = null;
  Object.assign(state, { loaded: null, traces: [] });
  forget();
}

function readAddress() {
  const asked = new URLSearchParams(location.search);
  const searches = (asked.get("search") ?? "").split(",");
  state.subject = asked.get("game") ?? "tree";
  state.tree = asked.get("tree") ?? FIGURE;
  for (const name of /** @type {const} */ (["start", "moves", "depth", "playouts", "seed"])) state[name] = asked.get(name) ?? "";
  want(searches);
  state.several = state.searches.length > 1;
  state.strict = asked.get("cut") === "strict";
  state.present = asked.has("present");
  state.predicting = asked.has("predict");
}

/**
 * Choose the searches. Playouts need a game.
 * @param {unknown[]} wanted
 */
function want(wanted) {
  state.searches = SEARCHES.filter((search) => wanted.includes(search));
  if (!state.searches.length) state.searches = ["alphabeta"];
  if (state.searches.includes("mcts") && state.subject === "tree") begin(SAMPLED);
}

/** @param {string} subject */
function begin(subject) {
  const beginning = BEGINNINGS.get(subject);
  const depth = beginning || subject === "tree" ? "" : "2";
  Object.assign(state, { subject, start: "", moves: beginning?.moves ?? "", depth });
  if (subject === "tree" && state.searches.includes("mcts")) want(state.searches.filter((search) => search !== "mcts"));
}

/** The address holds the whole lecture, so that it can be shared. */
function writeAddress() {
  const fields = [
    state.subject === "tree" ? ["tree", state.tree] : ["game", state.subject],
    ...(state.subject === "tree" ? [] : /** @type {const} */ (["start", "moves", "playouts", "seed"])).map((name) => (state[name] ? [name, state[name]] : null)),
    state.depth ? ["depth", state.depth] : null,
    ["search", state.searches.join(",")],
    state.strict ? ["cut", "strict"] : null,
  ].filter((field) => field !== null);
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%(2C|2F|28|29|3D)/g, decodeURIComponent)}`);
  if (state.present) query.push("present");
  if (state.predicting) query.push("predict");
  const address = `/lecture?${query.join("&")}`;
  if (address !== location.pathname + location.search) history.replaceState(null, "", address);
}

/** Ask for the traces, one after the other: the server makes one at a time. */
async function load() {
  if (!app) return;
  pause();
  const number = ++state.loading;
  Object.assign(state, { error: null, step: 0, loaded: null, plain: null, score: unscored() });
  draw();
  /** @type {Trace[]} */
  const traces = [];
  for (const search of state.searches) {
    const trace = await ask(search, number);
    if (trace === null || number !== state.loading) return;
    traces.push(trace);
    state.traces = [...traces];
    draw();
  }
  state.loaded = location.search;
  // how large a game's tree is without cuts, minimax alone knows; a tree of leaves is all here
  if (state.subject === "tree" || state.searches.every((search) => search === "minimax" || search === "mcts") || state.searches.includes("minimax")) return;
  const plain = await ask("minimax", number);
  if (plain === null || number !== state.loading) return;
  state.plain = plain;
  draw();
}

/**
 * The trace of a search; null if something is wrong with the request, or if another has begun since.
 * @param {Search} search
 * @param {number} number
 * @returns {Promise<Trace | null>}
 */
async function ask(search, number) {
  const { subject, tree, depth, strict } = state;
  const start = state.start ? { start: state.start } : {};
  const what = subject === "tree" ? { tree } : { game: subject, ...start, moves: movesOf(state.moves) };
  const fields = { ...what, search, strict, ...(depth ? { depth: Number(depth) } : {}) };
  while (app && number === state.loading) {
    try {
      if (search !== "mcts") return /** @type {any} */ (await app.connection.request("trace", fields));
      const playouts = Math.min(200, Math.max(1, Number(state.playouts) || PLAYOUTS));
      const found = /** @type {any} */ (await app.connection.request("playouts", { ...what, playouts, seed: Number(state.seed) || 0 }));
      const { nodes, steps } = found;
      return { ...found, search, strict, depth: null, value: null, visited: nodes.length, ends: found.playouts, total: steps.length };
    } catch (error) {
      if (error instanceof Lost) return null; // it is asked again with the next connection
      if (!(error instanceof Refused)) throw error;
      if (error.code !== "rate_limited" || error.retryAfterS === undefined) {
        Object.assign(state, { error: error.message, traces: [], editing: true });
        draw();
        pointAt(error.message);
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, /** @type {number} */ (error.retryAfterS) * 1000));
    }
  }
  return null;
}

/**
 * Select the character of the tree that is wrong.
 * @param {string} message
 */
function pointAt(message) {
  const at = Number(/character (\d+)/.exec(message)?.[1]);
  requestAnimationFrame(() => {
    const input = /** @type {HTMLInputElement | null} */ (document.querySelector(".lecture input[name=tree]"));
    if (!at || !input) return;
    input.focus();
    input.setSelectionRange(at - 1, at);
  });
}

/**
 * The moves in a text, separated by commas or blanks, or by nothing if they are all digits.
 * @param {string} moves
 */
function movesOf(moves) {
  const words = moves.split(/[\s,]+/).filter(Boolean);
  const short = app?.games.get(state.subject)?.layout.flat().every((name) => name.length === 1);
  return short ? words.flatMap((word) => [...word]) : words;
}

// steps

export const last = () => Math.max(0, ...state.traces.map((trace) => trace.steps.length));

/** @param {number} to */
export function go(to) {
  state.step = Math.max(0, Math.min(last(), to));
  if (state.step === last()) pause();
  draw();
  requestAnimationFrame(follow);
}

/** Bring the node where the search is into view, where the tree is larger than its frame. */
function follow() {
  for (const frame of document.querySelectorAll(".lecture .frame")) {
    const now = frame.querySelector(".edge.chosen") ?? frame.querySelector(".node.now"); // in the end the move that is best
    if (!now || (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight)) continue;
    const [inner, outer] = [now.getBoundingClientRect(), frame.getBoundingClientRect()];
    const out = (/** @type {"left" | "top"} */ near, /** @type {"right" | "bottom"} */ far) =>
      inner[near] < outer[near] + 40 || inner[far] > outer[far] - 40 ? (inner[near] + inner[far] - outer[near] - outer[far]) / 2 : 0;
    frame.scrollBy({ left: out("left", "right"), top: out("top", "bottom") });
  }
}

export function pause() {
  clearInterval(timer);
  state.playing = false;
}

export function play() {
  if (state.playing) {
    pause();
    return draw();
  }
  if (state.step === last()) state.step = 0;
  state.playing = true;
  run();
  draw();
}

function run() {
  clearInterval(timer);
  timer = window.setInterval(forward, 1000 / state.speed);
}

/** The trace that waits for an answer; -1 if none does. */
export const waiting = () => (state.predicting ? asking(state.traces, state.step, state.score) : -1);

/** A step on, unless an answer is waited for. */
export function forward() {
  if (waiting() < 0) go(state.step + 1);
}

/** @param {boolean} cut what the reader predicts */
export function predict(cut) {
  const index = waiting();
  if (index < 0) return;
  state.score = answered(state.traces, index, state.step, state.score, cut);
  draw();
}

export function togglePredicting() {
  Object.assign(state, { predicting: !state.predicting, score: unscored() });
  addressed();
}

/** Ask everything once more, from the first step. */
export function predictAgain() {
  state.score = unscored();
  pause();
  go(0);
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!app || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target.matches("textarea, select, input:not([type=range]):not([type=checkbox])")) return;
  if (event.key === " " && target.matches("button, summary, input")) return; // that is how these are used
  const answer = waiting() < 0 ? undefined : { c: true, s: false }[event.key.toLowerCase()];
  if (answer !== undefined) return predict(answer);
  // a presenter's remote control has the keys for pages
  const key = (state.present && { PageUp: "ArrowLeft", PageDown: "ArrowRight" }[event.key]) || event.key;
  const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 0, End: last() }[key];
  if (to === undefined && event.key !== " ") return;
  event.preventDefault();
  if (to === undefined) return play();
  pause();
  if (key === "ArrowRight") forward();
  else go(to);
});
// the form

/** @param {Event} event */
export function choose(event) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.name === "subject") begin(field.value);
  else if (field.name === "cut") state.strict = field.value === "strict";
  else return; // texts count when they are sent
  writeAddress();
  load();
}

/**
 * Another search, or side by side one more or one less.
 * @param {Search} search
 */
export function chooseSearch(search) {
  const { searches, several } = state;
  if (!several) want([search]);
  else if (!searches.includes(search)) want([...searches, search]);
  else if (searches.length > 1) want(searches.filter((each) => each !== search));
  writeAddress();
  load();
}

/** Searches side by side, of a tree the three that courses compare, or one alone. */
export function toggleSeveral() {
  const { several, searches } = state;
  state.several = !several;
  if (several) want([searches.find((search) => search !== "minimax")]);
  else want(searches.includes("mcts") ? ["minimax", "mcts"] : ["minimax", "alphabeta", "ordered"]);
  writeAddress();
  load();
}

export function toggleEditing() {
  state.editing = !state.editing;
  draw();
}

/** @param {SubmitEvent} event */
export function submit(event) {
  event.preventDefault();
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
  for (const name of /** @type {const} */ (["tree", "start", "moves", "depth", "playouts", "seed"])) state[name] = String(data.get(name) ?? state[name]).trim();
  writeAddress();
  load();
}

/** @param {string} tree */
export function example(tree) {
  Object.assign(state, { tree, subject: "tree", depth: "" });
  writeAddress();
  load();
}

export function togglePresent() {
  state.present = !state.present;
  addressed();
}

/** The address says how the same lecture is shown now. */
function addressed() {
  writeAddress();
  if (state.loaded !== null) state.loaded = location.search;
  draw();
}

/** @param {number} speed in steps a second */
export function setSpeed(speed) {
  state.speed = speed;
  if (state.playing) run();
}
