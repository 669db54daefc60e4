// The page: what is known, what the user does, and which view is shown. Everything is drawn anew after each change.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { Connection, Lost, Refused } from "./connection.js";
import { homeView } from "./home.js";
import { formOf, Home, homeState } from "./lobby.js";
import { cellNames, next } from "./moves.js";
import { mySide, roomView, statusOf } from "./room.js";
import { fromRoom, fromUpdate, lookAt, seen, withPast } from "./table.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./table.js").Table} Table
 * @typedef {typeof app} App
 */

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
  ...homeState(),
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
  /** @type {Analysis | null} */
  analysis: null,
  /** @type {{room: string, from: string, text: string}[]} */
  chat: [],
  announced: "",
  actions: {
    pick,
    unpick,
    confirm,
    join: () => ask("join", { room: app.room }),
    table: (/** @type {string} */ type) => {
      app.asking = false;
      ask(type, { room: app.room });
    },
    claim: (/** @type {string} */ result) => ask("claim", { room: app.room, result }),
    askToResign: () => change({ asking: true }),
    dontResign: () => change({ asking: false }),
    lookAt: (/** @type {number} */ ply) => look(ply),
    toggleValues,
    say,
    register,
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
    document.title = title();
    home.boards.drawn();
  });
}

function view() {
  return html`<header>
      <a class="brand" href="/">${text.name}</a>
      <span class="me">${app.me ? html`<bdi>${app.me.name}</bdi>` : nothing}</span>
    </header>
    ${app.notice ? html`<p class="notice" role="status">${app.notice}</p>` : nothing}
    <main class=${app.room ? "in-room" : "at-home"}>${app.room ? roomView(app) : homeView(app)}</main>
    <p class="spoken" aria-live="polite">${app.announced}</p>`;
}

function title() {
  const { table } = app;
  const game = table && app.games.get(table.game);
  if (!app.room || !table || !game) return text.name;
  return `${statusOf(app, table, game, mySide(app, table))} · ${game.title}`;
}

// the connection

/**
 * @param {import("./connection.js").Status} status
 * @param {string} [message]
 */
function onStatus(status, message) {
  const notice = status === "lost" && app.games.size ? text.lost : status === "refused" ? (message ?? "") : null;
  change({ status, notice });
}

/** @param {import("./connection.js").Message} welcome */
function onWelcome(welcome) {
  app.me = welcome.player;
  app.games = new Map(welcome.games.map((/** @type {GameInfo} */ game) => [game.key, game]));
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
      if (app.table?.room === message.room) change({ table: { ...app.table, spectators: message.count } });
      return;
    case "chat":
      return change({ chat: [...app.chat, { room: message.room, from: message.from.name, text: message.text }].slice(-200) });
    case "lobby":
    case "seek":
    case "seek_ended":
      return home.onPush(message);
    case "error":
      return change({ notice: message.message });
  }
}

/** @param {import("./connection.js").Message} message */
function onRoom(message) {
  const { table } = app;
  if (message.room !== app.room) {
    if (app.room === null || message.previous !== app.room) return home.onRoom(message);
    go(`/rooms/${message.room}`, false); // the rematch of the room that is shown
  }
  change({ table: fromRoom(message, table), pending: null, path: [], chosen: null });
  analyse();
}

/** @param {import("./connection.js").Message} message */
function onUpdate(message) {
  if (message.room !== app.room) return home.onUpdate(message);
  if (!app.table || app.table.room !== message.room) return;
  if (message.version <= app.table.version) return change({ table: withPast(app.table, message.state) });
  const table = fromUpdate(app.table, message);
  if (table === null) return watch(app.table.version); // something is missing
  announce(message, table);
  const turned = table.state.turn !== app.table.state.turn;
  change(turned ? { table, pending: null, path: [], chosen: null } : { table });
  if (turned) analyse();
}

/**
 * @param {import("./connection.js").Message} update
 * @param {Table} table
 */
function announce({ event, state }, table) {
  const game = app.games.get(table.game);
  if (!game) return;
  const status = statusOf(app, { ...table, at: null }, game, mySide(app, table));
  if (event.kind === "played") {
    const name = state.seats[event.side]?.name ?? game.sides[/** @type {"first"} */ (event.side)].name;
    app.announced = `${text.moved(name, event.move)} ${status}`;
  } else if (event.kind === "ended") app.announced = status;
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
  const room = /^\/rooms\/([A-Za-z0-9_-]{1,64})$/.exec(location.pathname)?.[1] ?? null;
  const before = app.room;
  if (before && before !== room && app.connection.welcomed) app.connection.request("leave", { room: before }).catch(() => {});
  if (!before && room) home.leave(room);
  change({ room, error: null, asking: false });
  if (before !== room) change({ table: fresh ? null : app.table, analysis: null, pending: null, path: [], focus: null });
  if (fresh && app.connection.welcomed) enter();
}

