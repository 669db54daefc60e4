// The page: the connection, and which view is shown. After each change of the state, the parts that depend on it are drawn.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { connection, Lost, Refused } from "./connection.js";
import { homeView } from "./home.js";
import { icon } from "./icons.js";
import { formOf, Home, homeState } from "./lobby.js";
import { isMine } from "./games.js";
import { lasting, SOUND, stored } from "./storage.js";
import { makeStore, part } from "./store.js";
import { text } from "./texts.js";
import { typeset } from "./typeset.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {typeof store.app} App
 * @typedef {ReturnType<typeof import("./play.js").playing>} Room
 * @typedef {typeof import("./lecture_view.js")} Lecture
 * @typedef {import("./table.js").Table} Table
 * @typedef {"home" | "watch" | "study" | "compete" | "classes" | "analysis" | "puzzles" | "room" | "replay" | "lecture" | "player" | "settings" | "nowhere"} View
 * @typedef {{app: App, change: typeof store.change, go: (path: string, fresh?: boolean) => void, wordsOf: typeof wordsOf, loaded: typeof loaded, styled: typeof styled}} Page
 * @typedef {{view: (app: App) => unknown, title: string, enter?: (page: Page) => void, leave?: () => void, onPush?: (message: import("./connection.js").Message) => void}} Other
 */

/** The views that have an address of their own. @type {Map<string, View>} */
const VIEWS = new Map([["/", "home"], ["/watch", "watch"], ["/study", "study"], ["/compete", "compete"], ["/tournaments", "compete"], ["/analysis", "analysis"], ["/puzzles", "puzzles"], ["/classes", "classes"], ["/lecture", "lecture"], ["/settings", "settings"]]);

/** The views with a board to play on. @type {View[]} */
const BOARDS = ["room", "replay", "analysis", "puzzles"];

/** The views in the style of a tournament. @type {View[]} */
const CONTESTS = ["compete", "classes"];

/** The views that ask the server for what they show, and are told when they are left. @type {View[]} */
const ENTERED = ["compete", "classes", "settings"];

/** How long it is said that the connection is back. */
const BACK_MS = 2000;

const store = makeStore({
  connection,
  ...startState(),
  actions: {
    .../** @type {Room["actions"]} */ ({}), // added when a room is loaded
    register,
    redraw: () => store.renew(),
    account: () => go("/settings"),
    announce: (/** @type {string} */ words) => change({ announced: words }),
    .../** @type {import("./lobby.js").HomeActions} */ ({}), // added below
  },
});
const { app, change, renew: draw } = store;

/** @type {Page} */
const page = { app, change, go, wordsOf, loaded, styled };
const home = new Home(app, page);
Object.assign(app.actions, home.actions);

/** What changes the looks of all of the page: a class of its root says so, as `:has` there is tried again with each change of a board. */
const WHOLE = ["in-room", "present", "screen"];

let drawn = false;

/** Draw what has changed, once for all changes of this turn. */
store.subscribe(() => {
  if (drawn) return;
  drawn = true;
  queueMicrotask(() => {
    drawn = false;
    render(view(), /** @type {HTMLElement} */ (document.getElementById("app")));
    for (const name of WHOLE) document.documentElement.classList.toggle(`has-${name}`, document.getElementsByClassName(name).length > 0);
    const calls = Math.max(app.calls, app.view === "home" ? waiting() : 0);
    document.title = calls ? `(${calls}) ${app.calledFor ?? title()}` : title();
    room?.drawn();
    home.boards.drawn();
  });
});

