// What the home view knows and does: my games, the lobby with its open seeks, small boards, and the leaderboard.

import { Lost, Refused } from "./connection.js";
import { byUrgency, isAmongComputers, isBegun, isMine, offered } from "./games.js";
import { levelFor, narrow } from "./home.js";
import { drawnOf, gameOf, touched } from "./looks.js";
import { store, stored } from "./storage.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./connection.js").Message} Message
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").MyGame} MyGame
 * @typedef {import("./types.js").OpenSeek} OpenSeek
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {{rows: string[], counts?: number[][], last?: string[], state?: State, drawn?: {layout: string[][], board?: any}}} SmallBoard
 * @typedef {{setLevel: (level: string) => void, playComputer: (game: GameInfo) => void, start: (event: SubmitEvent) => void,
 *            showTerms: (key: string | null, event?: MouseEvent) => void, chooseBest: (key: string) => void, unseek: () => void,
 *            take: (seek: string) => void, unfold: () => void, morePast: () => void}} HomeActions
 * @typedef {"lobby" | "mine" | "soon" | "past" | "best" | "play" | "terms" | "person" | "room"} Part a part of the view
 */

/** How late a small board of others may be, in ms: many moves are drawn at once. */
const BOARDS_MS = 500;

/** How many tournaments are shown. */
const SOON = 3;

/** How many of one's finished games are shown at first. */
const PAST = 5;

/** How long to wait for more changes before one's games are asked for again, in ms. */
const AGAIN_MS = 200;

/** Where the browser keeps the level that was chosen last. */
const LEVEL = "noughts.level";

/** What the view shows, within the app's state. */
export function homeState() {
  return {
    /** The level of the computer that was chosen last, in any game. */
    level: stored(LEVEL) ?? "medium",
    /** The game whose terms are being chosen, and whether they are shown towards the left. @type {string | null} */
    terms: null,
    leftward: false,
    /** Draws them, once that is loaded. @type {typeof import("./terms.js").termsView | null} */
    termsView: null,
    /** Draws who looks for an opponent, once that is loaded. @type {typeof import("./waiting.js") | null} */
    waitingViews: null,
    /** The game of the leaderboard. */
    best: "tictactoe",
    /** @type {Map<string, Listing>} */
    rooms: new Map(),
    /** @type {Map<string, OpenSeek>} */
    seeks: new Map(),
    /** @type {Map<string, SmallBoard>} */
    boards: new Map(),
    /** The tournaments under way and to enter, as they are shown. @type {unknown} */
    soon: null,
    /** The puzzles of the day, as they are shown. @type {unknown} */
    today: null,
    /** Those under way are one row until they are unfolded. @type {{running: MyGame[] | null, unfolded: boolean, over: MyGame[] | null, more: string | null, shown: number}} */
    mine: { running: null, unfolded: false, over: null, more: null, shown: PAST },
    /** @type {{game: string, setup: import("./types.js").Setup, clock: object | null, rated: boolean, key: string, waited?: boolean} | null} */
    seek: null,
    /** @type {{id: string, name: string, rating: number, measured?: boolean}[] | null} */
    leaders: null,
    /** Why a part has nothing to show, or what was refused there. @type {Partial<Record<Part, string>>} */
    trouble: {},
  };
}

/** @param {SubmitEvent} event */
export function formOf(event) {
  event.preventDefault();
  return new FormData(/** @type {HTMLFormElement} */ (event.target), event.submitter);
}

/** A key that no other request of this player has; `crypto.randomUUID` is missing over plain http. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** How many games of one's own are shown with their boards. */
const OWN = 8;

/** How many games among computers are watched, and how many that are over are kept. */
const WATCHED = 4;

