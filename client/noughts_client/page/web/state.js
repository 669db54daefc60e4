// What the page knows and shows, at the start. Each value is replaced by another, never changed in place.

import { homeState } from "./lobby.js";
import { lasting } from "./storage.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./table.js").Table} Table
 * @typedef {"home" | "watch" | "study" | "compete" | "analysis" | "room" | "replay" | "lecture" | "player" | "nowhere"} View
 */

/** The state, but for the connection and the actions. */
export function startState() {
  return {
    /** @type {import("./connection.js").Status} */
    status: "connecting",
    /** @type {string | import("./vendor/lit-html/lit-html.js").TemplateResult | null} */
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
    /** @type {import("./devices.js").Panel | null} */
    devices: null,
    ...homeState(),
    /** What is shown. @type {View} */
    view: "home",
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
    /** How chat is shown, once it is opened. @type {typeof import("./chat.js") | null} */
    chats: null,
    /** @type {import("./review.js").Review | null} */
    review: null,
    /** @type {Partial<Record<"first" | "second", {before: number | null, after: number}>> | null} */
    ratings: null,
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
    // a game in a file
    /** @type {import("./table.js").Recorded[]} */
    records: [],
    recordShown: 0,
    /** @type {string | null} */
    recordRoom: null,
  };
}
