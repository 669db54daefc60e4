// The connection to the server: requests and their answers, pushed messages, and reconnecting.

import { forget, store, stored } from "./storage.js";
import { text } from "./texts.js";
import { typeset } from "./typeset.js";

/**
 * @typedef {{type: string, id?: number} & Record<string, any>} Message
 * @typedef {"connecting" | "open" | "lost" | "refused"} Status
 * @typedef {{onStatus: (status: Status, message?: string) => void, onGames: (games: any) => void, onWelcome: (welcome: Message) => void,
 *            onPush: (message: Message) => void, onForgotten: () => void}} Listener
 */

const TOKEN = "noughts.token";
const CLAIM = "noughts.claim";
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
const OTHER_TAB_MS = 3000;

/** How long to wait for the games by themselves, in ms. A server waits longer for a hello. */
const GAMES_MS = 2000;

/** How long other tabs have to claim the same, in ms: they may run in other processes. */
const CLAIMED_MS = 60;

/** How often a claim is renewed while its hello is under way, in ms: on a busy machine a welcome takes longer than others wait. */
const RENEWED_MS = 1000;

/** An answer of type `error`. */
export class Refused extends Error {
  /** @param {Message} answer */
  constructor(answer) {
    super(typeset(answer.message));
    this.code = /** @type {string} */ (answer.code);
    this.legalMoves = /** @type {string[] | undefined} */ (answer.legal_moves);
    this.retryAfterS = /** @type {number | undefined} */ (answer.retry_after_s);
  }
}

/** The connection broke before the answer came, so nobody knows whether the request was carried out. */
export class Lost extends Error {}

/** Says hello again and again, whenever the connection breaks. */
export class Connection {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    /** @type {Listener | null} */
    this.listener = null;
    /** What it was not told yet, because it is loaded after the connection is opened. @type {((listener: Listener) => void)[]} */
    this.untold = [];
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<number, {resolve: (answer: Message) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.nextId = 1;
    /** What other devices of this player call this one. */
    this.label = label();
    /** @type {string | null} the token of the connection */
    this.token = null;
    /** What tells one opening from a later one. */
    this.openings = 0;
    this.failures = 0;
    this.welcomed = false;
    /** Rejected if the first connection fails. @type {Promise<void>} */
    this.first = new Promise((resolve, reject) => (this.met = { resolve, reject }));
    this.first.catch(() => {});
    /** When the server was heard last, ms since the page was opened. */
    this.heardAt = 0;
    /** Server time minus this machine's, in ms. */
    this.ahead = 0;
    addEventListener("storage", (event) => {
      if (event.key === TOKEN && event.newValue !== this.token) this.restart(); // another tab has become another player
    });
  }

  /** @param {Listener} listener hears what there was to tell already, and all that follows */
  listen(listener) {
    this.listener = listener;
    for (const told of this.untold.splice(0)) told(listener);
  }

  /** @param {(listener: Listener) => void} told */
  tell(told) {
    if (this.listener) told(this.listener);
    else this.untold.push(told);
  }

  /**
   * Become the player of another token, in all tabs.
   * @param {string} token
   */
  signIn(token) {
    store(TOKEN, token);
    this.restart();
  }

