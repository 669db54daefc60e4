// The lecture: searches of a tree or a position next to each other, step by step.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board } from "./board.js";
import { Lost, Refused } from "./connection.js";
import { rowsOf, treeView, words } from "./lecture_tree.js";
import { lecture as text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./lecture_tree.js").Trace} Trace
 * @typedef {"minimax" | "alphabeta" | "ordered" | "table"} Search
 */

/** @type {Search[]} */
const SEARCHES = ["minimax", "alphabeta", "ordered", "table"];
const FIGURE = "3,12,8/2,4,6/14,5,2";
const SPEEDS = [0.5, 1, 2, 4, 10];

/** The subject of a lecture when a game is chosen: its moves, and how deep it is searched. */
const BEGINNINGS = new Map([["tictactoe", { moves: "1,2,3,5,9", depth: "" }]]);

const state = {
  subject: "tree",
  tree: FIGURE,
  moves: "",
  depth: "",
  /** @type {Search[]} */
  searches: ["alphabeta"],
  strict: false,
  present: false,
  /** @type {Trace[]} */
  traces: [],
  step: 0,
  playing: false,
  speed: 1,
  loading: 0,
  /** @type {string | null} */
  error: null,
};

/** @type {App | null} */
let app = null;
let draw = () => {};
/** @type {number | undefined} */
let timer;

/**
 * The lecture is shown from now on: ask for what the address says.
 * @param {App} theApp
 * @param {() => void} theDraw
 */
export function enterLecture(theApp, theDraw) {
  app = theApp;
  draw = theDraw;
  readAddress();
  load();
}

/** Something else is shown from now on. */
export function leaveLecture() {
  pause();
  app = null;
}

function readAddress() {
  const asked = new URLSearchParams(location.search);
  const searches = (asked.get("search") ?? "").split(",");
  state.subject = asked.get("game") ?? "tree";
  state.tree = asked.get("tree") ?? FIGURE;
  state.moves = asked.get("moves") ?? "";
  state.depth = asked.get("depth") ?? "";
  state.searches = SEARCHES.filter((search) => searches.includes(search));
  if (!state.searches.length) state.searches = ["alphabeta"];
  state.strict = asked.get("cut") === "strict";
  state.present = asked.has("present");
}

/** The address holds the whole lecture, so that it can be shared. */
function writeAddress() {
  const fields = [
    state.subject === "tree" ? ["tree", state.tree] : ["game", state.subject],
    state.subject !== "tree" && state.moves ? ["moves", state.moves] : null,
    state.depth ? ["depth", state.depth] : null,
    ["search", state.searches.join(",")],
    state.strict ? ["cut", "strict"] : null,
  ].filter((field) => field !== null);
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%(2C|2F|28|29|3D)/g, decodeURIComponent)}`);
  if (state.present) query.push("present");
  const address = `/lecture?${query.join("&")}`;
  if (address !== location.pathname + location.search) history.replaceState(null, "", address);
}

/** Ask for the traces, one after the other: the server makes one at a time. */
async function load() {
  if (!app) return;
  pause();
  const number = ++state.loading;
  Object.assign(state, { error: null, step: 0 });
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
}

/**
 * The trace of a search; null if something is wrong with the request, or if another has begun since.
 * @param {Search} search
 * @param {number} number
 * @returns {Promise<Trace | null>}
 */
async function ask(search, number) {
  const { subject, tree, depth, strict } = state;
  const what = subject === "tree" ? { tree } : { game: subject, moves: movesOf(state.moves) };
  const fields = { ...what, search, strict, ...(depth ? { depth: Number(depth) } : {}) };
  while (app && number === state.loading) {
    try {
      return /** @type {any} */ (await app.connection.request("trace", fields));
    } catch (error) {
      if (error instanceof Lost) return null; // it is asked again with the next connection
      if (!(error instanceof Refused)) throw error;
      if (error.code !== "rate_limited" || error.retryAfterS === undefined) {
        Object.assign(state, { error: error.message, traces: [] });
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
  const input = /** @type {HTMLInputElement | null} */ (document.querySelector(".lecture input[name=tree]"));
  if (!at || !input) return;
  input.focus();
  input.setSelectionRange(at - 1, at);
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

const last = () => Math.max(0, ...state.traces.map((trace) => trace.steps.length));

/** @param {number} to */
function go(to) {
  state.step = Math.max(0, Math.min(last(), to));
  if (state.step === last()) pause();
  draw();
  requestAnimationFrame(follow);
}

/** Bring the node where the search is into view, where the tree is larger than its frame. */
function follow() {
  for (const frame of document.querySelectorAll(".lecture .frame")) {
    const now = frame.querySelector(".node.now");
    if (!now || frame.scrollWidth <= frame.clientWidth) continue;
    const [inner, outer] = [now.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (inner.left < outer.left + 40 || inner.right > outer.right - 40) {
      frame.scrollBy({ left: (inner.left + inner.right - outer.left - outer.right) / 2 });
    }
  }
}

function pause() {
  clearInterval(timer);
  state.playing = false;
}

function play() {
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
  timer = window.setInterval(() => go(state.step + 1), 1000 / state.speed);
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!app || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target.matches("textarea, select, input:not([type=range]):not([type=checkbox])")) return;
  if (event.key === " " && target.matches("button, summary, input, a")) return; // that is how these are used
  const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 0, End: last() }[event.key];
  if (to === undefined && event.key !== " ") return;
  event.preventDefault();
  if (to === undefined) return play();
  pause();
  go(to);
});
addEventListener("resize", () => app && draw());

// the form

/** @param {Event} event */
function choose(event) {
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const field = /** @type {HTMLInputElement} */ (event.target);
  const data = new FormData(form);
  if (field.name === "subject") {
    const beginning = BEGINNINGS.get(field.value);
    Object.assign(state, { subject: field.value, moves: beginning?.moves ?? "", depth: beginning || field.value === "tree" ? "" : "2" });
  } else if (field.name === "search") {
    const searches = data.getAll("search");
    state.searches = SEARCHES.filter((search) => searches.includes(search));
    if (!state.searches.length) state.searches = ["alphabeta"];
  } else if (field.name === "cut") state.strict = field.value === "strict";
  else return; // texts count when they are sent
  writeAddress();
  load();
}

/** @param {SubmitEvent} event */
function submit(event) {
  event.preventDefault();
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
  for (const name of /** @type {const} */ (["tree", "moves", "depth"])) state[name] = String(data.get(name) ?? state[name]).trim();
  writeAddress();
  load();
}

/** @param {string} tree */
function example(tree) {
  Object.assign(state, { tree, subject: "tree", depth: "" });
  writeAddress();
  load();
}

function togglePresent() {
  state.present = !state.present;
  writeAddress();
  draw();
}

// the view

/** @param {App} theApp */
export function lectureView(theApp) {
  return html`<div class="lecture ${state.present ? "present" : ""}">
    ${controls()}
    <div class="searches ${state.traces.length > 1 ? "several" : ""}">${state.traces.map(searchView)}</div>
    ${state.error ? html`<p class="error" role="alert">${state.error}</p>` : nothing}
    ${!state.traces.length && !state.error ? html`<p class="note" role="status">${text.computing}</p>` : nothing}
    ${form(theApp)} ${help()}
  </div>`;
}

function controls() {
  const { step, playing } = state;
  const end = last();
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ act, off = false) =>
    html`<button aria-label=${label} title=${label} ?disabled=${off} @click=${act}>${sign}</button>`;
  const stop = (/** @type {number} */ to) => () => {
    pause();
    go(to);
  };
  return html`<section class="panel steps" aria-label=${text.steps}>
    ${button(text.first, "|◀", stop(0))} ${button(text.back, "‹", stop(step - 1))}
    <button class="main" aria-label=${playing ? text.pause : text.play} title=${playing ? text.pause : text.play} @click=${play}>
      ${playing ? "❚❚" : "▶"}
    </button>
    ${button(text.forward, "›", stop(step + 1))} ${button(text.last, "▶|", stop(end))}
    <input
      type="range" min="0" max=${end} .value=${String(step)} aria-label=${text.step}
      @input=${(/** @type {Event} */ event) => stop(Number(/** @type {HTMLInputElement} */ (event.target).value))()}
    />
    <output class="count">${text.stepOf(step, end)}</output>
    <label class="speed"
      >${text.speed}
      <select
        @change=${(/** @type {Event} */ event) => {
          state.speed = Number(/** @type {HTMLSelectElement} */ (event.target).value);
          if (state.playing) run();
        }}
      >
        ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === state.speed}>${text.perSecond(speed)}</option>`)}
      </select></label
    >
    <button @click=${togglePresent} aria-pressed=${state.present ? "true" : "false"}>${text.present}</button>
  </section>`;
}