/** What the page knows and shows at the start, but for the connection and the actions. Each value is replaced by another, never changed in place. */
function startState() {
  return {
    /** @type {import("./connection.js").Status} */
    status: "connecting",
    /** @type {string | import("./vendor/lit-html/lit-html.js").TemplateResult | null} */
    notice: null,
    /** In how many games it is the player's move, since the page was last looked at. */
    calls: 0,
    /** What the title says while the player is called to a game. @type {string | null} */
    calledFor: null,
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
    /** A position of each game for its card. @type {Record<string, import("./types.js").Example>} */
    examples: {},
    /** What the operator calls the server, and a line of news. @type {{name?: string, news?: string}} */
    server: {},
    /** The keys of the games that can be opened here; null for all. @type {string[] | null} */
    offered: null,
    /** What this player may do at most, where not everybody may play. @type {"watch" | "enter" | null} */
    may: null,
    /** Whether the operator lets players be told of their moves at an address of theirs. */
    webhooks: false,
    ...homeState(),
    /** What is shown. @type {View} */
    view: "home",
    address: "",
    /** Whether sounds are on in this browser: they are off until somebody turns them on. */
    sound: stored(SOUND) === "on",
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
    /** What is beside the board. @type {"moves" | "values" | "review" | "chat" | "rules"} */
    tab: "moves",
    /** Whether values are shown in numbers on the board. */
    numbers: false,
    /** Whether the board is turned round. */
    flipped: false,
    /** How many lines of chat have been seen. */
    chatSeen: 0,
    /** @type {string | null} */
    valuesError: null,
    /** How reviews are shown, once one is wanted. @type {typeof import("./review.js") | null} */
    reviews: null,
    /** How values are explained, once they are wanted. @type {typeof import("./values_panel.js") | null} */
    explains: null,
    /** How chat is shown, once it is opened. @type {typeof import("./chat.js") | null} */
    chats: null,
    /** @type {import("./review.js").Review | null} */
    review: null,
    /** @type {Partial<Record<"first" | "second", {before: number | null, after: number}>> | null} */
    ratings: null,
    /** How a tournament counts a game that did not begin, in words. @type {string | null} */
    ruling: null,
    /** What the results of a rated game are worth to the player, in words, once that is asked. @type {string | null} */
    stakes: null,
    /** @type {{room: string, id: string, from: string, text: string}[]} */
    chat: [],
    /** What became of this player's offer. */
    remark: "",
    announced: "",
    /** The server's time for what is shown of it, brought up to date when that changes. */
    now: 0,
    present: false,
    /** The names of the students of the teacher's class that was shown last, by the ids of the players. @type {Map<string, string>} */
    pupils: new Map(),
    // a game in a file
    /** @type {import("./table.js").Recorded[]} */
    records: [],
    recordShown: 0,
    /** @type {string | null} */
    recordRoom: null,
  };
}

/** What is said of the connection: over the header, as calls are, for nothing must move below a finger. @type {Set<unknown>} */
const OF_LINK = new Set([text.lost, text.reconnected]);

const isOnBoard = () => app.view === "analysis" || app.view === "puzzles";
const isInRoom = () => BOARDS.includes(app.view);

function view() {
  return html`${part(header, app)}
    ${app.notice ? html`<p class="notice ${OF_LINK.has(app.notice) ? "over of-link" : typeof app.notice === "string" ? "" : "over"}" role="status">${app.notice}</p>` : nothing}
    ${(app.forgotten && app.me) || (app.forgetful && (app.room || app.view === "home")) ? rarely(({ noticesView }) => noticesView(app, page)) : nothing}
    <main class="${isInRoom() && !app.noRoom ? "in-room" : ""} ${app.present ? "present" : ""}">${shown()}</main>
    <p class="spoken" aria-live="polite">${app.announced}</p>`;
}

function header() {
  const own = app.me?.registered ? `/players/${encodeURIComponent(app.me.name)}` : "/settings"; // whoever has no name yet can take one there
  const watches = app.view === "room" && app.table?.state.status === "playing" && !isMine(app, app.table.state);
  return html`<header>
      <a class="back button bare" href="/" aria-label=${text.home}>${icon("back")}</a>
      <span class="where">${isOnBoard() ? other?.title : isInRoom() ? room?.where() : nothing}</span>
      <a class="brand" href="/">${app.server.name ?? text.name}</a>
      <nav aria-label=${text.nav}>
        ${place("/", "play", text.play, app.view === "home" || (app.view === "room" && !watches))} ${place("/watch", "watch", text.watch, app.view === "watch" || watches)}
        ${place("/study", "study", text.study, ["study", "lecture", "classes"].includes(app.view) || isOnBoard())}
        ${place("/compete", "compete", text.compete, app.view === "compete")}
      </nav>
      ${app.view === "room" && !app.noRoom ? html`${nextBoard?.view()} ${room?.inHeader()}` : nothing}
      ${app.me
        ? html`<a class="me" href=${own} title=${app.me.registered ? text.yours : text.account} aria-current=${["/settings", own, `/players/${app.me.id}`].includes(app.address) ? "page" : nothing}>${icon("me")}<bdi>${app.me.name}</bdi></a>`
        : nothing}
    </header>`;
}