/** Which games the home view watches for their small boards: a few of one's own, and of others those that can be seen. */
class SmallBoards {
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
    let computers = this.app.view === "home" ? 0 : WATCHED; // they move only while somebody watches
    const seen = [...this.app.rooms.values()].filter(({ room }) => this.visible.has(room));
    return seen.filter((room) => room.outcome || !isAmongComputers(room) || computers-- > 0).map(({ room }) => room);
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

/** The actions of the home view, and what it wants to hear of. */
export class Home {
  /**
   * @param {App} app
   * @param {{change: (changes: Partial<App>) => void, go: (path: string) => void, loaded: <T>(module: Promise<T>) => Promise<T>,
   *          styled: (name: string) => Promise<unknown>}} page
   */
  constructor(app, { change, go, loaded, styled }) {
    this.app = app;
    this.change = change;
    this.go = go;
    this.loaded = loaded;
    this.styled = styled;
    /** @type {typeof import("./terms.js") | null} */
    this.terms = null;
    this.boards = new SmallBoards(app, change);
    this.visit = 0;
    /** @type {Promise<unknown>} */
    this.leaving = Promise.resolve();
    /** @type {number | undefined} */
    this.drawing = undefined;
    /** The small boards, with those that are shown a little later. @type {App["boards"] | null} */
    this.late = null;
    /** @type {number | undefined} */
    this.asking = undefined;
    narrow.addEventListener("change", () => app.actions.redraw());
    setInterval(() => {
      if (app.view === "home" && app.mine.running?.some((game) => game.clock?.running)) change({ now: app.connection.now() });
    }, 1000);
  }

  // coming and going

  /** The view is shown, and the connection is there. */
  async enter() {
    const visit = ++this.visit;
    this.boards.watched.clear(); // a new connection watches nothing
    const { view } = this.app;
    const lists = view === "study" ? [] : [this.loadLobby(visit)];
    if (view === "home") this.loadSoon();
    await Promise.all([...lists, view === "watch" ? this.loadLeaders() : this.loadPast(null), this.loadMine()]);
    if (view !== "watch" && visit === this.visit) {
      const [{ today }] = await Promise.all([this.loaded(import("./today.js")), this.styled("home.css")]);
      this.change({ today: await today(this.app).catch(() => null) }); // then there are none
    }
  }

  /** @param {string | null} room the room that is shown now */
  leave(room) {
    const { app } = this;
    this.visit++;
    this.boards.leave(room);
    this.late = null;
    this.change({ trouble: {}, terms: null });
    this.leaving = app.connection.request("lobby", { watch: false, game: app.best }).catch(() => {});
  }

  /**
   * Ask for what a part shows, again and again where the server says when. Null if it does not come.
   * @param {Part} part
   * @param {string} type
   * @param {Record<string, unknown>} fields
   */
  async load(part, type, fields) {
    const { app, visit } = this;
    for (;;) {
      try {
        const answer = await app.connection.request(type, fields);
        this.troubled(part);
        return visit === this.visit ? answer : null;
      } catch (error) {
        if (!(error instanceof Refused) || visit !== this.visit) return null; // a new connection asks again
        this.troubled(part, error.retryAfterS === undefined ? error.message : text.lobby.again(error.message));
        if (error.retryAfterS === undefined) return null;
        await sleep(1000 * (error.retryAfterS + Math.random()));
        if (visit !== this.visit) return null;
      }
    }
  }

  /** @param {number} visit */
  async loadLobby(visit) {
    await this.leaving; // the server makes one list at a time
    const list = await this.load("lobby", "lobby", { watch: true });
    if (list === null || visit !== this.visit) return;
    this.changed({
      rooms: new Map(list.rooms.map((/** @type {Listing} */ room) => [room.room, room])),
      seeks: new Map(list.seeks.map((/** @type {OpenSeek} */ seek) => [seek.seek, seek])),
    });
  }

  async loadSoon() {
    const list = await this.load("soon", "tournaments", { limit: SOON });
    const some = (list?.tournaments ?? []).filter((/** @type {any} */ { status }) => status !== "finished");
    this.change({ soon: some.length && (await Promise.all([this.loaded(import("./soon.js")), this.styled("home.css")]))[0].soonView(this.app, some) });
  }

