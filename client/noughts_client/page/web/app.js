// The page: what is known, what the user does, and which view is shown. Everything is drawn anew after each change.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { Connection, Lost, Refused } from "./connection.js";
import { homeView } from "./home.js";
import { formOf, Home, homeState } from "./lobby.js";
import { lasting } from "./storage.js";
import { accountTexts, text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./table.js").Table} Table
 * @typedef {typeof app} App
 * @typedef {ReturnType<typeof import("./play.js").playing>} Room
 * @typedef {typeof import("./lecture_view.js")} Lecture
 * @typedef {typeof import("./devices.js")} Devices
 */

/** How long it is said that the connection is back. */
const BACK_MS = 2000;

const app = {
  connection: new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
    onStatus,
    onWelcome,
    onPush,
    onForgotten: () => change({ forgotten: true }),
  }),
  /** @type {import("./connection.js").Status} */
  status: "connecting",
  /** @type {string | null} */
  notice: null,
  /** In how many games it is the player's move, since the page was last looked at. */
  calls: 0,
  /** @type {string | null} */
  error: null,
  /** @type {{id: string, name: string, kind: string, registered?: boolean} | null} */
  me: null,
  /** Whether the server did not know this browser's token, and nobody has closed the line that says so. */
  forgotten: false,
  /** Whether this browser keeps no token, so that a reload loses the seat, and nobody has closed the line that says so. */
  forgetful: !lasting,
  /** @type {Map<string, GameInfo>} */
  games: new Map(),
  /** How the server puts what has a code; a server that is older than the page does not say. @type {import("./types.js").Words} */
  words: { endings: {}, unrated: {}, marks: {}, rules_changed: "" },
  /** What the operator calls the server, and a line of news. @type {{name?: string, news?: string}} */
  server: {},
  /** The keys of the games that can be opened here; null for all. @type {string[] | null} */
  offered: null,
  /** What this player may do at most, where not everybody may play. @type {"watch" | "enter" | null} */
  may: null,
  /** @type {import("./devices.js").Panel | null} */
  devices: null,
  ...homeState(),
  /** Whether the lecture is shown. */
  lecture: false,
  /** Whether nothing is at this address. */
  nowhere: false,
  // room
  /** @type {string | null} */
  room: null,
  /** Whether there is no such room. */
  noRoom: false,
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
  /** @type {import("./review.js").Review | null} */
  review: null,
  /** @type {Partial<Record<"first" | "second", {before: number | null, after: number}>> | null} */
  ratings: null,
  /** @type {{room: string, from: string, text: string}[]} */
  chat: [],
  /** What became of this player's offer. */
  remark: "",
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
    register,
    redraw: () => draw(),
    announce: (/** @type {string} */ words) => change({ announced: words }),
    .../** @type {import("./lobby.js").HomeActions} */ ({}), // added below
  },
};

const home = new Home(app, { draw, go });
Object.assign(app.actions, home.actions);

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
    document.title = app.calls ? `(${app.calls}) ${title()}` : title();
    room?.drawn();
    home.boards.drawn();
  });
}

function view() {
  return html`<header>
      <a class="brand" href="/">${text.name}</a>
      ${app.me
        ? html`<button class="me" title=${text.account} aria-expanded=${app.devices?.shown ? "true" : "false"} @click=${async () => (await loadDevices()).toggle()}>
            <bdi>${app.me.name}</bdi>
          </button>`
        : nothing}
    </header>
    ${app.notice ? html`<p class="notice" role="status">${app.notice}</p>` : nothing}
    ${app.forgotten && app.me ? forgottenView(app.me.name) : nothing} ${app.forgetful && app.room ? forgetfulView() : nothing}
    <main class="${app.room || app.replaying ? "in-room" : app.lecture ? "at-lecture" : "at-home"} ${app.present ? "present" : ""}">
      ${app.devices?.shown
        ? devices?.devicesView(app, app.devices)
        : app.nowhere || app.noRoom
        ? nothingView(app.noRoom)
        : app.room || app.replaying
          ? room?.view()
          : app.lecture
            ? lecture?.lectureView(app)
            : homeView(app)}
    </main>
    <p class="spoken" aria-live="polite">${app.announced}</p>`;
}

