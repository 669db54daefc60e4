// What happens in a room that is shown: moves, what the server says of them, replay, values, files. It is loaded when the
// first room is shown, with all that only a room needs.

import { lasts, left, shown } from "./clock.js";
import { Lost, Refused } from "./connection.js";
import { hasSmallCells, STEPS } from "./drag.js";
import { listen, toggleSound } from "./listening.js";
import { find, gameOf, sideOf } from "./looks.js";
import { meant, next, partAt, partNames, step } from "./moves.js";
import { inHeader } from "./panels.js";
import { due, picked, premoveText, usualParts } from "./premove.js";
import { calledAs, mySide, roomView, statusOf } from "./room.js";
import { fromRoom, fromUpdate, lacksHistory, lookAlong, lookAt, seen, withHistory } from "./table.js";
import { text } from "./room_texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./connection.js").Message} Message
 * @typedef {import("./table.js").Table} Table
 * @typedef {{app: App, change: (changes: Partial<App>) => void, draw: () => void, go: (path: string, fresh?: boolean) => void,
 *            ask: (type: string, fields: Record<string, unknown>) => Promise<Message | null>,
 *            wordsOf: (error: unknown) => string, loaded: <T>(module: Promise<T>) => Promise<T>,
 *            styled: (name: string) => Promise<unknown>, came: boolean}} Core
 */

/** With less than so many ms left a clock is red, and its player hears it. */
const SHORT_MS = 10_000;

/** How much of a tab is to be seen, at least, in px. */
const PEEK = 110;

/** How many lines of chat are kept. */
const CHAT_LINES = 200;

/** What the other side does that calls a player who looks elsewhere. */
const CALLS = new Set(["played", "joined", "offered", "ended"]);

/** What nothing that is shown has yet, for a new room. */
const FRESH = { pending: null, path: [], chosen: null };