/** Ask for what the view shows. */
function enter() {
  if (app.room) watch(app.table?.room === app.room ? app.table.version : null);
  else home.enter();
}

/** @param {number | null} since */
async function watch(since) {
  const room = app.room;
  const answer = await ask("watch", since === null ? { room } : { room, since });
  if (answer === null || app.room !== room) return;
  draw(); // nothing follows if nothing was missed
  if (since === null && answer.version > 1) app.connection.request("watch", { room, since: 0 }).catch(() => {}); // for replay
  analyse();
}

// who the player is

/** @param {SubmitEvent} event */
async function register(event) {
  const answer = await ask("register", { name: String(formOf(event).get("name")).trim() });
  if (answer !== null) change({ me: answer.player });
}

// in a room

/**
 * @param {string} part a part of a move: what the layout has at the cell, or a choice
 * @param {string} name the name of the cell
 */
function pick(part, name) {
  const { table } = app;
  const game = table && app.games.get(table.game);
  app.focus = name;
  if (!table || !game || app.pending !== null || seen(table).past) return draw();
  if (mySide(app, table) === null || table.state.to_move !== mySide(app, table)) return draw();
  const options = next(table.state.legal_moves, cellNames(game.layout), app.path);
  const move = options.get(part);
  if (move === undefined) return app.path.length ? unpick() : play(part); // the server says why it is not legal
  if (move === null) return change({ path: [...app.path, part] });
  if (isSmall(game)) return change({ chosen: { name, move } });
  play(move);
}

/**
 * Whether cells are too small to hit for certain: then a tap selects, and a button plays.
 * @param {GameInfo} game
 */
function isSmall(game) {
  const width = document.querySelector(".board")?.clientWidth ?? Infinity;
  return width / game.layout[0].length < 24 && matchMedia("(pointer: coarse)").matches;
}

function unpick() {
  change({ path: [], chosen: null });
}

function confirm() {
  if (app.chosen) play(app.chosen.move);
}

/** @param {string} move */
async function play(move) {
  const table = /** @type {Table} */ (app.table);
  const { turn } = table.state;
  change({ pending: move, path: [], chosen: null, error: null });
  for (;;) {
    try {
      await app.connection.request("play", { room: table.room, turn, move });
      return;
    } catch (error) {
      if (error instanceof Lost && app.room === table.room && app.table?.state.turn === turn) {
        await new Promise((resolve) => setTimeout(resolve, 300)); // a move that is sent again is played once
        continue;
      }
      return change({ pending: null, error: error instanceof Lost ? null : wordsOf(error) });
    }
  }
}

/** @param {number} ply */
function look(ply) {
  if (!app.table) return;
  change({ table: lookAt(app.table, ply), analysis: null });
  analyse();
}

function toggleValues() {
  change({ values: { on: !app.values.on }, analysis: null });
  analyse();
}

let analysing = false;

/** Ask what the moves of the position that is looked at are worth, one request at a time. */
async function analyse() {
  const { table } = app;
  if (!table || !app.values.on || analysing) return;
  const { ply, state } = seen(table);
  const over = ply === table.state.ply && table.state.outcome !== null;
  if ((table.options.rated && table.state.status !== "over") || over) return change({ analysis: null });
  analysing = true;
  const turn = table.state.turn;
  try {
    const found = /** @type {any} */ (await app.connection.request("analyse", { room: table.room, ply }));
    if (app.table && app.table.room === table.room && app.table.state.turn === turn && seen(app.table).ply === state.ply) {
      change({ analysis: found });
    }
  } catch (error) {
    if (error instanceof Refused && error.retryAfterS !== undefined) {
      setTimeout(analyse, error.retryAfterS * 1000);
    }
  } finally {
    analysing = false;
  }
  if (app.table && (app.table.state.turn !== turn || seen(app.table).ply !== ply)) analyse();
}

/** @param {SubmitEvent} event */
async function say(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const line = String(formOf(event).get("line")).trim();
  if (line && (await ask("chat", { room: app.room, text: line }))) form.reset();
}

// what the browser brings

addEventListener("popstate", () => route());
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (!link || link.origin !== location.origin || link.hasAttribute("download") || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  go(link.pathname);
});
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!app.table || target.matches("input, select, textarea")) return;
  if (event.key.startsWith("Arrow") && target.matches("[data-cell]")) return; // these move over the board
  const { ply } = seen(app.table);
  const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity, Escape: Infinity }[event.key];
  if (to !== undefined) look(to);
});
setInterval(() => {
  if (app.table?.state.clock?.running || app.table?.state.seats.first?.claimable_at || app.table?.state.seats.second?.claimable_at) draw();
}, 200);

route(false);
app.connection.open();

export { app };