  async loadMine() {
    const page = await this.load("mine", "games", {});
    if (page === null) return;
    this.changed({ mine: { ...this.app.mine, running: page.games.filter(isBegun) } });
  }

  /** @param {string | null} after the last game of the page before */
  async loadPast(after) {
    const page = await this.load("past", "games", { over: true, after });
    if (page === null) return;
    const { mine } = this.app;
    const over = after === null ? page.games : [...(mine.over ?? []), ...page.games];
    this.change({ mine: { ...mine, over, more: page.more ?? null } });
  }

  async loadLeaders() {
    const { app } = this;
    const game = app.best;
    const answer = await this.load("best", "leaderboard", { game });
    if (answer === null || app.best !== game) return;
    this.change({ leaders: answer.players.slice(0, 10) });
  }

  /** Ask for one's games again, once for all that has changed. */
  loadMineSoon() {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => {
      if (this.app.view !== "home" || !this.app.connection.welcomed) return;
      this.loadMine();
      this.loadPast(null);
    }, AGAIN_MS);
  }

  // what the server tells

  /** @param {Message} message a `lobby`, `seek` or `seek_ended` */
  onPush(message) {
    const { app } = this;
    if (message.type === "seek_ended") return this.change({ seek: null });
    if (message.type === "seek") return this.change({ seek: app.seek && { ...app.seek, waited: true } });
    if (message.missed) return void this.loadLobby(this.visit);
    const gone = new Set(message.gone);
    const seeks = [...(message.seeks ?? []).toReversed(), ...[...app.seeks.values()].filter(({ seek }) => !gone.has(seek))];
    this.changed({ rooms: message.rooms.reduce(this.kept, app.rooms), seeks: new Map(seeks.map((seek) => [seek.seek, seek])) });
  }

  /**
   * The rooms with one that is new or has changed, and of those that are over a few.
   * @param {App["rooms"]} rooms
   * @param {Listing} room
   */
  kept = (rooms, room) => {
    if (isMine(this.app, room) && rooms.get(room.room)?.status !== room.status) this.loadMineSoon();
    let over = WATCHED;
    return new Map([[room.room, room], ...[...rooms].filter(([id, { status }]) => id !== room.room && (status !== "over" || over-- > 0))]);
  };

  /**
   * A whole room came that is not shown: that of a small board, or the one that a seek has led to.
   * @param {Message} message
   */
  onRoom(message) {
    const { app } = this;
    const known = this.boards.watched.has(message.room) || message.previous !== null;
    if (app.seek && !known && isMine(app, message.state)) {
      this.change({ seek: null });
      void import("./your_move.js").then(({ dot }) => dot());
      return this.go(`/rooms/${message.room}`);
    }
    if (!["home", "watch", "player", "study"].includes(app.view)) return;
    if (this.boards.follow(message.previous, message.room)) this.loadMineSoon();
    this.show(message.room, message.state, drawnOf(message), message.game);
  }

  /** @param {Message} message an `update` of a room that is not shown */
  onUpdate(message) {
    if (!this.boards.watched.has(message.room)) return;
    this.show(message.room, message.state, this.app.boards.get(message.room)?.drawn);
    if (message.state.outcome && isMine(this.app, message.state)) this.loadMineSoon();
  }

  /**
   * @param {string} room
   * @param {State} state
   * @param {ReturnType<typeof drawnOf>} drawn
   * @param {string} [key] of the game, if the room is in no list
   */
  show(room, state, drawn, key) {
    const { app } = this;
    const listed = app.rooms.get(room) ?? app.mine.running?.find((one) => one.room === room);
    const game = gameOf(app, { game: key ?? listed?.game ?? "", drawn });
    const last = game && touched(game, state.moves.at(-1), app.boards.get(room)?.rows, state.rows);
    this.late = new Map([...(this.late ?? app.boards), [room, { rows: state.rows, counts: state.counts, last, drawn, state }]]);
    const { mine } = app;
    if (mine.running?.some((one) => one.room === room)) {
      const { turn, ply, to_move, clock, status, seats } = state;
      const now = { turn, ply, to_move, clock, status, seats };
      this.change({ mine: { ...mine, running: mine.running.map((one) => (one.room === room ? { ...one, ...now } : one)) } });
      this.showLate();
    } else this.drawing ??= setTimeout(() => this.showLate(), BOARDS_MS);
  }

