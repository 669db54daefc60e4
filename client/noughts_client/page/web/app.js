// The page: what is known, what the user does, and which view is shown. Everything is drawn anew after each change.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { Connection, Lost, Refused } from "./connection.js";
import { devicesView, makeDevices } from "./devices.js";
import { homeView } from "./home.js";
import { enterLecture, leaveLecture } from "./lecture.js";
import { lectureView } from "./lecture_view.js";
import { formOf, Home, homeState } from "./lobby.js";
import { cellNames, next } from "./moves.js";
import { fromAnswer, withMore } from "./review.js";
import { mySide, roomView, statusOf } from "./room.js";
import { fromRoom, fromUpdate, lookAlong, lookAt, seen, withPast } from "./table.js";
import { lecture, text } from "./texts.js";

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
  /** @type {import("./devices.js").Panel | null} */
  devices: null,
  ...homeState(),
  /** Whether the lecture is shown. */
  lecture: false,
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
  /** @type {import("./review.js").Review | null} */
  review: null,
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
    review,
    showMistake,
    say,
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
    document.title = title();
    home.boards.drawn();
  });
}

function view() {
  return html`<header>
      <a class="brand" href="/">${text.name}</a>
      ${app.me
        ? html`<button class="me" title=${text.account} aria-expanded=${app.devices?.shown ? "true" : "false"} @click=${app.devices?.toggle}>
            <bdi>${app.me.name}</bdi>
          </button>`
        : nothing}
    </header>
    ${app.notice ? html`<p class="notice" role="status">${app.notice}</p>` : nothing}
    <main class=${app.room ? "in-room" : app.lecture ? "at-lecture" : "at-home"}>
      ${app.devices?.shown
        ? devicesView(app, app.devices)
        : app.room
          ? roomView(app)
          : app.lecture
            ? lectureView(app)
            : homeView(app)}
    </main>
    <p class="spoken" aria-live="polite">${app.announced}</p>`;
}

function title() {
  const { table } = app;
  const game = table && app.games.get(table.game);
  if (app.lecture) return `${lecture.title} · ${text.name}`;
  if (!app.room || !table || !game) return text.name;
  return `${statusOf(app, table, game, mySide(app, table))} · ${game.title}`;
}

// the connection

/**
 * @param {import("./connection.js").Status} status
 * @param {string} [message]
 */
function onStatus(status, message) {
  const notice = status === "lost" ? text.lost : status === "refused" ? `${(message ?? "").replace(/\.$/, "")}. ${text.reload}` : null;
  change({ status, notice });
}

/** @param {import("./connection.js").Message} welcome */
function onWelcome(welcome) {
  app.me = welcome.player;
  app.games = new Map(welcome.games.map((/** @type {GameInfo} */ game) => [game.key, game]));
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
      if (app.table?.room === message.room) change({ table: { ...app.table, spectators: message.count } });
      return;
    case "chat":
      return change({ chat: [...app.chat, { room: message.room, from: message.from.name, text: message.text }].slice(-200) });
    case "reviewed":
      return change({ review: withMore(app.review, message) });
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
  app.devices?.close();
  route(fresh);
}

/** @param {boolean} fresh whether to ask the server for what the view shows */
function route(fresh = true) {
  const room = /^\/rooms\/([A-Za-z0-9_-]{1,64})$/.exec(location.pathname)?.[1] ?? null;
  const before = app.room;
  if (before && before !== room && app.connection.welcomed) app.connection.request("leave", { room: before }).catch(() => {});
  const toLecture = location.pathname === "/lecture";
  if (!before && !app.lecture && (room || toLecture)) home.leave(room);
  if (app.lecture) leaveLecture();
  change({ room, lecture: toLecture, error: null, asking: false });
  if (before !== room) app.review = null;
  if (before !== room) change({ table: fresh ? null : app.table, analysis: null, pending: null, path: [], focus: null });
  if (fresh && app.connection.welcomed) enter();
}

/** Ask for what the view shows. */
function enter() {
  if (app.room) watch(app.table?.room === app.room ? app.table.version : null);
  else if (app.lecture) enterLecture(app, draw);
  else home.enter();
}

/** @param {number | null} since */
async function watch(since) {
  const room = app.room;
  const answer = await ask("watch", since === null ? { room } : { room, since });
  if (answer === null || app.room !== room) return;
  draw(); // nothing follows if nothing was missed
  if (app.review && !app.review.complete) review(); // the connection was lost before the rest came
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
  if (!table || table.line || !app.values.on || analysing) return;
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

/** Ask for the review of the game that is over; what is not done yet follows. */
async function review() {
  const { room } = app;
  const answer = await ask("review", { room });
  if (answer !== null && app.room === room) change({ review: fromAnswer(answer) });
}

/**
 * Look at the position before a mistake, or after some moves of the better line.
 * @param {number} ply
 * @param {number} step
 */
function showMistake(ply, step) {
  const better = app.review?.moves.get(ply)?.better;
  if (!app.table || !app.review || !better) return;
  change({ table: lookAlong(app.table, { ply, rows: better.rows, step }), review: { ...app.review, shown: ply }, analysis: null });
  document.querySelector(".stage")?.scrollIntoView({ block: "nearest" }); // on a phone it is far above the list
  analyse();
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
  const { line } = app.table;
  const on = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (line && on) return showMistake(line.ply, line.step + on); // the keys follow the line that is looked at
  const { ply } = seen(app.table);
  const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity, Escape: Infinity }[event.key];
  if (to !== undefined) look(to);
});
setInterval(() => {
  if (app.table?.state.clock?.running || app.table?.state.seats.first?.claimable_at || app.table?.state.seats.second?.claimable_at) draw();
}, 200);

app.devices = makeDevices(app, draw);
route(false);
app.connection.open();

export { app };