/**
 * The server does not know the token of this browser, which is somebody new now: who has a code can be the same again.
 * @param {string} name
 */
function forgottenView(name) {
  const enter = async () => {
    app.forgotten = false;
    (await loadDevices()).open();
  };
  return html`<div class="notice" role="alert">
    <p>${accountTexts.forgotten} <bdi>${name}</bdi>. ${accountTexts.forgottenHelp}</p>
    <button @click=${enter}>${accountTexts.haveCode}</button>
    <button @click=${() => change({ forgotten: false })}>${text.close}</button>
  </div>`;
}

/** The browser keeps nothing: a player who reloads a room is a spectator of the own game. Home says so with the name. */
function forgetfulView() {
  return html`<div class="notice" role="alert">
    <p>${accountTexts.forgets}</p>
    <button @click=${() => change({ forgetful: false })}>${text.close}</button>
  </div>`;
}

/** @param {boolean} room whether a room was asked for, and not another address */
function nothingView(room) {
  return html`<section class="panel nothing">
    <h1>${room ? text.unknownRoom : text.unknownPage}</h1>
    <p>${room ? text.unknownRoomHelp : text.unknownPageHelp}</p>
    <p><a class="button main" href="/">${text.toHome}</a></p>
  </section>`;
}

function title() {
  if (app.nowhere || app.noRoom) return `${app.noRoom ? text.unknownRoom : text.unknownPage} · ${text.name}`;
  if (app.lecture) return `${lecture?.title ?? ""} · ${text.name}`;
  return (app.room || app.replaying ? room?.title() : null) ?? text.name;
}

/** What happens in a room, the lecture and the panel of devices, once they are loaded: most people see the first view before. */
let room = /** @type {Room | null} */ (null);
let came = false; // from another view, where something had the focus
let lecture = /** @type {Lecture | null} */ (null);
let devices = /** @type {Devices | null} */ (null);

/**
 * @template T
 * @param {Promise<T>} module
 * @returns {Promise<T>}
 */
function loaded(module) {
  return module.catch(() => {
    location.reload(); // a newer server has other files
    return new Promise(() => {});
  });
}

/** @returns {Promise<Room>} */
async function loadRoom() {
  if (room !== null) return room;
  const { playing } = await loaded(import("./play.js"));
  room ??= playing({ app, change, draw, go, ask, wordsOf, came });
  Object.assign(app.actions, room.actions);
  draw();
  return room;
}

/** @returns {Promise<Lecture>} */
async function loadLecture() {
  lecture ??= await loaded(import("./lecture_view.js"));
  draw();
  return lecture;
}

/** The panel of devices. */
async function loadDevices() {
  devices ??= await loaded(import("./devices.js"));
  return (app.devices ??= devices.makeDevices(app, draw));
}

// the connection

/**
 * @param {import("./connection.js").Status} status
 * @param {string} [message]
 */
function onStatus(status, message) {
  const back = status === "open" && app.notice === text.lost;
  const keep = status === "connecting" && app.notice === text.lost;
  const lost = (status === "lost" && app.games.size > 0) || keep; // before the first welcome there was none to lose
  const refused = `${(message ?? "").replace(/\.$/, "")}. ${text.reload}`;
  const notice = lost ? text.lost : status === "refused" ? refused : back ? text.reconnected : null;
  change({ status, notice });
  if (back) setTimeout(() => app.notice === text.reconnected && change({ notice: null }), BACK_MS);
}