/** @param {Core} core */
export function playing(core) {
  const { app, change, draw, go, ask, wordsOf, loaded, came } = core;
  /** What asks for values, once they are wanted. @type {Promise<ReturnType<typeof import("./valuing.js").valuing>> | null} */
  let values = null;
  const valued = () => (values ??= loaded(import("./valuing.js")).then(({ valuing }) => valuing(core)));
  const analyse = () => app.tab === "values" && valued().then((asks) => asks.analyse());
  const explain = () => app.tab === "values" && valued().then((asks) => asks.explain());
  const anew = () => values?.then((asks) => asks.anew());
  let tickLater = 0;
  /** The game in which the player has heard that there is little time left. @type {string | null} */
  let warned = null;
  /** @type {HTMLElement | null} */
  let shownMove = null;
  /** @type {Element | null} */
  let focused = came ? document.createElement("i") : document.activeElement; // what had it has gone
  const plays = () => app.table?.state.status === "playing" && app.table.options.clock?.per_move_s === undefined && mySide(app, app.table) !== null;
  loaded(import("./pulse.js")).then(({ pulse }) => pulse(app.connection, plays));
  document.addEventListener("focusin", ({ target }) => {
    const element = /** @type {Element} */ (target);
    focused = element.closest(".standing button, .steps-through, .moves, .replay") ? null : element; // after these the keys go through the game
  });

  // moves

  /** The practice on mistakes, once it is wanted. @type {ReturnType<typeof import("./practice.js").practising> | null} */
  let practice = null;

  /** The table on which moves are picked: the room's or, in practice, one on which they are only tried. */
  const atHand = () => (practice?.shown() ? practice.table() : app.table);

  /**
   * @param {number} row
   * @param {number} column
   */
  function pick(row, column) {
    const table = atHand();
    const game = table && gameOf(app, table);
    if (!table || !game) return;
    const options = optionsNow(table, game);
    if (app.room && table.state.status === "over" && seen(table).past && !table.line) {
      return go(`/analysis?room=${app.room}&at=${seen(table).ply}&pick=${row}.${column}`); // to try another move
    }
    pickPart(partAt(game, row, column, options), (game.cells ?? game.layout)[row][column]);
  }

  /**
   * What can be picked now; undefined if it is not this player's turn, or the past is shown.
   * @param {Table} table
   * @param {GameInfo} game
   */
  function optionsNow(table, game) {
    const mine = mySide(app, table);
    if (seen(table).past || mine === null || table.state.to_move !== mine || app.pending !== null) return undefined;
    return next(table.state.legal_moves, partNames(game), app.path);
  }

  /**
   * @param {string} part a part of a move: a cell or a choice
   * @param {string} name the name of the cell
   * @returns {void}
   */
  function pickPart(part, name) {
    const table = atHand();
    const game = table && gameOf(app, table);
    change({ focus: name });
    const options = table && game ? optionsNow(table, game) : undefined;
    if (!table || !game) return;
    if (app.chosen?.name === name) return confirm();
    if (options === undefined) return pickAhead(table, game, part, name);
    // Where one pick is a move, the server says why another is not legal.
    if (!app.path.length && !options.has(part) && [...options.values()].some(({ move }) => move !== null)) return void play(part);
    const found = step(table.state.legal_moves, partNames(game), app.path, part);
    if ("path" in found) return change({ path: found.path, chosen: null, error: found.path.length ? null : app.error });
    if (found.ends || !hasSmallCells(game)) return void play(found.move);
    change({ chosen: { name, move: found.move }, error: null });
  }

  /**
   * What is picked when it is not this player's turn: a premove, from a piece of one's own where moves go from cell to cell.
   * @param {Table} table
   * @param {GameInfo} game
   * @param {string} part
   * @param {string} name
   */
  function pickAhead(table, game, part, name) {
    const mine = mySide(app, table);
    const { status, to_move, legal_moves } = table.state;
    if (mine === null || seen(table).past || app.pending !== null || practice?.shown()) return;
    if (status === "waiting") return change({ remark: premoveText.notBegun });
    if (status !== "playing" || to_move === mine) return;
    const size = usualParts(legal_moves, partNames(game));
    const before = table.premove ?? [];
    if (size > 1 && !before.length && !isMine(table, game, mine, name)) return;
    change({ table: { ...table, premove: picked(before, part, size) }, error: null });
  }

  /**
   * Whether a piece of this side is in the cell, or could be: where nothing tells whose a piece is.
   * @param {Table} table
   * @param {GameInfo} game
   * @param {import("./types.js").Side} mine
   * @param {string} name
   */
  function isMine({ state }, game, mine, name) {
    const [row, column] = find(game, state.rows, name) ?? [0, 0];
    const symbol = state.rows[row][column];
    const side = sideOf(game, symbol);
    return side === mine || (side === null && symbol !== ".");
  }

  /**
   * Play the premove, go on to pick it, or say that it is none any more.
   * @param {Message} update
   */
  function playAhead({ event }) {
    const { table } = app;
    const premove = table?.premove;
    const game = table && gameOf(app, table);
    if (!table || !game || !premove?.length) return;
    const mine = mySide(app, table);
    if (event.kind === "played" && event.side === mine) return;
    const expectedNow = event.kind === "played" && table.state.to_move === mine;
    const move = expectedNow ? due(premove, table.state.legal_moves, partNames(game)) : undefined;
    change({ table: { ...table, premove: [] }, ...(move === null ? { path: premove } : {}) });
    if (move) play(move);
    else if (expectedNow && move === undefined) change({ remark: premoveText.dropped(premove) });
  }

  function unpick() {
    change({ path: [], chosen: null });
  }

  function confirm() {
    if (app.chosen) play(app.chosen.move);
  }

  /** @param {SubmitEvent} event */
  function typed(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const table = atHand();
    const move = String(new FormData(form).get("move"));
    if (!table || !move.trim() || app.pending !== null) return;
    form.reset();
    if (seen(table).past) look(Infinity);
    play(meant(table.state.legal_moves, move));
  }

  /** @param {string} move */
  async function play(move) {
    if (practice?.shown()) return practice.tried(move);
    const table = /** @type {Table} */ (app.table);
    const { turn } = table.state;
    change({ ...FRESH, pending: move, error: null });
    const isNow = () => app.table?.room === table.room && app.table.state.turn === turn;
    for (;;) {
      try {
        await app.connection.request("play", { room: table.room, turn, move });
        return;
      } catch (error) {
        if (!isNow()) return;
        if (error instanceof Lost) {
          await new Promise((resolve) => setTimeout(resolve, 300)); // a move that is sent again is played once
          if (isNow()) continue;
          return;
        }
        return change({ pending: null, error: wordsOf(error) });
      }
    }
  }

  // what the server says

  /** @param {Message} message a `room` */
  function onRoom(message) {
    change({ table: fromRoom(message, app.table), ...FRESH });
    fill();
    analyse();
    stake();
    rate();
  }

  /** @param {Message} message */
  function onUpdate(message) {
    const before = app.table;
    if (before === null || before.room !== message.room || message.version <= before.version) return;
    const table = fromUpdate(before, message);
    if (table === null) {
      watch(before.version); // something is missing
      return;
    }
    const turned = table.state.turn !== before.state.turn;
    const remark = remarkOn(message, before);
    change({ table, ...(turned ? FRESH : {}), remark: remark ?? (turned || table.state.status === "over" ? "" : app.remark) });
    announce(message, table, before);
    const { kind, side } = message.event;
    const [mine, game] = [mySide(app, table), gameOf(app, table)];
    const calls = mine !== null && side !== mine && CALLS.has(kind);
    if (calls && document.visibilityState !== "visible") loaded(import("./your_move.js")).then(({ dot }) => dot());
    if (turned) {
      playAhead(message);
      analyse();
      core.styled("ending.css");
    }
    listen(core, ({ heard }) => (game ? heard(message.event, before.state, table.state, game, mine) : []));
    if (table.state.outcome && !before.state.outcome) {
      rate();
      const { tournament } = table.options;
      if (tournament && mine !== null) loaded(import("./returning.js")).then(({ comeBack }) => comeBack(table.room, tournament, core));
    }
    if (table.state.status === "playing" && before.state.status !== "playing") stake();
  }

  /**
   * What became of this player's offer: declined by an answer, or by a move. Null for anything else.
   * @param {Message} update
   * @param {Table} before
   */
  function remarkOn({ event }, before) {
    const mine = mySide(app, before);
    if (mine === null || event.side === mine) return null;
    const name = before.state.seats[/** @type {import("./types.js").Side} */ (event.side)]?.name ?? "";
    if (event.kind === "declined") return refusal(event, before, name);
    const offered = event.kind === "played" && before.state.offers.find(({ side }) => side === mine);
    return offered ? text.declined(name, offered.offer) : null;
  }

  /**
   * Who declines an offer, or withdraws an own one.
   * @param {Message["event"]} event
   * @param {Table} before
   * @param {string} name
   */
  function refusal({ side, offer }, before, name) {
    const own = before.state.offers.some((one) => one.side === side && one.offer === offer);
    return text[own ? "withdrawn" : "declined"](name, offer);
  }

  /**
   * @param {Message} update
   * @param {Table} table
   * @param {Table} before
   */
  function announce({ event, state }, table, before) {
    const game = gameOf(app, table);
    if (!game) return;
    const status = statusOf(app, { ...table, at: null }, game, mySide(app, table));
    const seat = state.seats[event.side];
    const name = seat ? calledAs(seat) : "";
    const say = (/** @type {string} */ announced) => change({ announced });
    if (event.kind === "played") say(`${text.moved(name || game.sides[/** @type {"first"} */ (event.side)].name, state.names?.at(-1) ?? event.move)} ${status}`);
    else if (event.kind === "taken_back") say(`${text.takenBack(event.plies)} ${status}`);
    else if (event.kind === "ended") say(status);
    else if (event.kind === "joined") say(`${text.joined(name)} ${status}`);
    else if (event.kind === "disconnected") say(text.isAway(name));
    else if (event.kind === "returned") say(text.isBack(name));
    else if (event.kind === "declined" && event.side !== mySide(app, table)) say(refusal(event, before, name));
    else if (event.kind === "offered" && event.side !== mySide(app, table)) say(text.offers[/** @type {"draw"} */ (event.offer)](name));
  }

  /** @param {number | null} since */
  async function watch(since) {
    const room = app.room;
    try {
      await app.connection.request("watch", since === null ? { room } : { room, since });
    } catch (error) {
      if (app.room !== room) return;
      const noRoom = error instanceof Refused && error.code === "unknown_room";
      return change(noRoom ? { noRoom } : { error: wordsOf(error) });
    }
    if (app.room !== room) return;
    change({ error: null, noRoom: false });
    recallChat();
    if (app.review && !app.review.complete) review(); // the connection was lost before the rest came
    if (location.search.includes("practice")) practise();
    if (new URLSearchParams(location.search).has("review")) openTab("review");
    analyse();
  }

  /** Show the mistakes of the finished game again, for a better move to be found. */
  async function practise() {
    const [{ practising }] = await Promise.all([loaded(import("./practice.js")), ...sheets()]);
    practice ??= practising(core, review);
    practice.begin();
  }

  /** Show what was said in the room before, also while the connection was lost. */
  async function recallChat() {
    const { room } = app;
    const answer = await app.connection.request("chat_history", { room }).catch(() => null);
    if (answer === null || app.room !== room) return;
    const others = app.chat.filter((line) => line.room !== room);
    change({ chat: [...others, ...answer.lines.map(chatLine)].slice(-CHAT_LINES) });
  }

  /** Ask for the positions that are not known, all at once. */
  async function fill() {
    const { table } = app;
    if (!table || !lacksHistory(table)) return;
    const { moves } = table.state;
    try {
      const { positions } = await app.connection.request("replay", { game: table.game, moves, setup: table.options.setup });
      if (app.table?.room === table.room) change({ table: withHistory(app.table, moves, positions) });
    } catch (error) {
      if (error instanceof Refused && error.retryAfterS !== undefined) setTimeout(fill, error.retryAfterS * 1000);
    }
  }

  // replay

  /** @param {number} ply */
  function look(ply) {
    if (!app.table) return;
    change({ table: lookAt(app.table, ply), path: [], chosen: null, error: null });
    analyse();
  }

  /** @param {File} file */
  async function openFile(file) {
    const { read } = await loaded(import("./files.js"));
    const found = await read(file, app, ask);
    if (found === null) return;
    change(found);
    if (found.records) await openRecord(0);
  }

  /**
   * Show a game of the file. The file has only moves, so the server replays them; it need not know the room. If it does,
   * the room is one click away, with values and all.
   * @param {number} index
   */
  async function openRecord(index) {
    const record = app.records[index];
    const { room, game, moves, options } = record;
    const [{ fromRecord }, answer] = await Promise.all([loaded(import("./files.js")), ask("replay", { game, moves, setup: options.setup })]);
    if (answer === null) return;
    go("/?replay", false);
    change({ table: fromRecord(record, /** @type {any} */ (answer)), recordShown: index, recordRoom: null, error: null, ...FRESH });
    const here = await app.connection.request("watch", { room, preview: true }).catch(() => null); // there is no other way to ask
    if (here === null) return;
    app.connection.request("leave", { room }).catch(() => {});
    if (app.table?.room === room) change({ recordRoom: room });
  }

  // values

  /** @param {App["tab"]} tab */
  function openTab(tab) {
    anew();
    change({ tab, valuesError: null, chatSeen: chatLines() });
    if (tab === "chat") loadChat();
    if (tab === "review" && app.review?.room !== app.room) review();
    analyse();
    requestAnimationFrame(() => {
      if (tab === "review") return window.scrollTo(0, 0); // all of it fits
      const below = (document.querySelector(".room .view")?.getBoundingClientRect().top ?? 0) + PEEK - innerHeight;
      if (below > 0) scrollBy(0, below); // on a low screen nothing of it would be seen
    });
  }

  async function loadChat() {
    const [chats] = await Promise.all([loaded(import("./chat.js")), core.styled("chat.css")]);
    change({ chats });
    requestAnimationFrame(() => document.querySelector(".chat > form")?.scrollIntoView({ block: "nearest" }));
  }

  /** How many lines of chat there are in the room that is shown. */
  function chatLines() {
    return app.chat.filter((line) => line.room === app.room).length;
  }

  // review

  const sheets = () => ["values.css", "review.css"].map(core.styled);

  /** Ask for the review of the game that is over; what is not done yet follows. */
  async function review() {
    const { room } = app;
    const [reviews] = await Promise.all([loaded(import("./review.js")), ...sheets()]);
    change({ reviews });
    const answer = await ask("review", { room });
    if (answer === null || app.room !== room) return;
    change({ review: reviews.fromAnswer(answer) });
    toDecisive();
  }

  /** Go to the move that decided the game, if the review has just named it. */
  function toDecisive() {
    const ply = app.reviews?.toShow(app);
    if (ply != null && !practice?.shown()) showMistake(ply, 0, false);
  }

  /**
   * Look at the position before a mistake, or after some moves of the better line.
   * @param {number} ply
   * @param {number} step
   */
  function showMistake(ply, step, scrolls = true) {
    const better = app.review?.moves.get(ply)?.better;
    if (!app.table || !app.review || !better) return;
    change({ table: lookAlong(app.table, { ply, rows: better.rows, step }), review: { ...app.review, shown: ply } });
    if (scrolls) requestAnimationFrame(() => document.querySelector(".better")?.scrollIntoView({ block: "nearest" }));
    analyse();
  }

  // ratings

  /** Before the end of a rated game of this player, find out what is at stake. */
  function stake() {
    const { table } = app;
    if (!table?.options.rated || table.options.unrated_because || table.state.status !== "playing" || mySide(app, table) === null || app.stakes !== null) return;
    change({ stakes: "" });
    loaded(import("./ratings.js")).then((module) => module.stake(table, app, change));
  }

  /** After a rated game of this player, find out how it changed the ratings; after one that did not begin, how its tournament counts it. */
  function rate() {
    const { table } = app;
    if (table?.options.tournament && table.state.outcome?.reason === "aborted") loaded(import("./ruling.js")).then(({ rule }) => rule(table, app, change));
    if (!table?.options.rated || !table.state.outcome || mySide(app, table) === null || app.ratings !== null) return;
    change({ ratings: {} });
    loaded(import("./ratings.js")).then((module) => module.rate(table, app, change));
  }

  // what runs by itself

  /** Bring the clocks up to date, and come back when they change again. */
  function tick() {
    clearTimeout(tickLater);
    const clock = app.table?.state.clock;
    const now = app.connection.now();
    let wait = Infinity;
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".time"))) {
      if (!clock) continue;
      const side = /** @type {"first" | "second"} */ (element.dataset.side);
      const ms = left(clock, side, now);
      const words = shown(ms);
      if (element.textContent !== words) element.textContent = words;
      element.classList.toggle("short", ms < SHORT_MS);
      if (ms < SHORT_MS && clock.running === side && warned !== app.room && app.table && mySide(app, app.table) === side) {
        warned = app.room;
        listen(core, () => ["low"]);
      }
      if (clock.running === side && ms > 0) wait = Math.min(wait, lasts(ms));
    }
    const countdown = /** @type {HTMLElement | null} */ (document.querySelector(".countdown"));
    if (countdown) {
      const ms = Number(countdown.dataset.until) - now;
      if (ms <= 0) change({ now });
      countdown.textContent = app.table?.state.clock?.first_move_by ? shown(Math.max(0, ms)) : text.claimIn(Math.max(0, Math.ceil(ms / 1000)));
      wait = Math.min(wait, ms > 0 ? lasts(ms) : Infinity);
    }
    if (wait < Infinity) tickLater = setTimeout(tick, wait);
  }

  /**
   * After each drawing: keep the move that is looked at in the list's window, without moving the page. When what had the
   * focus has gone, such as a button, the next question has it, or the board; after the end the last move in the list, since
   * a ring on the board would look like a part of the row that has won.
   */
  function drawn() {
    tick();
    explain();
    if (focused && !focused.isConnected && document.activeElement === document.body) {
      const next = app.asking ? ".actions .main" : app.table?.state.outcome ? ".move.now" : '.board [tabindex="0"]';
      /** @type {HTMLElement | null} */ (document.querySelector(next))?.focus({ preventScroll: true });
    }
    const now = /** @type {HTMLElement | null} */ (document.querySelector(".move.now"));
    const list = now?.closest("ol");
    if (list && list !== followed) {
      resized.disconnect();
      resized.observe((followed = list)); // such as when the result takes a part of its room
    }
    if (!now || !list || now === shownMove) return;
    shownMove = now;
    requestAnimationFrame(() => scrollTo(now, list)); // to measure now would lay out the whole page in the middle of a drawing
  }

  /** @type {Element | null} */
  let followed = null;
  const resized = new ResizeObserver(() => shownMove?.isConnected && followed && scrollTo(shownMove, /** @type {HTMLElement} */ (followed)));

  /**
   * @param {HTMLElement} now
   * @param {HTMLElement} list
   */
  function scrollTo(now, list) {
    const [top, room] = [now.offsetTop - list.offsetTop, list.clientHeight - now.offsetHeight];
    if (top < list.scrollTop || top > list.scrollTop + room) list.scrollTop = top - room / 2;
    list.scrollLeft = now.offsetLeft - list.offsetLeft - (list.clientWidth - now.offsetWidth) / 2; // on a low phone they are one line
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (!app.table || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = target.matches(STEPS);
    const writes = !steps && target.matches("input:not([type=range], [type=checkbox]), select, textarea");
    if (writes && event.key !== "Escape") return;
    const onBoard = target.matches("[data-cell]");
    if (event.key === "Escape" && app.table?.premove?.length) return change({ table: { ...app.table, premove: [] } });
    if (event.key === "Escape" && (app.path.length || app.chosen)) return unpick();
    if (practice?.shown() && (!onBoard || steps || /[,.]/.test(event.key))) return practice.onKey(event);
    if (onBoard && /^[a-z0-9]$/i.test(event.key)) return document.getElementById("typed")?.focus(); // which gets the key
    const { line } = app.table;
    const on = onBoard && !steps ? undefined : { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (line && on) return showMistake(line.ply, line.step + on); // the keys follow the line that is looked at
    const { ply } = seen(app.table);
    /** @type {Record<string, number>} */
    const keys = { Escape: Infinity, ",": ply - 1, ".": ply + 1 };
    if (steps || (!onBoard && !target.matches("input"))) Object.assign(keys, { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity });
    const to = keys[event.key];
    if (to === undefined) return;
    event.preventDefault();
    look(to);
  }

  /** How games in a file are shown. @type {typeof import("./record.js") | null} */
  let records = null;

  function fileView() {
    if (records === null) {
      loaded(import("./record.js")).then((module) => {
        records = module;
        draw();
      });
    }
    return records?.recordView(app);
  }

  function where() {
    const game = app.table && gameOf(app, app.table);
    return practice?.shown() ? practice.title : game ? (app.tab === "review" ? text.tabs.review : game.title) : text.name;
  }

  function title() {
    const { table } = app;
    const game = table && gameOf(app, table);
    if (game && practice?.shown()) return `${practice.title} · ${game.title}`;
    return table && game ? `${statusOf(app, { ...table, at: null }, game, mySide(app, table))} · ${game.title}` : text.name;
  }

  return {
    view: () => (practice?.shown() ? practice.view() : app.room ? roomView(app) : fileView()),
    where,
    inHeader: () => inHeader(app),
    title,
    onRoom,
    onUpdate,
    onChat: (/** @type {Message} */ line) => {
      change({ chat: [...app.chat, chatLine(line)].slice(-CHAT_LINES) });
      if (app.tab === "chat") change({ chatSeen: chatLines() });
    },
    onReviewed: (/** @type {Message} */ message) => {
      change({ review: app.reviews?.withMore(app.review, message) ?? null });
      toDecisive();
    },
    watch,
    drawn,
    onKey,
    analyse,
    actions: {
      pick,
      pickPart,
      unpick,
      confirm,
      typed,
      playMove: play,
      focusOn: (/** @type {string} */ name) => change({ focus: name }),
      join: () => ask("join", { room: app.room }),
      table: (/** @type {string} */ type) => {
        change({ asking: false });
        ask(type, { room: app.room });
      },
      claim: (/** @type {string} */ result) => ask("claim", { room: app.room, result }),
      askToResign: () => change({ asking: true }),
      dontResign: () => change({ asking: false }),
      lookAt: look,
      openTab,
      toggleNumbers: () => change({ numbers: !app.numbers }),
      flip: () => change({ flipped: !app.flipped }),
      review,
      showMistake,
      toggleSound: () => toggleSound(core),
      ask,
      recallChat,
      openFile,
      openRecord,
    },
  };
}

/**
 * A line of chat as it is kept.
 * @param {Message} line
 */
function chatLine(line) {
  return { room: line.room, id: String(line.id), from: line.name, text: line.text };
}
