// Games that are watched for their small boards: of a tournament, on its page, for a projector, and on a wall. A view says
// which games there are, the best first, and how many places it has; a board stays in its place until its game is over.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board, bodyOf, markOf } from "./board.js";
import { left, shown } from "./clock.js";
import { Refused } from "./connection.js";
import { cropped, drawnOf, gameOf, touched } from "./looks.js";
import { part } from "./store.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./connection.js").Message} Message
 * @typedef {{room: string, game: string, rows: string[], counts?: number[][], last?: string[], drawn?: ReturnType<typeof drawnOf>,
 *            state: State, version: number, spectators: number, endedAt: number | null, movedAt: number, analysis?: Analysis & {ply: number}}} Live
 */

/** How many rooms a view watches at most: a connection may watch 200, and each costs the server a message a move. */
const MOST = 36;

/** How late boards may be, in ms: the moves of many are drawn at once. */
const DRAWN_MS = 250;

/** How long a game that is over keeps its place, in ms. */
const LINGERS_MS = 5000;

/** How often clocks are looked at, in ms. */
const TICK_MS = 250;

/** How long to wait between two analyses, in ms: others come first. */
const PAUSE_MS = 700;

/** Below this time, in ms, a clock is short. */
const SHORT_MS = 20_000;

export class LiveBoards {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<string, Live>} */
    this.live = new Map();
    /** @type {Set<string>} */
    this.watched = new Set();
    /** The rooms in their places. @type {(string | null)[]} */
    this.places = [];
    /** @type {string[]} */
    this.wanted = [];
    this.valued = false;
    this.analysing = false;
    /** @type {number | undefined} */
    this.drawing = undefined;
    /** The next look for a place that one that is over leaves to one that waits. @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    this.onHidden = () => this.watch();
    document.addEventListener("visibilitychange", this.onHidden);
  }

  /** A new connection watches nothing. */
  fresh() {
    this.watched.clear();
    this.watch();
  }

  /** Watch nothing any more. */
  close() {
    clearInterval(this.ticking);
    clearTimeout(this.drawing);
    clearTimeout(this.again);
    document.removeEventListener("visibilitychange", this.onHidden);
    this.wanted = [];
    this.places = [];
    this.watch();
    this.page.change({ boards: new Map() }); // other views have boards of their own
  }

  /**
   * Have these games shown, of which the first are the best; a game keeps its place while it goes on.
   * @param {string[]} rooms under way
   * @param {number} count of places
   * @param {{spare?: string[], fill?: string[], anew?: boolean}} [more] rooms that are watched without a place; games that are over,
   *   for places that are left; whether places are given anew
   */
  want(rooms, count, { spare = [], fill = [], anew = false } = {}) {
    const under = new Set(rooms);
    const lingers = (/** @type {string} */ room) => Date.now() - (this.live.get(room)?.endedAt ?? 0) < LINGERS_MS;
    const kept = anew ? [] : this.places.slice(0, count).map((room) => (room !== null && (under.has(room) ? !this.isOver(room) || lingers(room) : lingers(room)) ? room : null));
    const free = rooms.filter((room) => !kept.includes(room) && !this.isOver(room));
    const left = fill.filter((room) => !kept.includes(room));
    this.places = Array.from({ length: count }, (_, index) => kept[index] ?? free.shift() ?? left.shift() ?? null);
    const placed = /** @type {string[]} */ (this.places.filter((room) => room !== null));
    this.wanted = [...new Set([...placed, ...spare.filter((room) => !this.isOver(room))])].slice(0, MOST);
    this.watch();
    clearTimeout(this.again);
    const ends = this.places.flatMap((room) => (room !== null && this.isOver(room) ? (this.live.get(room)?.endedAt ?? 0) + LINGERS_MS : []));
    if (!free.length || !ends.length) return;
    this.again = setTimeout(() => {
      this.want(rooms, count, { spare, fill });
      this.soon();
    }, Math.max(DRAWN_MS, Math.min(...ends) - Date.now()));
  }

  /** @param {string} room */
  isOver(room) {
    return this.live.get(room)?.endedAt != null;
  }

  /** Watch the rooms that are wanted, and leave the others. In a tab that is hidden none are. */
  watch() {
    const { connection } = this.page.app;
    if (!connection.welcomed) return;
    const wanted = new Set(document.hidden ? [] : this.wanted);
    for (const room of this.watched) {
      if (wanted.has(room)) continue;
      this.watched.delete(room);
      if (room !== this.page.app.room) connection.request("leave", { room }).catch(() => {});
      if (!this.wanted.includes(room)) this.live.delete(room);
    }
    for (const room of wanted) {
      if (this.watched.has(room)) continue;
      this.watched.add(room);
      connection.request("watch", { room, preview: true }).catch((error) => {
        if (!(error instanceof Refused) || error.retryAfterS === undefined) return; // then its place stays empty
        this.watched.delete(room);
        setTimeout(() => this.watch(), 1000 * error.retryAfterS);
      });
    }
  }

  /** @param {Message} message of any type */
  onPush(message) {
    if (!this.watched.has(message.room)) return;
    const before = this.live.get(message.room);
    if (message.type === "room") {
      this.put({ room: message.room, game: message.game, drawn: drawnOf(message), version: message.version, spectators: message.presence.spectators, endedAt: message.state.outcome ? 0 : null, movedAt: Date.now() }, message.state);
    } else if (message.type === "update" && before && message.version > before.version) {
      this.put({ ...before, version: message.version, endedAt: message.state.outcome ? (before.endedAt ?? Date.now()) : null, movedAt: message.state.ply === before.state.ply ? before.movedAt : Date.now() }, message.state);
    } else if (message.type === "spectators" && before) this.live.set(message.room, { ...before, spectators: message.count });
  }

  /**
   * @param {Pick<Live, "room" | "game" | "drawn" | "version" | "spectators" | "endedAt" | "movedAt" | "analysis">} facts
   * @param {State} state
   */
  put(facts, state) {
    const game = gameOf(this.page.app, facts);
    const last = game && touched(game, state.moves.at(-1), this.live.get(facts.room)?.rows, state.rows);
    this.live.set(facts.room, { ...facts, state, rows: state.rows, counts: state.counts, last });
    this.soon();
    this.analyse();
  }

  /** Draw what has come, all at once. */
  soon() {
    this.drawing ??= setTimeout(() => {
      this.drawing = undefined;
      this.page.change({ boards: /** @type {any} */ (new Map(this.live)) });
    }, DRAWN_MS);
  }

  /** Bring the clocks up to date. */
  tick() {
    const now = this.page.app.connection.now();
    const lost = !this.page.app.connection.welcomed; // then they stop
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-clock]"))) {
      const state = this.page.app.boards.get(element.dataset.clock ?? "")?.state; // the one that is drawn, whose dot says who is to move
      const side = /** @type {Side} */ (element.dataset.side);
      const clock = state?.clock;
      if (!clock) continue;
      const ms = left(clock, side, now);
      const runs = !lost && clock.running === side && !state.outcome;
      if (!lost || element.textContent === "") put(element, shown(ms));
      element.classList.toggle("runs", runs);
      element.classList.toggle("short", runs && ms < SHORT_MS);
    }
  }

  /** How little is left on the clock that runs, in ms. @param {string} room */
  leastLeft(room) {
    const clock = this.live.get(room)?.state.clock;
    return clock?.running ? left(clock, clock.running, this.page.app.connection.now()) : Infinity;
  }

  /** Ask what the positions in their places are worth, one after the other; the server says where it may not. */
  async analyse() {
    if (!this.valued || this.analysing || document.hidden) return;
    const next = this.places.map((room) => this.live.get(room ?? "")).find((one) => one && !one.state.outcome && one.analysis?.ply !== one.state.ply && !refused.has(one.room));
    if (!next) return;
    this.analysing = true;
    let pause = PAUSE_MS;
    try {
      const found = /** @type {any} */ (await this.page.app.connection.request("analyse", { room: next.room }));
      const now = this.live.get(next.room);
      if (now) this.live.set(next.room, { ...now, analysis: found });
      this.soon();
    } catch (error) {
      if (error instanceof Refused && error.retryAfterS !== undefined) pause = 1000 * error.retryAfterS;
      else refused.add(next.room); // it is rated, or one's own
    }
    setTimeout(() => {
      this.analysing = false;
      this.analyse();
    }, pause);
  }
}

