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

export const text = {
  name: "Noughts",
  /** @param {string | undefined} browser @param {string | undefined} system */
  label: (browser, system) => `${browser ?? "Browser"}${system ? ` on ${system}` : ""}`,
  account: "Your name and settings",
  yours: "Your page",
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
    day: (at) => (at ? new Date(at).toLocaleDateString("en", { day: "numeric", month: "short" }).replace(" ", "\xa0") : ""),
    /** Before and after the sign that is on each board. */
    nobody: ["Nobody is looking for an opponent now. To play with people, choose ", " beside a name."],
    offers: "They want to play",
    /** @param {number} playing @param {number} waiting */
    going: (playing, waiting) =>
      [playing ? `${playing} playing` : "", waiting ? `${waiting} ${plurals.select(waiting) === "one" ? "waits" : "wait"}` : ""].filter(Boolean).join(", "),
    /** @param {string} title */
    terms: (title) => `Play ${title} with people`,
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
  nav: "Main",
  study: "Study",
  compete: "Compete",
  waitForYou: "games that wait for you: ",
  allLive: "All live games",
  game: "Game",
  level: "Level",
  play: "Play",
  clock: "Clock",
  noClock: "no clock",
  rated: "Rated",
  ratedNeeds: "Rated games need a clock and a registered name.",
  invite: "Invite a friend",
  copy: "Copy",
  live: "Live now",
  takeSeat: "Take the seat",
  watch: "Watch",
  openSeat: "nobody yet",
  computer: "computer",
  home: "Home",
  unknownRoom: "There is no such game",
  unknownPage: "There is nothing at this address",
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