/** @returns {unknown} */
function shown() {
  if (app.view === "nowhere" || app.noRoom) return rarely(({ nothingView }) => nothingView(app.noRoom));
  if (app.view === "room" || app.view === "replay") return room?.view();
  if (app.view === "lecture") return lecture?.lectureView(app);
  if (app.view === "home") return part(homeView, app);
  return app.me ? other?.view(app) : nothing;
}

/** How many games wait for this player. */
function waiting() {
  return (app.mine.running ?? []).filter((game) => game.to_move === game.side).length;
}

/**
 * A place of the navigation, with how many games wait for this player.
 * @param {string} path
 * @param {"play" | "watch" | "study" | "compete"} sign
 * @param {string} label
 * @param {boolean} here
 */
function place(path, sign, label, here) {
  const count = path === "/" ? waiting() : 0;
  return html`<a href=${path} aria-current=${here ? "page" : nothing}
    >${icon(sign)}${label}${count ? html`<span class="badge"><span class="spoken">${text.waitForYou}</span>${count}</span>` : nothing}</a
  >`;
}

/**
 * What few ever see is loaded when it is to be shown.
 * @param {(notices: typeof import("./notices.js")) => unknown} shows
 */
function rarely(shows) {
  if (notices) return shows(notices);
  loaded(import("./notices.js")).then((module) => {
    notices = module;
    draw();
  });
  return nothing;
}

function title() {
  if (app.view === "nowhere" || app.noRoom) return `${app.noRoom ? text.unknownRoom : text.unknownPage} · ${text.name}`;
  const where = app.view === "lecture" ? lecture?.title : app.view === "room" || app.view === "replay" ? room?.title() : other?.title;
  return app.view === "home" || !where ? text.name : where.endsWith(text.name) ? where : `${where} · ${text.name}`;
}

/** What happens in a room, and the other views, once they are loaded: most people see the first view before. */
let room = /** @type {Room | null} */ (null);
let came = false; // from another view, where something had the focus
let lecture = /** @type {Lecture | null} */ (null);
let notices = /** @type {typeof import("./notices.js") | null} */ (null);
let other = /** @type {Other | null} */ (null);
let analysis = /** @type {Other | null} */ (null);
let nextBoard = /** @type {import("./next_board.js").NextBoard | null} */ (null);

/** Views that are loaded when they are opened. @type {Partial<Record<View, () => Promise<Other>>>} */
const OTHERS = {
  watch: () => import("./watch.js"),
  study: () => import("./study.js"),
  compete: () => import("./compete.js"),
  classes: loadClasses,
  player: () => import("./profile.js"),
  analysis: loadAnalysis,
  puzzles: loadPuzzles,
  settings: () => import("./settings.js"),
};

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
  const [{ playing }] = await Promise.all([loaded(import("./play.js")), styled("room.css"), lowered()]);
  room ??= playing({ app, change, draw, go, ask, wordsOf, loaded, styled, came });
  Object.assign(app.actions, room.actions);
  draw();
  return room;
}

/** @returns {Promise<Lecture>} */
async function loadLecture() {
  const [module] = await Promise.all([loaded(import("./lecture_view.js")), styled("lecture.css")]);
  lecture = module;
  draw();
  return lecture;
}

/**
 * @param {View} view
 * @param {() => Promise<Other>} load
 */
async function loadOther(view, load) {
  other = view === "analysis" ? analysis : null;
  const [next] = await Promise.all([loaded(load()), styled(`${view}.css`)]);
  if (app.view === view) other = next;
  draw();
  other?.enter?.(page);
}

async function loadAnalysis() {
  const [{ analysing }] = await Promise.all([loaded(import("./analysis.js")), styled("room.css"), styled("values.css"), styled("analysis.css")]);
  return (analysis ??= analysing({ app, draw, wordsOf }));
}

async function loadClasses() {
  const [module] = await Promise.all([loaded(import("./classes.js")), styled("compete.css")]);
  return module;
}

/** The other boards of somebody who plays. */
async function loadNextBoard() {
  nextBoard ??= new (await Promise.all([loaded(import("./next_board.js")), styled("next_board.css")]))[0].NextBoard(page);
  return nextBoard;
}

