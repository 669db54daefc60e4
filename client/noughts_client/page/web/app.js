// The page: what is known, what the user does, and which view is shown. Everything is drawn anew after each change.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { CONTROLS } from "./clock.js";
import { Connection, Lost, Refused } from "./connection.js";
import { homeView } from "./home.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./table.js").Table} Table
 * @typedef {typeof app} App
 * @typedef {ReturnType<typeof import("./play.js").playing>} Room
 */

/** How long it is said that the connection is back. */
const BACK_MS = 2000;

const app = {
  connection: new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
    onStatus,
    onWelcome,
    onPush,
  }),
  /** @type {import("./connection.js").Status} */
  status: "connecting",
  /** @type {string | null} */
  notice: null,
  /** @type {string | null} */
  error: null,
  /** @type {{id: string, name: string, kind: string, registered?: boolean} | null} */
  me: null,
  /** @type {Map<string, GameInfo>} */
  games: new Map(),
  // home
  form: { game: "tictactoe" },
  /** @type {Map<string, Listing>} */
  rooms: new Map(),
  /** @type {Map<string, string[]>} */
  boards: new Map(),
  /** @type {{game: string, clock: object | null, rated: boolean, key: string} | null} */
  seek: null,
  /** @type {{name: string, rating: number}[]} */
  leaders: [],
  // room
  /** @type {string | null} */
  room: null,
  /** @type {Table | null} */
  table: null,
  /** @type {string | null} */
  pending: null,
  /** @type {string[]} */
  path: [],
  /** @type {{name: string, move: string} | null} */
  chosen: null,
  /** @type {string | null} */
  focus: null,
  asking: false,
  values: { on: false },
  /** @type {string | null} */
  valuesError: null,
  /** @type {Partial<Record<"first" | "second", {before: number | null, after: number}>> | null} */
  ratings: null,
  /** @type {{room: string, from: string, text: string}[]} */
  chat: [],
  announced: "",
  present: false,
  // a game in a file
  replaying: false,
  /** @type {import("./table.js").Recorded[]} */
  records: [],
  recordShown: 0,
  /** @type {string | null} */
  recordRoom: null,
  actions: {
    .../** @type {Room["actions"]} */ ({}), // added when a room is loaded
    choose,
    playComputer,
    playPerson,
    unseek,
    goToRoom,
    register,
  },
};

/** @param {Partial<App>} changes */
function change(changes) {
  Object.assign(app, changes);
  draw();
}

let drawn = false;

/** Draw everything, once for all changes of this turn. */
function draw() {
  if (drawn) return;
  drawn = true;
  queueMicrotask(() => {
    drawn = false;
    render(view(), /** @type {HTMLElement} */ (document.getElementById("app")));
    document.title = room?.title() ?? text.name;
    room?.drawn();
  });
}

function view() {
  return html`<header>
      <a class="brand" href="/">${text.name}</a>
      <span class="me">${app.me ? html`<bdi>${app.me.name}</bdi>` : nothing}</span>
    </header>
    ${app.notice ? html`<p class="notice" role="status">${app.notice}</p>` : nothing}
    <main class="${app.room || app.replaying ? "in-room" : "at-home"} ${app.present ? "present" : ""}">
      ${app.room || app.replaying ? room?.view() : homeView(app)}
    </main>
    <p class="spoken" aria-live="polite">${app.announced}</p>`;
}

/** What happens in a room, once it is loaded. @type {Room | null} */
let room = null;

/**
 * Load what only a room needs: it is half of the page, and most see the first view before.
 * @returns {Promise<Room>}
 */
async function loadRoom() {
  if (room !== null) return room;
  const { playing } = await import("./play.js").catch(() => {
    location.reload(); // a newer server has other files
    return /** @type {Promise<typeof import("./play.js")>} */ (new Promise(() => {}));
  });
  const loaded = room ?? playing({ app, change, draw, go, ask, wordsOf });
  room = loaded;
  Object.assign(app.actions, loaded.actions);
  draw();
  return loaded;
}

// the connection

/**
 * @param {import("./connection.js").Status} status
 * @param {string} [message]
 */
function onStatus(status, message) {
  const back = status === "open" && app.notice === text.lost;
  const keep = status === "connecting" && app.notice === text.lost;
  const notice = status === "lost" || keep ? text.lost : status === "refused" ? (message ?? "") : back ? text.reconnected : null;
  change({ status, notice });
  if (back) setTimeout(() => app.notice === text.reconnected && change({ notice: null }), BACK_MS);
}

/** @param {import("./connection.js").Message} welcome */
function onWelcome(welcome) {
  app.me = welcome.player;
  app.games = new Map(welcome.games.map((/** @type {GameInfo} */ game) => [game.key, game]));
  enter();
  if (app.seek) ask("seek", { ...app.seek });
}

/** @param {import("./connection.js").Message} message */
function onPush(message) {
  switch (message.type) {
    case "room":
      return onRoom(message);
    case "update":
      return onUpdate(message);
    case "spectators":
      if (app.table && app.table.room === message.room) change({ table: { ...app.table, spectators: message.count } });
      return;
    case "chat":
      return change({ chat: [...app.chat, { room: message.room, from: message.name, text: message.text }].slice(-200) });
    case "lobby":
      for (const room of message.rooms) keep(room);
      return draw();
    case "seek_ended":
      return change({ seek: null });
    case "error":
      return change({ notice: message.message });
  }
}

