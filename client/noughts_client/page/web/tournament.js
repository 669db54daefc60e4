// A tournament that is shown: what the server says of it, what is done in it, and which boards are watched.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { shown as time } from "./clock.js";
import { competeText as own } from "./compete_texts.js";
import { Lost, Refused } from "./connection.js";
import { LiveBoards } from "./liveboards.js";
import { text } from "./room_texts.js";
import { namesOf } from "./standings.js";
import { liveRooms, squared, wantLast } from "./tournament_parts.js";
import { tournamentView } from "./tournament_view.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./standings.js").Names} Names
 * @typedef {{id: string, name: string, kind: string, registered?: boolean, rating?: number}} Player
 * @typedef {{tournament: string, name: string, by: Player, format: string, game: string, setup?: import("./types.js").Setup,
 *            clock: import("./types.js").TimeControl | null, rated: boolean, kinds: string, registered: boolean, private: boolean,
 *            status: "open" | "running" | "finished", players: number, most: number, round: number, rounds: number | null,
 *            minutes?: number, starts_at?: string, ends_at?: string}} Terms
 * @typedef {{round?: number, opponent: number | null, side?: Side, points: number | null, played?: boolean, room?: string}} Result
 * @typedef {{place: number, number: number, player: Player, points: number, won: number, drawn: number, lost: number,
 *            was?: number, form?: string, withdrawn?: "left" | "removed", results?: Result[]} & Record<string, any>} Row
 * @typedef {{room: string, round: number, board?: number, first: Player, second: Player, points: number[] | null,
 *            played?: boolean, adjudicated?: boolean}} Game
 * @typedef {{act: "paused" | "resumed" | "ended" | "removed" | "adjudicated", at: string, player?: Player, room?: string,
 *            first?: Player, second?: Player, points?: number[]}} Act
 * @typedef {{tournament: Terms, version: number, paused: boolean, standings: Row[], games: Game[], pairs_at?: string,
 *            acts?: Act[], more?: number, here?: number[]}} Shown
 * @typedef {{view: (app: App, shown: Shown, names: Names, boards: LiveBoards) => unknown, changed: (shown: Shown, page: Page) => void,
 *            leave: () => void, want: (shown: Shown, boards: LiveBoards) => void}} Screen
 * @typedef {{id: string | null, shown: Shown | null, unknown: boolean, problem: string | null,
 *            asking: "withdraw" | "end" | "start" | {remove: string} | null, rows: number, tab: "standings" | "cross" | null, round: number | null,
 *            manages: boolean, deciding: string | null, link: boolean}} Now
 *
 * `tab` is the table that was chosen. `asking` is to be confirmed: an act, or the removal of the player with this id. `rows` are shown at least; the server sends a
 * hundred at a time. `round` has the games that are shown, null for the last; `manages`, whether the organiser sees what can be
 * done with each player and game, of which `deciding` is to be decided; `link`, whether the link is shown with its code.
 */

/** How many boards are on the page. */
const BOARDS = 5;

/** How often times are brought up to date, and how often the organiser asks who is here, in ms. */
const [TICK_MS, PRESENCE_MS] = [250, 10_000];

/** What a projector shows, loaded when it is wanted. */
const SCREENS = {
  wall: () => import("./wall.js"),
  present: () => import("./projector.js"),
};

/** @type {Page} */
let page;
/** @type {LiveBoards | null} */
let boards = null;
/** @type {number | undefined} */
let ticking;
/** @type {number | undefined} */
let looking;

/** Whether the connection is looked after. */
let pulsing = false;

/** The projector or the wall, once one is wanted. @type {Screen | null} */
let screen = null;

/** @type {Now} */
const now = { id: null, shown: null, unknown: false, problem: null, asking: null, rows: 0, tab: null, round: null, manages: false, deciding: null, link: false };

export const tournament = { show, leave, onPush, title, view };

/** The title of the page. @param {string} id */
function title(id) {
  return now.id === id && now.shown ? now.shown.tournament.name : own.title;
}

/**
 * Show a tournament, or none. It is asked for again when the connection is new.
 * @param {Page} from
 * @param {string | null} id
 */
function show(from, id) {
  page = from;
  if (id !== now.id) {
    leave();
    Object.assign(now, { id, shown: null, unknown: false, problem: null, asking: null, rows: 0, tab: null, round: null, manages: false, deciding: null, link: false });
  }
  if (id === null) return;
  boards ??= new LiveBoards(page);
  boards.fresh();
  if (!pulsing) page.loaded(import("./pulse.js")).then(({ pulse }) => pulse(page.app.connection, () => now.shown?.tournament.status === "running"));
  pulsing = true;
  ticking ??= setInterval(tick, TICK_MS);
  looking ??= setInterval(() => now.shown && organises(now.shown) && !document.hidden && load(), PRESENCE_MS);
  const query = new URLSearchParams(location.search);
  boards.valued = query.has("values");
  const wanted = query.has("wall") ? SCREENS.wall() : query.has("present") ? SCREENS.present() : null;
  screen?.leave();
  screen = null;
  Promise.all([wanted, wanted && page.styled("screens.css")]).then(([module]) => {
    if (!module) return;
    if (now.id !== id) return;
    screen = module.screen;
    if (now.shown) change(now.shown);
    page.app.actions.redraw();
  });
  load();
}