async function loadPuzzles() {
  const [module] = await Promise.all([loaded(import("./puzzles.js")), styled("room.css"), styled("review.css")]);
  return module;
}

/** The views that need a style sheet, where it is not named after the only one. @type {Record<string, View[]>} */
const NEED = { "room.css": BOARDS, "low.css": BOARDS, "review.css": BOARDS, "values.css": BOARDS, "ending.css": BOARDS, "next_board.css": BOARDS, "chat.css": BOARDS, "compete.css": CONTESTS, "screens.css": CONTESTS, "terms.css": ["home"], "rail.css": [...VIEWS.values(), "player"] };

/** What a projector needs besides, in any view. */
const PRESENT = "present.css";

/** @type {Map<string, {link: HTMLLinkElement, coming: Promise<unknown>}>} */
const sheets = new Map();

/**
 * A style sheet that only some views need.
 * @param {string} name
 */
function styled(name) {
  let sheet = sheets.get(name);
  if (sheet === undefined) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, import.meta.url).href;
    sheet = { link, coming: new Promise((resolve) => link.addEventListener("load", resolve)).then(restyle) };
    sheets.set(name, sheet);
    document.head.append(link);
  }
  return sheet.coming;
}

/** Whether this is a phone that is low, or lies on its side: a room has a style sheet more there, after its own, and so have all other views. */
const low = matchMedia("(max-width: 1000px) and (max-height: 500px), (max-width: 600px) and (max-height: 700px)");
const lowered = () => low.matches && (isInRoom() ? Promise.all([styled("room.css"), styled("low.css")]) : styled("rail.css"));
low.addEventListener("change", lowered);

/** Use the style sheets of the view that is shown, and no others: two views may mean something else by a class. */
function restyle() {
  for (const [name, { link }] of sheets) {
    const views = NEED[name] ?? [name.replace(".css", "")];
    if (link.sheet) link.sheet.disabled = name === PRESENT ? !app.present : !views.includes(app.view);
  }
}

// the connection

/**
 * @param {import("./connection.js").Status} status
 * @param {string} [message]
 */
function onStatus(status, message) {
  const back = status === "open" && app.notice === text.lost;
  const keep = status === "connecting" && app.notice === text.lost;
  const lost = (status === "lost" && app.me !== null) || keep; // before the first welcome there was none to lose
  const refused = `${(message ?? "").replace(/\.$/, "")}. ${text.reload}`;
  const notice = lost ? text.lost : status === "refused" ? refused : back ? text.reconnected : null;
  change({ status, notice });
  if (back) setTimeout(() => app.notice === text.reconnected && change({ notice: null }), BACK_MS);
}

/** Whether the window is higher than wide: there a board of hexagons or of pits, which is wider than high, stands upright. */
const tall = matchMedia("(max-aspect-ratio: 1/1)");
/** @param {Iterable<GameInfo>} games */
const fitted = (games) => new Map([...games].map((game) => [game.key, /^(hexagons|pits)$/.test(game.board?.shape ?? "") ? { ...game, upright: tall.matches } : game]));
tall.addEventListener("change", () => change({ games: fitted(app.games.values()) }));
matchMedia("(max-width: 700px), (max-height: 500px)").addEventListener("change", draw); // there a board has the names at its edge elsewhere

/**
 * What can be played here, which is shown before the server knows who comes.
 * @param {Record<string, any>} told
 */
function onGames({ games, words, examples, server, offered }) {
  change({
    games: fitted(games),
    words: words ?? app.words,
    examples: examples ?? app.examples,
    server: server ?? {},
    offered: offered ?? null,
  });
}

/** @param {import("./connection.js").Message} welcome */
function onWelcome(welcome) {
  const { player, may, webhooks, announcement } = welcome;
  onGames(welcome);
  change({
    me: player,
    may: may ?? null,
    webhooks: webhooks === true,
    notice: announcement?.text ?? app.notice,
    now: app.connection.now(),
  });
  if (location.hash.startsWith("#invitation=")) {
    loaded(import("./entering.js")).then(({ enter }) => enter(app, change));
  }
  enter();
  home.seekAgain();
}