/** @param {import("./connection.js").Message} message */
function onRoom(message) {
  if (!app.room) {
    if (app.seek && isSeated(message.state)) {
      app.seek = null;
      go(`/rooms/${message.room}`);
    } else {
      app.boards.set(message.room, message.state.rows);
      return draw();
    }
  }
  if (message.room !== app.room) {
    if (message.previous !== app.room) return;
    go(`/rooms/${message.room}${app.present ? "?present" : ""}`, false); // the rematch of the room that is shown
  }
  room?.onRoom(message); // otherwise it is asked for when the room is loaded
}

/** @param {import("./types.js").State} state */
function isSeated({ seats }) {
  return seats.first?.id === app.me?.id || seats.second?.id === app.me?.id;
}

/** @param {import("./connection.js").Message} message */
function onUpdate(message) {
  if (message.room !== app.room) {
    if (app.boards.has(message.room)) app.boards.set(message.room, message.state.rows);
    return draw();
  }
  room?.onUpdate(message);
}

/**
 * Send a request of which only a refusal matters.
 * @param {string} type
 * @param {Record<string, unknown>} fields
 */
async function ask(type, fields) {
  try {
    change({ error: null });
    return await app.connection.request(type, fields);
  } catch (error) {
    change({ error: wordsOf(error) });
    return null;
  }
}

/** @param {unknown} error */
function wordsOf(error) {
  if (error instanceof Refused) return error.message.charAt(0).toUpperCase() + error.message.slice(1);
  if (error instanceof Lost) return text.notSent;
  throw error;
}

// the way from view to view

/**
 * @param {string} path
 * @param {boolean} [fresh]
 */
function go(path, fresh = true) {
  history.pushState(null, "", path);
  route(fresh);
}

/** @param {boolean} fresh whether to ask the server for what the view shows */
function route(fresh = true) {
  const at = /^\/rooms\/([A-Za-z0-9_-]{1,64})$/.exec(location.pathname)?.[1] ?? null;
  const query = new URLSearchParams(location.search);
  const replaying = at === null && query.has("replay");
  const before = app.room;
  if (before && before !== at && app.connection.welcomed) app.connection.request("leave", { room: before }).catch(() => {});
  change({ room: at, replaying, present: query.has("present"), error: null, asking: false });
  if (app.present) app.values.on = true;
  if (before !== at || (!at && !replaying)) change({ table: null, ratings: null, valuesError: null, focus: null, pending: null, path: [], chosen: null });
  if (at !== null || replaying) loadRoom(); // while the connection is made
  if (fresh && app.connection.welcomed) enter();
}

/** Ask for what the view shows. */
async function enter() {
  const at = app.room;
  if (at === null && !app.replaying) return lobby();
  const { watch } = await loadRoom();
  if (at !== null && at === app.room) watch(app.table?.room === at ? app.table.version : null);
}

async function lobby() {
  const [list, best] = await Promise.all([ask("lobby", { watch: true }), leaders()]);
  if (list === null) return;
  app.rooms.clear();
  for (const room of list.rooms) keep(room);
  change({ leaders: best });
}

/** @param {Listing} room */
function keep(room) {
  app.rooms.delete(room.room);
  app.rooms = new Map([[room.room, room], ...app.rooms]);
  if (room.status === "over") app.rooms.delete(room.room);
}

async function leaders() {
  const answer = await app.connection.request("leaderboard", { game: app.form.game }).catch(() => null);
  return answer === null ? [] : answer.players.slice(0, 10);
}

// at home

/** @param {Event} event */
async function choose(event) {
  app.form.game = /** @type {HTMLSelectElement} */ (event.target).value;
  draw();
  change({ leaders: await leaders() });
}

/** @param {SubmitEvent} event */
function formOf(event) {
  event.preventDefault();
  return new FormData(/** @type {HTMLFormElement} */ (event.target), event.submitter);
}

/** @param {SubmitEvent} event */
async function playComputer(event) {
  const form = formOf(event);
  const computer = `computer:${form.get("level")}`;
  const seats = form.get("side") === "first" ? { first: "me", second: computer } : { first: computer, second: "me" };
  open({ game: form.get("game"), seats });
}

/** @param {SubmitEvent} event */
async function playPerson(event) {
  const form = formOf(event);
  const game = String(form.get("game"));
  const clock = CONTROLS.get(String(form.get("clock") ?? "")) ?? null;
  const rated = form.has("rated");
  if (form.get("how") === "invite") return open({ game, clock, rated, private: !rated });
  const seek = { game, clock, rated, key: newKey() };
  change({ seek });
  if ((await ask("seek", seek)) === null) change({ seek: null });
}

/** @param {Record<string, unknown>} terms */
async function open(terms) {
  const answer = await ask("create", { ...terms, key: newKey() });
  if (answer !== null) go(`/rooms/${answer.room}`);
}

function unseek() {
  change({ seek: null });
  ask("unseek", {});
}

/** @param {SubmitEvent} event */
function goToRoom(event) {
  const room = String(formOf(event).get("room")).trim();
  if (/^[A-Za-z0-9_-]{1,64}$/.test(room)) go(`/rooms/${room}`);
}

/** @param {SubmitEvent} event */
async function register(event) {
  const answer = await ask("register", { name: String(formOf(event).get("name")).trim() });
  if (answer !== null) change({ me: answer.player });
}

/** A key that no other request of this player has; `crypto.randomUUID` is missing over plain http. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// what the browser brings

addEventListener("popstate", () => route());
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (!link || link.origin !== location.origin || link.hasAttribute("download") || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
document.addEventListener("keydown", (event) => room?.onKey(event));
document.addEventListener("visibilitychange", () => document.hidden || room?.analyse());
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) (await loadRoom()).actions.openFile(file);
});

route(false);
app.connection.open();

export { app };