/** Hear no more of it. */
function leave() {
  if (now.id !== null && page.app.connection.welcomed) page.app.connection.request("tournament", { tournament: now.id }).catch(() => {});
  now.id = null;
  boards?.close();
  boards = null;
  screen?.leave();
  screen = null;
  clearInterval(ticking);
  clearInterval(looking);
  ticking = looking = undefined;
}

/** @param {import("./connection.js").Message} message */
function onPush(message) {
  if (message.type !== "tournament") {
    boards?.onPush(message);
    if (message.type === "update" && message.state.outcome && now.shown) boards && want(now.shown, boards);
    return;
  }
  if (message.tournament.tournament !== now.id) return;
  if (needsResults() || now.rows) return void load(); // a push has the first rows, without results
  change(/** @type {any} */ (message));
  page.app.actions.redraw();
}

/** Whether the results of each player are shown. */
function needsResults() {
  return now.tab === "cross" || now.round !== null || (now.tab === null && !screen && now.shown !== null && squared(now.shown));
}

/** Whether the tournament is this player's to run. @param {Shown} shown */
function organises({ tournament: { by, status } }) {
  return by.id === page.app.me?.id && status !== "finished";
}

/** Take in the standings as they are now. @param {Shown} shown */
function change(shown) {
  const begins = now.shown?.tournament.status !== shown.tournament.status; // with it the numbers change, by which it is told who is here
  const came = now.shown?.standings.length !== shown.standings.length;
  if ((begins || came) && organises(shown) && !shown.here) setTimeout(load); // and at first it is known who asks
  now.shown = shown.here || begins ? shown : { ...shown, here: now.shown?.here };
  if (begins && needsResults()) setTimeout(load);
  screen?.changed(shown, page);
  if (boards) want(shown, boards);
}

/**
 * Watch the boards that are shown.
 * @param {Shown} shown
 * @param {LiveBoards} boards
 */
function want(shown, boards) {
  const known = new Set(shown.games.map(({ room }) => room));
  boards.places = boards.places.map((room) => (room !== null && known.has(room) ? room : null)); // a game of the round before has no place
  if (screen) screen.want(shown, boards);
  else if (shown.tournament.status !== "finished") boards.want(liveRooms(shown, page.app.me?.id), BOARDS);
  else wantLast(shown, boards);
}

/** Ask for the standings, and hear of changes. */
async function load() {
  const { app } = page;
  const { id } = now;
  try {
    const ask = (/** @type {number} */ after) => app.connection.request("tournament", { tournament: id, watch: true, results: needsResults(), after, ...(now.shown && organises(now.shown) ? { presence: true } : {}) });
    const shown = /** @type {Shown} */ (/** @type {unknown} */ (await ask(0)));
    while (shown.more !== undefined && shown.more <= now.rows) {
      const next = await ask(shown.more);
      shown.standings.push(...next.standings);
      shown.more = next.more;
    }
    if (now.id !== id) return;
    if (!now.shown || shown.version >= now.shown.version) change(shown);
    now.problem = null;
  } catch (error) {
    if (!(error instanceof Refused) || now.id !== id) return; // a new connection asks again
    if (error.retryAfterS !== undefined) setTimeout(() => now.id === id && load(), 1000 * error.retryAfterS);
    now.unknown = error.code === "unknown_tournament";
    now.problem = error.message;
  }
  app.actions.redraw();
}

/**
 * Do something in the tournament; the standings follow by themselves.
 * @param {string} type
 * @param {Record<string, unknown>} [fields]
 */
async function act(type, fields = {}) {
  const { app } = page;
  now.asking = now.problem = now.deciding = null;
  try {
    await app.connection.request(type, { tournament: now.id, ...fields });
  } catch (error) {
    now.problem = error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message;
  }
  app.actions.redraw();
}

/** @param {Partial<Now>} changes */
function set(changes) {
  Object.assign(now, changes);
  page.app.actions.redraw();
}

/** Bring the times up to date that run down. */
function tick() {
  const at = page.app.connection.now();
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-until]"))) {
    const seconds = Math.ceil(Math.max(0, Number(element.dataset.until) - at) / 1000);
    const words = !element.matches(".until") ? String(seconds) : seconds < 10 ? `0:0${seconds}` : time(1000 * seconds);
    if (element.textContent !== words) element.textContent = words;
  }
}

/**
 * @param {App} app
 * @param {string} id
 */
function view(app, id) {
  const { shown, unknown, problem } = now;
  if (unknown) {
    return html`<section class="panel nothing">
      <h1>${own.unknown}</h1>
      <p>${own.unknownHelp}</p>
      <p><a class="button main" href="/compete">${own.all}</a></p>
    </section>`;
  }
  if (!shown || !boards || now.id !== id) return html`<h1 class="spoken">${own.title}</h1><p class="note" role="status">${problem ?? own.loading}</p>`;
  const names = namesOf(shown.standings);
  const query = new URLSearchParams(location.search);
  if (query.has("wall") || query.has("present")) return screen ? screen.view(app, shown, names, boards) : nothing;
  return tournamentView(app, shown, names, { now, boards, page, act, set, load });
}