/** @param {Trace} trace */
function searchView(trace) {
  const count = Math.min(state.step, trace.steps.length);
  const visited = trace.steps.slice(0, count).filter(({ step }) => step === "enter").length;
  const columns = state.traces.length > 1 && innerWidth > 1100 ? 2 : 1;
  const room = Math.min(innerWidth, state.present ? innerWidth : 1800) / columns - 64;
  return html`<section class="panel search" aria-label=${text.searches[trace.search]}>
    <h2>
      ${text.searches[trace.search]}
      <span class="figures">${text.visited(visited, trace.visited)} · ${text.leaves(trace.ends)}${trace.value === null ? "" : ` · ${text.value(trace.value)}`}</span>
    </h2>
    <p class="words" aria-live=${state.playing ? "off" : "polite"}>${words(trace, count)}</p>
    ${trace.notes.map((note) => html`<p class="note">${note}</p>`)}
    ${position(trace, count)}
    <div class="frame" tabindex="0" role="region" aria-label=${text.treeOf(text.searches[trace.search])}>
      ${trace.nodes.length ? treeView(trace, count, room) : nothing}
    </div>
  </section>`;
}

/**
 * The board where the search is, if it is too large to stand in the tree.
 * @param {Trace} trace
 * @param {number} count
 */
function position(trace, count) {
  const game = trace.game === undefined ? undefined : app?.games.get(trace.game);
  const rows = rowsOf(trace.nodes[count ? trace.steps[count - 1].node : 0]);
  if (!game || rows.length <= 4) return nothing;
  return html`<div class="position">${board({ game, rows, small: true, label: text.position })}</div>`;
}

