// The class that is shown, what is unfolded of it, and what can be done about it.

import { Lost, Refused } from "./connection.js";
import { LiveBoards } from "./liveboards.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").Page} Page
 * @typedef {{id: string, name: string, kind: string, registered?: boolean}} Player
 * @typedef {{class_id: string, title: string, by: Player, names: number, name?: string, puzzle_set?: string, tournament?: string}} Listing
 * @typedef {{room: string, game: string, waiting?: boolean, opponent?: Player, name?: string, ply?: number}} Playing
 * @typedef {{player?: Player, here: boolean, games: Playing[], won: number, drawn: number, lost: number, form: string, reviewed: number, asks?: boolean, reads?: boolean}} One
 * @typedef {{name: string, person?: One, bot?: One, puzzles: number}} Student
 * @typedef {{listing: Listing, students?: Student[], solves?: number, free?: string[], room?: string, asks?: boolean}} Shown
 * @typedef {{room: string, game: string, ended_at: string, opponent: string, name?: string, result: string, bot?: boolean, reviewed?: boolean}} Played
 */

/** @type {Page} */
let page;

/** The class that is shown, and what is unfolded of it. */
export const now = {
  /** @type {string | null} */
  id: null,
  /** @type {Shown | null} */
  shown: null,
  unknown: false,
  /** @type {string | null} */
  problem: null,
  /** The student about whom more is shown. @type {string | null} */
  open: null,
  /** The last games of that student. @type {Played[] | null} */
  games: null,
  /** What is unfolded at the top. @type {"link" | "settings" | null} */
  unfolded: null,
  /** What is to be confirmed. @type {"delete" | "leave" | null} */
  asking: null,
  /** The sets of puzzles that the teacher has made. @type {{set: string, title: string}[] | null} */
  sets: null,
  /** How the simul is to be opened. */
  simul: { game: "connect4", clock: "", side: "first", sending: false },
  /** The boards that are shown small. @type {LiveBoards | null} */
  boards: null,
  /** The name that a student is about to take, and what is typed to find it. @type {{name: string | null, find: string}} */
  taking: { name: null, find: "" },
};

/**
 * Show a class, or none. It is asked for again when the connection is new.
 * @param {Page} from
 * @param {string | null} id
 */
export function show(from, id) {
  page = from;
  if (id !== now.id) {
    leave();
    Object.assign(now, { id, shown: null, unknown: false, problem: null, open: null, games: null, unfolded: null, asking: null, taking: { name: null, find: "" } });
  }
  if (id === null) return;
  now.boards ??= new LiveBoards(page);
  now.boards.fresh();
  load();
}

/** Hear no more of it. */
export function leave() {
  if (now.shown?.students && page.app.connection.welcomed) page.app.connection.request("class", { class_id: now.id }).catch(() => {});
  now.id = now.shown = null;
  now.boards?.close();
  now.boards = null;
}

/** @param {import("./connection.js").Message} message of any type */
export function onPush(message) {
  const { shown } = now;
  if (message.type === "class" && message.listing.class_id === now.id) take(/** @type {any} */ (message));
  else if (message.type === "class_changes" && message.class_id === now.id && shown?.students) {
    const changed = new Map(message.students.map((/** @type {Student} */ student) => [student.name, student]));
    take({ ...shown, students: shown.students.map((student) => changed.get(student.name) ?? student) });
  } else if (message.type === "simul_game" && message.class_id === now.id) load();
  else now.boards?.onPush(message);
}

/** @param {Shown} shown */
function take(shown) {
  now.shown = shown;
  if (shown.students) page.change({ pupils: new Map(shown.students.flatMap(({ name, person }) => (person?.player ? [[person.player.id, name]] : []))) });
  page.app.actions.redraw();
}

async function load() {
  const { id } = now;
  try {
    const shown = await page.app.connection.request("class", { class_id: id, watch: true });
    if (now.id !== id) return;
    now.problem = null;
    take(/** @type {any} */ (shown));
    if (shown.students && now.sets === null) loadSets();
  } catch (error) {
    if (!(error instanceof Refused) || now.id !== id) return; // a new connection asks again
    if (error.retryAfterS !== undefined) setTimeout(() => now.id === id && load(), 1000 * error.retryAfterS);
    now.unknown = error.code === "unknown_class";
    now.problem = error.message;
    page.app.actions.redraw();
  }
}

async function loadSets() {
  now.sets = [];
  const answer = await page.app.connection.request("puzzles").catch(() => null);
  now.sets = answer?.sets ?? [];
  page.app.actions.redraw();
}

/** @param {Partial<typeof now>} changes */
export function set(changes) {
  Object.assign(now, changes);
  page.app.actions.redraw();
}

/**
 * Do something about the class that is shown. The answer is how it is then, or nothing.
 * @param {string} type
 * @param {Record<string, unknown>} [fields]
 */
export async function act(type, fields = {}) {
  set({ asking: null, problem: null });
  try {
    const answer = await page.app.connection.request(type, { class_id: now.id, ...fields });
    if (answer.type === "class") {
      now.taking = { name: null, find: "" };
      take(/** @type {any} */ (answer));
      if (answer.students) load(); // the answer does not say that it goes on
    }
    return answer;
  } catch (error) {
    set({ problem: error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message });
    return null;
  }
}

/** Show more about a student, or about none. @param {string | null} name */
export async function unfold(name) {
  set({ open: name, games: null });
  if (name === null) return;
  const answer = await page.app.connection.request("class_games", { class_id: now.id, name }).catch(() => null);
  if (now.open === name) set({ games: answer?.games ?? [] });
}

