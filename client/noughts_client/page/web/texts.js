// The English texts of the first view and of what every view has. Those of other views are loaded with them.

export const plurals = new Intl.PluralRules("en");

/** @param {string} id of a level of the computer; the strongest is called best, in solved games too */
export function levelName(id) {
  return id.slice("computer:".length).replace("perfect", "best");
}

/**
 * A name within a sentence. One that runs from right to left must not pull the words around it along.
 * @param {string} name
 */
export function isolated(name) {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${plurals.select(count) === "one" ? one : many}`;
}

/**
 * What was chosen of a game's own options, such as the size of the board.
 * @param {import("./types.js").GameInfo | undefined} game
 * @param {import("./types.js").Setup | undefined} setup
 */
export function setupText(game, setup) {
  const title = (/** @type {string} */ key) => game?.options?.find((option) => option.key === key)?.title ?? key;
  return Object.entries(setup ?? {}).map(([key, value]) => `${title(key)}: ${value}`).join(", ");
}

/** Who the player is, in this browser. */
export const accountTexts = {
  /** @param {string | undefined} browser @param {string | undefined} system */
  label: (browser, system) => `${browser ?? "Browser"}${system ? ` on ${system}` : ""}`,
  haveCode: "Sign in with a code",
  forgotten: "The server does not know this browser any more. You are a new guest,",
  forgottenHelp: "Sign in again with a recovery code, or with a code from another device.",
  forgets: "This browser keeps nothing for this page: when you close or reload it, you are somebody else. Register a name and make a recovery code, or let the browser store data for this address.",
};

export const text = {
  name: "Noughts",
  account: "Your name and devices",
  about: "Board games for two, against people, bots or the computer. Anybody can watch.",
  lobby: {
    noServer:
      "The server does not answer, or takes no more connections from your network just now. Trying again …",
    /** @param {string} message */
    again: (message) => `${message} Trying again …`,
    rated: "rated",
    theirTurn: "Their move",
    past: "Your last games",
    more: "Show more",
    /** @param {number} count */
    all: (count) => `All ${count} games`,
    results: { won: "won", lost: "lost", drawn: "drawn" },
    against: "against",
    /** @param {number} change */
    signed: (change) => (change < 0 ? `−${-change}` : `+${change}`),
    /** @param {string} at */
    day: (at) => (at ? new Date(at).toLocaleDateString("en", { day: "numeric", month: "short" }) : ""),
    nobody: "Nobody is looking for an opponent right now. To offer a game, choose \u201cPlay with people\u201d on a board.",
    offers: "They want to play",
    /** @param {number} playing @param {number} waiting */
    going: (playing, waiting) =>
      [playing ? `${playing} playing` : "", waiting ? `${waiting} ${plurals.select(waiting) === "one" ? "waits" : "wait"}` : ""].filter(Boolean).join(", "),
    /** @param {string} title */
    terms: (title) => `${title} with people, friends or anybody, or on other terms`,
    people: "Play with people",
    /** @param {string} side */
    first: (side) => `${side} (first)`,
    take: "Play",
    /** @param {string} name @param {string} title */
    takeFrom: (name, title) => `Play ${title} with ${name}`,
    /** @param {string} side */
    playAs: (side) => `Play as ${side}`,
    waited: "Nobody has come yet. You can keep waiting and play the computer meanwhile.",
  },
  connecting: "Connecting …",
  lost: "The connection is lost. Reconnecting …",
  reload: "Reload the page to try again.",
  reconnected: "Connected again.",
  notSent: "The connection broke before the answer came. Try again.",
  continue: "Continue",
  fewer: "Show fewer",
  playComputer: "Play the computer",
  may: {
    watch: "This server is for its registered players. You can watch.",
    enter: "This server is for invited players. Open the link of an invitation to play here.",
  },
  choose: "Choose a board to play the computer",
  /** The levels, with how they are put: the strongest of a game may have another name. @type {[string, string][]} */
  levels: [["easy", "easy"], ["medium", "medium"], ["hard", "hard"], ["best", "best"]],
  /** @param {string} title @param {string} level */
  playAgainst: (title, level) => `Play ${title} against the computer, ${level}`,
  seek: "Find an opponent",
  clockHelp: "Minutes for the game + seconds a move.",
  nav: "Main",
  study: "Study",
  compete: "Compete",
  waitForYou: "games that wait for you: ",
  allLive: "All live games",
  game: "Game",
  level: "Level",
  side: "You play",
  either: "either side",
  sideHelp: "If an opponent is found for you, sides are random.",
  play: "Play",
  clock: "Clock",
  noClock: "no clock",
  rated: "Rated",
  ratedNeeds: "Rated games need a clock and a registered name.",
  stopSeeking: "Stop looking",
  /** @param {string} title */
  seeking: (title) => `Looking for an opponent in ${title} …`,
  invite: "Invite a friend",
  copy: "Copy",
  live: "Live now",
  takeSeat: "Take the seat",
  watch: "Watch",
  openSeat: "nobody yet",
  computer: "computer",
  home: "Home",
  asUsual: "as usual",
  unknownRoom: "There is no such game",
  unknownRoomHelp: "The link may be incomplete, or the server has not kept the game. Ask whoever sent it for a new one.",
  unknownPage: "There is nothing at this address",
  unknownPageHelp: "The link may be incomplete.",
  toHome: "Play or watch another game",
  close: "Close",
  yes: "Yes",
  no: "No",
  projector: "Projector view",
  /** @param {string} title */
  board: (title) => `${title} board`,
  yourTurn: "Your move",
  waiting: "Waiting for an opponent",
};