/** The rooms whose values the server does not tell. @type {Set<string>} */
const refused = new Set();

/**
 * @param {HTMLElement} element
 * @param {string} words
 */
function put(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/**
 * A board with its players and their clocks, which leads to the game.
 * @param {App} app
 * @param {Live | undefined} live undefined until it has come
 * @param {{room: string, game: string, names: Record<Side, unknown>, spoken: string, points?: number[] | null,
 *          bar?: {first: number} | null, below?: unknown, classes?: string, counted?: boolean}} what `counted`: with what each
 *          side has on the board, in a game that counts it
 */
export function liveBoard(app, live, { room, game: key, names, spoken, points, bar, below, classes = "", counted = false }) {
  const game = gameOf(app, { game: live?.game ?? key, drawn: live?.drawn });
  if (!game) return nothing;
  const bottom = game.board?.bottom ?? "first";
  const top = bottom === "first" ? "second" : "first";
  const outcome = live?.state.outcome;
  const score = points ?? (outcome ? (outcome.winner ? (outcome.winner === "first" ? [1, 0] : [0, 1]) : [0.5, 0.5]) : null);
  const turn = live?.state.status === "playing" && !live.state.clock?.running && !score ? live.state.to_move : null; // else the clock that runs says it
  const count = live?.state.score;
  const line = (/** @type {Side} */ side) => html`<span class="seat ${turn === side ? "turn" : ""}">
      ${markOf(game, side)}${counted && count ? html`<span class="count">${count[side === "first" ? 0 : 1]}</span>` : nothing}<span class="who">${names[side]}</span>
      ${score ? html`<b class="got">${scored(score[side === "first" ? 0 : 1])}</b>` : live?.state.clock ? html`<span class="clock" data-clock=${room} data-side=${side}></span>` : nothing}
    </span>`;
  const [, , wide, high = wide] = cropped({ game, rows: live?.rows ?? game.layout.map(() => ""), tight: true });
  return html`<a class="live-board ${classes} ${outcome ? "over" : ""}" .style=${`--ratio: ${(wide / high).toFixed(4)}`} href="/rooms/${room}" aria-label=${spoken}>
    ${line(top)}
    <span class="both-bar">
      ${bar ? html`<span class="worth ${bodyOf(game, bottom)}"><i class=${bodyOf(game, top)} .style=${`height: ${(100 * (bottom === "first" ? 1 - bar.first : bar.first)).toFixed(1)}%`}></i></span>` : nothing}
      ${part(small, app, game, live?.rows, live?.counts, live?.last, live?.state.outcome?.cells)}
    </span>
    ${line(bottom)} ${below ?? nothing}
  </a>`;
}

/** @param {number} points */
function scored(points) {
  return points === 0.5 ? "½" : String(points);
}

/**
 * @param {App} _
 * @param {import("./types.js").GameInfo} game
 * @param {string[] | undefined} rows
 * @param {number[][] | undefined} counts
 * @param {string[] | undefined} last
 * @param {string[] | undefined} line
 */
function small(_, game, rows, counts, last, line) {
  return board({ game, rows: rows ?? game.layout.map((row) => ".".repeat(row.length)), counts: rows ? counts : undefined, last, line, tight: true, label: text.board(game.title) });
}