/** @param {import("./connection.js").Message} welcome */
function onWelcome(welcome) {
  app.me = welcome.player;
  app.games = new Map(welcome.games.map((/** @type {GameInfo} */ game) => [game.key, game]));
  app.words = welcome.words ?? app.words;
  app.server = welcome.server ?? {};
  app.offered = welcome.offered ?? null;
  app.may = welcome.may ?? null;
  if (location.hash.startsWith("#invitation=")) {
    loaded(import("./entering.js")).then(({ enter }) => enter(app, (notice) => change({ notice })));
  }
  if (welcome.announcement) app.notice = welcome.announcement.text;
  app.devices?.onWelcome();
  enter();
  home.seekAgain();
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
      return room?.onChat(message);
    case "reviewed":
      return room?.onReviewed(message);
    case "lobby":
    case "seek":
    case "seek_ended":
      return home.onPush(message);
    case "announcement":
      return change({ notice: message.text });
    case "your_move":
      return import("./your_move.js").then(({ call }) => call(message, { room: app.room, change, go }));
    case "error":
      return change({ notice: message.message });
  }
}

/** @param {import("./connection.js").Message} message */
function onRoom(message) {
  if (message.room !== app.room) {
    if (app.room === null || message.previous !== app.room) return home.onRoom(message);
    go(`/rooms/${message.room}${app.present ? "?present" : ""}`, false); // the rematch of the room that is shown
  }
  room?.onRoom(message); // otherwise it is asked for when the room is loaded
}

/** @param {import("./connection.js").Message} message */
function onUpdate(message) {
  if (message.room !== app.room) return home.onUpdate(message);
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
  came = true;
  history.pushState(null, "", path);
  app.devices?.close();
  route(fresh);
}

/** @param {boolean} fresh whether to ask the server for what the view shows */
function route(fresh = true) {
  const at = /^\/rooms\/([A-Za-z0-9_-]{1,64})$/.exec(location.pathname)?.[1] ?? null;
  const query = new URLSearchParams(location.search);
  const toLecture = location.pathname === "/lecture";
  const replaying = location.pathname === "/" && query.has("replay");
  const nowhere = at === null && !toLecture && location.pathname !== "/";
  const before = app.room;
  const wasHome = !before && !app.lecture && !app.replaying && !app.nowhere;
  if (before && before !== at && app.connection.welcomed) app.connection.request("leave", { room: before }).catch(() => {});
  if (wasHome && (at || toLecture || replaying || nowhere)) home.leave(at);
  if (app.lecture) lecture?.leaveLecture();
  change({ room: at, noRoom: false, replaying, lecture: toLecture, nowhere, present: !toLecture && query.has("present"), error: null, asking: false });
  if (app.present) app.values.on = true;
  if (before !== at || (!at && !replaying)) {
    change({ table: null, review: null, ratings: null, valuesError: null, remark: "", focus: null, pending: null, path: [], chosen: null });
  }
  if (at !== null || replaying) loadRoom(); // while the connection is made
  else if (toLecture) loadLecture();
  if (fresh && app.connection.welcomed) enter();
}

/** Ask for what the view shows. */
async function enter() {
  const at = app.room;
  if (at !== null || app.replaying) {
    const { watch } = await loadRoom();
    if (at !== null && at === app.room) watch(app.table?.room === at ? app.table.version : null);
  } else if (app.lecture) {
    const { enterLecture } = await loadLecture();
    if (app.lecture) enterLecture(app, draw);
  } else if (!app.nowhere) home.enter();
}

// who the player is

/** @param {SubmitEvent} event */
async function register(event) {
  const answer = await ask("register", { name: String(formOf(event).get("name")).trim() });
  if (answer !== null) change({ me: answer.player });
}

/** Another device has made a code for this one, which is in the link that was opened. */
function lookForCode() {
  if (location.hash.startsWith("#join=") && app.devices === null) loadDevices();
}

// what the browser brings

addEventListener("popstate", () => route());
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (!link || link.origin !== location.origin || link.hasAttribute("download")) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return; // a new tab or window
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

addEventListener("hashchange", lookForCode);
lookForCode();
route(false);
app.connection.open();

export { app };
