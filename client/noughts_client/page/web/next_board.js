// The next board that waits for the player, for whoever plays on several at once. The other boards are watched, so that the
// player counts as present there, and comes back to them.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { nextText as own } from "./class_texts.js";
import { Refused } from "./connection.js";
import { isMine } from "./games.js";
import { icon } from "./icons.js";
import { store, stored } from "./storage.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./connection.js").Message} Message
 * @typedef {import("./types.js").MyGame} MyGame
 * @typedef {import("./types.js").Side} Side
 */

/** Where the browser keeps whether the page goes on by itself. */
const KEY = "noughts.nextBoard";

/** Whoever begins a simul goes on after each move, unless that was turned off before. */
export const begins = () => void (stored(KEY) ?? store(KEY, "on"));

/** How long the player sees the own move before the page goes on, in ms. */
const SEEN_MS = 900;

/** How many pages of games are asked for. */
const PAGES = 3;

/** Games of days do not count. */
const DAY_S = 86_400;

/** The computer can wait. @param {Pick<MyGame, "seats">} game */
const withComputer = ({ seats }) => seats.first?.kind === "computer" || seats.second?.kind === "computer";

export class NextBoard {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** The boards under way, by room: one's side. @type {Map<string, Side>} */
    this.mine = new Map();
    /** Those that wait, the longest waiting first. @type {string[]} */
    this.waiting = [];
    this.byItself = false;
    /** @type {number | undefined} */
    this.going = undefined;
  }

  /** A room is shown, or the connection is new: ask for one's games, and watch them. */
  async enter() {
    const { connection } = this.page.app;
    this.byItself = stored(KEY) === "on"; // a simul may have begun
    /** @type {MyGame[]} */
    const games = [];
    let after = null;
    try {
      for (let page = 0; page < PAGES && (page === 0 || after); page++) {
        const answer = /** @type {any} */ (await connection.request("games", after ? { after } : {}));
        games.push(...answer.games);
        after = answer.more ?? null;
      }
    } catch (error) {
      if (!(error instanceof Refused)) return; // a new connection asks again
    }
    const under = games.filter((game) => game.status === "playing" && !((game.options.clock?.per_move_s ?? 0) >= DAY_S) && !withComputer(game));
    this.mine = new Map(under.map((game) => [game.room, game.side]));
    const due = under.filter((game) => game.to_move === game.side);
    // the server lists those first that have the least time, and then the last opened
    const wait = [...due.filter(({ clock }) => clock), ...due.filter(({ clock }) => !clock).reverse()].map(({ room }) => room);
    this.waiting = [...this.waiting.filter((room) => wait.includes(room)), ...wait.filter((room) => !this.waiting.includes(room))];
    for (const room of this.others()) connection.request("watch", { room }).catch(() => {});
    this.page.app.actions.redraw();
  }

  /** The boards other than the one that is shown. */
  others() {
    return [...this.mine.keys()].filter((room) => room !== this.page.app.room);
  }

  /** Those of the others that wait. */
  waitElsewhere() {
    return this.waiting.filter((room) => room !== this.page.app.room);
  }

  /**
   * Whether a room stays watched when another is shown.
   * @param {string} room
   */
  keeps(room) {
    return this.mine.size > 1 && this.mine.has(room);
  }

  /** Leave all that are watched, as another view is shown. */
  leave() {
    clearTimeout(this.going);
    for (const room of this.others()) this.page.app.connection.request("leave", { room }).catch(() => {});
    this.mine.clear();
    this.waiting = [];
  }

  /** @param {Message} message a `room` or an `update` */
  onPush({ type, room, state, event }) {
    const { app } = this.page;
    if (type === "room" && state.status === "playing" && isMine(app, state) && !this.mine.has(room) && this.mine.size && !withComputer(state)) {
      this.mine.set(room, state.seats.first?.id === app.me?.id ? "first" : "second");
    }
    const side = this.mine.get(room);
    if (side === undefined) return;
    const waits = state.to_move === side && !state.outcome;
    if (state.outcome) this.mine.delete(room);
    const moved = room === app.room && event?.kind === "played" && event.side === side;
    if (waits !== this.waiting.includes(room)) {
      this.waiting = waits ? [...this.waiting, room] : this.waiting.filter((one) => one !== room);
      app.actions.redraw();
    }
    if (this.byItself && (moved || (waits && room !== app.room))) this.goOn();
  }

  /** Go to the next board, unless it is the player's move on this one. */
  goOn() {
    clearTimeout(this.going);
    this.going = setTimeout(() => {
      const { app } = this.page;
      if (app.view === "room" && app.room !== null && this.mine.has(app.room) && !this.waiting.includes(app.room)) this.next();
    }, SEEN_MS);
  }

  next = () => {
    const [room] = this.waitElsewhere();
    if (room !== undefined) this.page.go(`/rooms/${room}`);
  };

  /** @param {boolean} on */
  turn(on) {
    this.byItself = on;
    store(KEY, on ? "on" : "off");
    if (on) this.goOn();
    this.page.app.actions.redraw();
  }

  /** What the header has as long as there are others: it comes when the board is there, which stays in its place. */
  view() {
    const { app } = this.page;
    const others = this.others();
    if (!others.length || app.present) return nothing;
    const count = this.waitElsewhere().length;
    return html`<div class="next-board" role="status">
      ${count ? html`<span class="here"></span>` : nothing}<span class="grow">${own.wait(count)}</span>
      <label class="check small"><input type="checkbox" .checked=${this.byItself} @change=${(/** @type {Event} */ event) => this.turn(/** @type {HTMLInputElement} */ (event.target).checked)} />${own.byItself}</label>
      <button class="main" ?disabled=${!count} aria-label=${own.next} title=${own.next} @click=${this.next}><span class="words">${own.next}</span> ${icon("next")} <span class="badge" aria-hidden="true">${count}</span></button>
    </div>`;
  }
}