  showLate() {
    clearTimeout(this.drawing);
    this.drawing = undefined;
    if (this.late) this.change({ boards: this.late });
    this.late = null;
  }

  /** @param {Partial<App>} changes */
  changed(changes) {
    this.change(changes);
    this.boards.watch();
    if (Object.values(offered(this.app)).some((some) => some.length)) void this.loadWaiting();
  }

  /** Somebody looks for an opponent. */
  async loadWaiting() {
    if (!this.app.waitingViews) this.change({ waitingViews: (await Promise.all([this.loaded(import("./waiting.js")), this.styled("home.css")]))[0] });
    return this.app.waitingViews;
  }

  /**
   * Say why a part has nothing to show, or that it has.
   * @param {Part} part
   * @param {string} [why]
   */
  troubled(part, why) {
    if (this.app.trouble[part] !== why) this.change({ trouble: { ...this.app.trouble, [part]: why } });
  }

  // what the user does

  /** The terms of a game, which few look at. */
  async loadTerms() {
    [this.terms] = await Promise.all([this.loaded(import("./terms.js")), this.styled("terms.css")]);
    return this.terms;
  }

  /**
   * Send a request, and show at `part` why it is refused.
   * @param {Part} part
   * @param {string} type
   * @param {Record<string, unknown>} fields
   */
  async ask(part, type, fields) {
    const { app } = this;
    this.troubled(part);
    try {
      return await app.connection.request(type, fields);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      this.troubled(part, error instanceof Lost ? text.notSent : error.message);
      return null;
    }
  }

  /** @type {HomeActions} */
  actions = {
    setLevel: (/** @type {string} */ level) => {
      store(LEVEL, level);
      this.change({ level });
    },
    playComputer: (/** @type {GameInfo} */ game) =>
      this.open("play", { game: game.key, seats: { first: "me", second: `computer:${levelFor(game, this.app.level)}` } }),
    showTerms: async (/** @type {string | null} */ key, /** @type {MouseEvent | undefined} */ event) => {
      const card = /** @type {Element | undefined} */ (event?.currentTarget)?.closest(".tile");
      (await this.loadTerms()).show(this, key, card);
    },
    chooseBest: (/** @type {string} */ key) => {
      this.change({ best: key, leaders: null });
      this.loadLeaders();
    },
    start: (/** @type {SubmitEvent} */ event) => void this.terms?.start(this, event),
    unseek: () => {
      this.change({ seek: null });
      return this.ask("person", "unseek", {});
    },
    take: async (/** @type {string} */ seek) => {
      const answer = await this.ask("person", "take", { seek });
      if (answer === null) return;
      this.change({ seek: null });
      this.go(`/rooms/${answer.room}`);
    },
    unfold: () => this.change({ mine: { ...this.app.mine, unfolded: !this.app.mine.unfolded } }),
    morePast: () => {
      const { mine } = this.app;
      const all = mine.shown >= (mine.over?.length ?? 0);
      this.change({ mine: { ...mine, shown: Infinity } });
      if (all && mine.more) this.loadPast(mine.more);
    },
  };

  /**
   * @param {Part} part
   * @param {Record<string, unknown>} terms
   */
  async open(part, terms) {
    const answer = await this.ask(part, "create", { ...terms, key: newKey() });
    if (answer !== null) this.go(`/rooms/${answer.room}`);
  }

  /** The connection is there again: a seek has ended with the one before, and goes on by its key. */
  seekAgain() {
    const { seek } = this.app;
    if (!seek) return;
    const { game, setup, clock, rated, key } = seek;
    this.ask("person", "seek", { game, setup, clock, rated, key });
  }
}