/** @param {import("./connection.js").Message} message */
function onPush(message) {
  if (app.view === "compete" || app.view === "classes") other?.onPush?.(message);
  if (message.type === "room" || message.type === "update") nextBoard?.onPush(message);
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
    case "tournament":
    case "class":
    case "class_changes":
      return; // the view has it
    case "simul_game":
    case "tournament_game":
      return loaded(import("./called.js")).then(({ call }) => call(message, page));
    case "invitation":
      return loaded(import("./invited.js")).then(({ invited }) => invited(message, page));
    case "your_move":
      return import("./your_move.js").then(({ call }) => call(message, { room: app.room, ...page }));
    case "error":
      return change({ notice: typeset(message.message) });
  }
}

/** @param {import("./connection.js").Message} message */
function onRoom(message) {
  if (message.room !== app.room) {
    if (app.room === null || message.previous !== app.room) return home.onRoom(message);
    go(`/rooms/${message.room}${app.present ? "?present" : ""}`, false); // the rematch of the room that is shown
  }
  if (isMine(app, message.state)) loadNextBoard().then((next) => next.enter());
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
  history.pushState("within", "", path); // there is a view to go back to
  route(fresh);
}

/** @param {boolean} fresh whether to ask the server for what the view shows */
function route(fresh = true) {
  const at = /^\/rooms\/([A-Za-z0-9_-]{1,64})$/.exec(location.pathname)?.[1] ?? null;
  const query = new URLSearchParams(location.search);
  const view = at !== null ? "room" : location.pathname === "/" && query.has("replay") ? "replay" : location.pathname.startsWith("/players/") ? "player" : location.pathname.startsWith("/tournaments/") ? "compete" : location.pathname.startsWith("/classes/") ? "classes" : VIEWS.get(location.pathname) ?? "nowhere";
  const { room: before, view: left } = app;
  const stays = (at !== null || view === "classes") && nextBoard?.keeps(before ?? ""); // who plays on several boards is there on all
  if (before && before !== at && app.connection.welcomed && !stays) app.connection.request("leave", { room: before }).catch(() => {});
  if (view !== left && (left === "home" || left === "watch")) home.leave(at);
  if (left === "lecture") lecture?.leaveLecture();
  if (ENTERED.includes(left)) other?.leave?.();
  if (view !== left && view !== "room" && view !== "classes" && app.connection.welcomed) nextBoard?.leave();
  change({ room: at, noRoom: false, view, address: location.pathname, present: view !== "lecture" && query.has("present"), error: null, asking: false });
  restyle();
  lowered();
  if (app.present) {
    change({ tab: "values" });
    styled(PRESENT);
  }
  if (view === "player") change({ boards: new Map() });
  if (before !== at && at !== null) scrollTo(0, 0); // such as from a game to its rematch
  if (before !== at || (!at && view !== "replay")) {
    change({ table: null, review: null, ratings: null, ruling: null, stakes: null, valuesError: null, remark: "", focus: null, pending: null, path: [], chosen: null, flipped: false, tab: app.present || app.tab === "values" ? "values" : "moves" });
  }
  if (view === "room" || view === "replay") loadRoom(); // while the connection is made
  else if (view === "lecture") loadLecture();
  else if (OTHERS[view]) loadOther(view, OTHERS[view]);
  if (fresh && app.connection.welcomed) enter();
}

/** Ask for what the view shows. */
async function enter() {
  const { room: at, view } = app;
  if (view === "room" || view === "replay") {
    const { watch } = await loadRoom();
    if (at !== null && at === app.room) watch(app.table?.room === at ? app.table.version : null);
  } else if (view === "lecture") {
    const { enterLecture } = await loadLecture();
    if (app.view === "lecture") enterLecture(app, draw);
  } else if (isOnBoard() || ENTERED.includes(view)) other?.enter?.(page);
  else if (view !== "nowhere" && view !== "player") home.enter();
}

// who the player is

/** @param {SubmitEvent} event */
async function register(event) {
  const answer = await ask("register", { name: String(formOf(event).get("name")).trim() });
  if (answer !== null) change({ me: answer.player });
}

/** Another device has made a code for this one, which is in the link that was opened: the settings take it. */
function lookForCode() {
  if (location.hash.startsWith("#join=")) history.replaceState(null, "", `/settings${location.hash}`);
}

// what the browser brings

addEventListener("popstate", () => {
  lookForCode();
  route();
});
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

lookForCode();
route(false);
connection.listen({ onStatus, onGames, onWelcome, onPush, onForgotten: () => change({ forgotten: true }) });

export { app };
