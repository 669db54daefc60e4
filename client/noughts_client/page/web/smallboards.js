// Which games the home view watches for their small boards: a few of one's own, and of others those that can be seen.

import { left } from "./clock.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").MyGame} MyGame
 */

/** How many games of one's own are shown with their boards, and how many of others are listed. */
const OWN = 8;
const LISTED = 12;

/** How many games of others the first view watches. */
const WATCHED = 4;

export class SmallBoards {
  /**
   * @param {App} app
   * @param {(changes: Partial<App>) => void} change
   */
  constructor(app, change) {
    this.app = app;
    this.change = change;
    /** @type {Set<string>} */
    this.watched = new Set();
    /** The rooms of others that can be seen. @type {Set<string>} */
    this.visible = new Set();
    this.observer = new IntersectionObserver((entries) => this.onVisible(entries), { rootMargin: "200px" });
    document.addEventListener("visibilitychange", () => this.watch());
  }

  /** Everything was drawn: look which of the boards can be seen. */
  drawn() {
    if (!hasBoards(this.app)) return;
    for (const card of document.querySelectorAll("[data-live]")) this.observer.observe(card);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  onVisible(entries) {
    for (const { target, isIntersecting } of entries) {
      const room = target.getAttribute("data-live") ?? "";
      if (isIntersecting) this.visible.add(room);
      else this.visible.delete(room);
      if (!target.isConnected) this.observer.unobserve(target);
    }
    this.watch();
  }

  /** Watch the rooms whose boards are wanted, and leave the others. In a tab that is hidden none are. */
  watch() {
    const { app } = this;
    if (!hasBoards(app) || !app.connection.welcomed) return;
    const wanted = new Set(document.hidden ? [] : [...(app.view === "home" ? this.own() : []), ...this.others()]);
    const unwanted = [...this.watched].filter((room) => !wanted.has(room));
    if (unwanted.length) this.change({ boards: new Map([...app.boards].filter(([room]) => !unwanted.includes(room))) });
    for (const room of unwanted) {
      this.watched.delete(room);
      app.connection.request("leave", { room }).catch(() => {});
    }
    for (const room of wanted) {
      if (this.watched.has(room)) continue;
      this.watched.add(room);
      app.connection.request("watch", this.isOwn(room) ? { room } : { room, preview: true }).catch(() => {}); // then it stays empty
    }
  }

  own() {
    const games = byUrgency(this.app.mine.running ?? [], this.app.connection.now());
    return games.slice(0, OWN).map((game) => game.room);
  }

  /** @param {string} room the players of a game are there when they see it; others only look in */
  isOwn(room) {
    return (this.app.mine.running ?? []).some((game) => game.room === room);
  }

  others() {
    const live = liveRooms(this.app).filter((room) => !isAmongComputers(room));
    const seen = this.app.view === "home" ? live.slice(0, WATCHED) : live;
    return seen.filter((room) => this.visible.has(room.room)).map((room) => room.room);
  }

  /**
   * The server has moved everybody who watched a room on to its rematch. Whether that was one of these.
   * @param {string | null} before
   * @param {string} room
   */
  follow(before, room) {
    if (before === null || !this.watched.delete(before)) return false;
    this.watched.add(room);
    return true;
  }

  /** @param {string | null} room the one to stay in */
  leave(room) {
    for (const other of this.watched) {
      if (other !== room) this.app.connection.request("leave", { room: other }).catch(() => {});
    }
    this.watched.clear();
    this.change({ boards: new Map() });
  }
}

/**
 * Whether the view that is shown has small boards.
 * @param {App} app
 */
function hasBoards({ view }) {
  return view === "home" || view === "watch";
}

/**
 * Games in the order in which they need their player: first those in which it is to move, with the least time left.
 * @param {MyGame[]} games
 * @param {number} now
 */
export function byUrgency(games, now) {
  const rank = (/** @type {MyGame} */ game) => {
    if (game.to_move !== game.side) return game.status === "waiting" ? Infinity : Number.MAX_VALUE;
    return game.clock ? left(game.clock, game.side, now) : 1e12;
  };
  return [...games].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
}

/**
 * @param {App} app
 * @param {{seats: Listing["seats"]}} room
 */
export function isMine(app, { seats }) {
  return [seats.first, seats.second].some((seat) => seat !== null && seat.id === app.me?.id);
}

/**
 * Other players' games under way, those of people first. Games among computers stand still unless somebody watches.
 * @param {App} app
 */
export function liveRooms(app) {
  const live = [...app.rooms.values()].filter((room) => room.status === "playing" && !isMine(app, room));
  return [...live.filter((room) => !isAmongComputers(room)), ...live.filter(isAmongComputers)].slice(0, LISTED);
}

/**
 * Rooms of others with an open seat.
 * @param {App} app
 */
export function offered(app) {
  return [...app.rooms.values()].filter((room) => room.status === "waiting" && !isMine(app, room));
}

/** @param {Listing} room */
export function isAmongComputers({ seats }) {
  return seats.first?.kind === "computer" && seats.second?.kind === "computer";
}