  /** Connect anew, with the token that is stored now. */
  restart() {
    const { socket } = this;
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.onopen = () => socket.close(); // a browser takes the closing of one that connects for an error
      if (socket.readyState !== WebSocket.CONNECTING) socket.close();
    }
    this.drop();
    this.open();
  }

  /** Give the connection up, and connect anew. */
  lose() {
    this.tell((listener) => listener.onStatus("lost"));
    this.restart();
  }

  /** For how long the server has said nothing, in ms. */
  silence() {
    return performance.now() - this.heardAt;
  }

  /** The server's time, ms since the epoch. */
  now() {
    return Date.now() + this.ahead;
  }

  async open() {
    const opening = ++this.openings;
    this.tell((listener) => listener.onStatus("connecting"));
    const waits = mustWait();
    const games = opening === 1 ? gamesAlone() : null; // later the server may be away
    games?.then((found) => found && !this.welcomed && this.tell((listener) => listener.onGames(found)));
    const asked = tokenOrTurn(); // while the socket is opened, unless that takes longer than a server waits for a hello
    if (waits) await asked;
    if (this.openings !== opening) return; // began anew meanwhile
    const room = /^\/rooms\/([\w-]+)$/.exec(location.pathname)?.[1]; // of several nodes one that has the room, if it can be
    const socket = (this.socket = new WebSocket(room ? `${this.url}?room=${room}` : this.url));
    socket.onopen = async () => {
      const token = await asked;
      if (this.openings === opening) this.hello(token, games ?? gamesAlone()); // otherwise it began anew meanwhile
    };
    socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    socket.onclose = (event) => this.closed(event);
  }

  /**
   * @param {string | null} token
   * @param {ReturnType<typeof gamesAlone>} asked
   */
  async hello(token, asked) {
    const fields = { protocol: 1, client: this.label, ...(token === null ? {} : { token }) };
    this.token = token;
    const opening = this.openings;
    const games = await asked;
    if (this.openings !== opening) return; // began anew meanwhile, with a socket that may not be open yet
    try {
      const welcome = games ? { ...games, ...(await this.greeted(fields)) } : await this.send("hello", fields);
      this.token = welcome.token;
      store(TOKEN, welcome.token);
      clearTimeout(renewal);
      this.ahead = Date.parse(welcome.now) - Date.now();
      this.failures = 0;
      this.welcomed = true;
      this.met?.resolve();
      this.tell((listener) => listener.onWelcome(welcome));
      this.tell((listener) => listener.onStatus("open"));
    } catch (error) {
      if (error instanceof Refused && error.code === "bad_token") {
        forgetToken(token); // nobody here knows it: come as somebody new, with the other tabs
        this.tell((listener) => listener.onForgotten());
        this.restart();
      } else if (error instanceof Refused) {
        this.tell((listener) => listener.onStatus("refused", error.message));
      }
    }
  }

  /**
   * The welcome without games.
   * @param {Record<string, unknown>} fields
   */
  async greeted(fields) {
    try {
      return await this.send("hello", { ...fields, games: false });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "bad_message") throw error;
      return this.send("hello", fields); // a node that is older than the page tells of them all the same
    }
  }

  /**
   * Send a request, the first ones once the server has said welcome. The promise is rejected with `Refused`, or with `Lost`
   * when the connection breaks first.
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   * @returns {Promise<Message>}
   */
  async request(type, fields = {}) {
    if (!this.welcomed) await this.first;
    if (!this.welcomed) throw new Lost("not connected");
    return this.send(type, fields);
  }

  /**
   * @param {string} type
   * @param {Record<string, unknown>} fields
   * @returns {Promise<Message>}
   */
  send(type, fields) {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.waiting.set(id, { resolve, reject });
      this.socket?.send(JSON.stringify({ type, id, ...fields }));
    });
  }

  /** @param {Message} message */
  receive(message) {
    this.heardAt = performance.now();
    const waiting = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (waiting === undefined) {
      this.tell((listener) => listener.onPush(message));
      return;
    }
    this.waiting.delete(/** @type {number} */ (message.id));
    if (message.type === "error") waiting.reject(new Refused(message));
    else waiting.resolve(message);
  }

  /** Give up the requests that are under way. */
  drop() {
    this.welcomed = false;
    clearTimeout(renewal);
    for (const { reject } of this.waiting.values()) reject(new Lost("the connection broke"));
    this.waiting.clear();
  }

  /** @param {CloseEvent} event */
  closed(event) {
    this.drop();
    this.met?.reject(new Lost("not connected"));
    if (event.code === 1008) {
      if (stored(TOKEN) !== this.token) return void this.open(); // this browser has signed out
      this.tell((listener) => listener.onStatus("refused", event.reason));
      return;
    }
    this.tell((listener) => listener.onStatus("lost"));
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures++);
    setTimeout(() => this.open(), longest * (0.5 + Math.random() / 2));
  }
}

/**
 * The games and words of a welcome: compressed, and only once for a browser that keeps them. Null: the welcome shall
 * have them.
 * @returns {Promise<{games: object[], words: object} | null>}
 */
async function gamesAlone() {
  try {
    const answer = await fetch("/games.json", { signal: AbortSignal.timeout(GAMES_MS) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** This tab's claim to say hello as somebody new. @type {string | null} */
let held = null;
/** The timer that renews it. @type {number | undefined} */
let renewal;

/** Claim to say hello as somebody new, until the connection is welcomed or closed. */
function claim() {
  store(CLAIM, (held = String(Date.now() + Math.random())));
  clearTimeout(renewal);
  renewal = setTimeout(() => holds() && claim(), RENEWED_MS);
}

function holds() {
  return held !== null && stored(CLAIM) === held;
}

/** Whether another tab is about to say hello as somebody new. */
function mustWait() {
  const claimed = stored(CLAIM);
  return claimed !== null && claimed !== held && Date.now() - Number(claimed) < OTHER_TAB_MS && stored(TOKEN) === null;
}

/**
 * The stored token; null if this tab is to say hello as somebody new. Of two tabs opened at once, one waits for the
 * other's token: a browser is one player.
 * @returns {Promise<string | null>}
 */
async function tokenOrTurn() {
  const token = stored(TOKEN);
  if (token !== null) return token;
  if (holds()) {
    claim();
    return null;
  }
  if (!mustWait()) {
    claim();
    addEventListener("pagehide", () => holds() && forget(CLAIM), { once: true }); // or the next page would wait for this one's token
    await new Promise((resolve) => setTimeout(resolve, CLAIMED_MS));
    if (holds()) return null;
  }
  return new Promise((resolve) => {
    const look = () => {
      if (stored(TOKEN) !== null || stored(CLAIM) === null) end();
    };
    const end = () => {
      clearTimeout(timer);
      removeEventListener("storage", look);
      resolve(tokenOrTurn()); // it is there, or the other tab has gone without it
    };
    const timer = setTimeout(end, OTHER_TAB_MS);
    addEventListener("storage", look);
    look();
  });
}

export function storedToken() {
  return stored(TOKEN);
}

/**
 * Forget who this browser is, unless it has become somebody else.
 * @param {string | null} token
 */
export function forgetToken(token) {
  if (stored(TOKEN) !== token) return;
  forget(CLAIM);
  forget(TOKEN);
}

/** @type {[string, string][]} signs in a browser's name for itself, the more telling ones first */
const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox", "Firefox"], ["Chrom", "Chrome"], ["Safari", "Safari"]];
/** @type {[string, string][]} */
const SYSTEMS = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS", "Mac"], ["CrOS", "Chromebook"], ["Linux", "Linux"]];

function label() {
  const [browser, system] = [BROWSERS, SYSTEMS].map((signs) => signs.find(([sign]) => navigator.userAgent.includes(sign))?.[1]);
  return text.label(browser, system);
}

/** It is opened at once, while the rest of the page is loaded: the server's welcome comes meanwhile. */
export const connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);

connection.open();