/** @param {App} theApp */
function form(theApp) {
  const tree = state.subject === "tree";
  return html`<details class="panel subject" ?open=${!state.present}>
    <summary>${text.subject}</summary>
    <form @submit=${submit} @change=${choose}>
      <div class="fields">
        <label
          >${text.of}
          <select name="subject">
            <option value="tree" ?selected=${tree}>${text.tree}</option>
            ${[...theApp.games.values()].map(
              (game) => html`<option value=${game.key} ?selected=${game.key === state.subject}>${game.title}</option>`,
            )}
          </select></label
        >
        ${tree
          ? html`<label class="wide">${text.leavesOf} <input name="tree" .value=${state.tree} maxlength="4000" autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`
          : html`<label class="wide">${text.moves} <input name="moves" .value=${state.moves} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`}
        <label>${text.depth} <input name="depth" type="number" min="1" max="20" placeholder=${text.toTheEnd} .value=${state.depth} /></label>
        <label
          >${text.cutRule}
          <select name="cut">
            <option value="equal" ?selected=${!state.strict}>alpha ≥ beta</option>
            <option value="strict" ?selected=${state.strict}>alpha &gt; beta</option>
          </select></label
        >
        <button class="main">${text.show}</button>
      </div>
      <fieldset>
        <legend>${text.compare}</legend>
        ${SEARCHES.map(
          (search) => html`<label class="check"
            ><input type="checkbox" name="search" value=${search} .checked=${state.searches.includes(search)} /> ${text.searches[search]}</label
          >`,
        )}
      </fieldset>
    </form>
    ${tree
      ? html`<p class="examples">
          ${text.examples}
          ${text.figures.map(({ name, tree: of }) => html`<button @click=${() => example(of)}>${name}</button>`)}
        </p>`
      : nothing}
    <label>${text.link} <input readonly .value=${location.href} @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()} /></label>
  </details>`;
}

function help() {
  return html`<details class="panel">
    <summary>${text.notation}</summary>
    ${text.help.map((line) => html`<p>${line}</p>`)}
  </details>`;
}
