// The English texts of the home view and of rooms. Those of other views are loaded with them.

/** @typedef {import("./types.js").Words} Words */

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
 * How a reason for the end of a game is put.
 * @param {Words} words
 * @param {string} reason
 * @returns {import("./types.js").Ending}
 */
export function ending(words, reason) {
  return words.endings[reason] ?? { how: `by ${reason}` };
}

/**
 * How a game ended, in a sentence.
 * @param {Words} words
 * @param {string | null} whoWon such as "You lost" or "Ann won"; null if nobody has won
 * @param {string} reason
 * @param {number} [lead] the points by which the winner has won, where the game tells them
 */
export function ended(words, whoWon, reason, lead) {
  const { how, closed } = ending(words, reason);
  if (whoWon === null && closed) return closed;
  return `${[whoWon ?? text.drawn, lead ? `by ${counted(lead, "point")}` : how].filter(Boolean).join(" ")}.`;
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

/**
 * What a move did, by the mark that a review gives it.
 * @param {Words} words
 * @param {string} mark
 */
export function marked(words, mark) {
  return words.marks[mark] ?? mark.replaceAll("_", " ");
}

export const linkTexts = {
  loopback: "This link works on this machine only. For another device, open this page by the machine's address in your network first.",
  qr: "QR code",
  share: "Share",
  copyLink: "Copy the link",
  computing: "Computing …",
  /** @param {string} link */
  qrOf: (link) => `QR code of ${link}`,
};

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
    results: { won: "won", lost: "lost", drawn: "drawn" },
    against: "against",
    /** @param {number} change */
    signed: (change) => (change < 0 ? `−${-change}` : `+${change}`),
    /** @param {string} at */
    day: (at) => (at ? new Date(at).toLocaleDateString("en", { day: "numeric", month: "short" }) : ""),
    noGames: "Nobody else is playing right now. Games that others play appear here, and you can watch them.",
    nobody: "Nobody is looking for an opponent right now. Choose a game's people to offer one.",
    offers: "They want to play",
    /** @param {number} playing @param {number} waiting */
    going: (playing, waiting) =>
      [playing ? `${playing} playing` : "", waiting ? `${waiting} ${plurals.select(waiting) === "one" ? "waits" : "wait"}` : ""].filter(Boolean).join(", ") || "nobody yet",
    /** @param {string} title */
    terms: (title) => `${title} with a person, or on other terms`,
    /** @param {string} side */
    first: (side) => `${side} (first)`,
    take: "Play",
    /** @param {string} name @param {string} title */
    takeFrom: (name, title) => `Play ${title} with ${name}`,
    /** @param {string} side */
    playAs: (side) => `Play as ${side}`,
    waited: "Nobody has come yet. You can keep waiting and play the computer meanwhile.",
    badRoom: "That is not the id of a room, nor a link to one.",
  },
  connecting: "Connecting …",
  lost: "The connection is lost. Reconnecting …",
  reload: "Reload the page to try again.",
  reconnected: "Connected again.",
  notSent: "The connection broke before the answer came. Try again.",
  continue: "Continue",
  playComputer: "Play the computer",
  may: {
    watch: "This server is for its registered players. You can watch.",
    enter: "This server is for invited players. Open the link of an invitation to play here.",
  },
  choose: "Choose a board, and you are playing",
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
  notRated: "not rated",
  ratedNeeds: "Rated games need a clock and a registered name.",
  stopSeeking: "Stop looking",
  /** @param {string} title */
  seeking: (title) => `Looking for an opponent in ${title} …`,
  invite: "Invite a friend",
  inviteHelp: "Send this link. Whoever opens it can take the other seat.",
  /** @param {string} side */
  youPlay: (side) => `You play ${side}.`,
  unlisted: "Only those with the link can see the game. It is not under Watch.",
  /** @param {string} who @param {string} game */
  invited: (who, game) => `${isolated(who)} invites you to a game of ${game}.`,
  /** @param {string} game */
  free: (game) => `A seat in a game of ${game} is free.`,
  copy: "Copy",
  copied: "Copied",
  live: "Live now",
  takeSeat: "Take the seat",
  watch: "Watch",
  noRatings: "Nobody has a rating in this game yet.",
  go: "Go",
  you: "you",
  openSeat: "open seat",
  away: "away",
  computer: "computer",
  bot: "bot",
  home: "Home",
  moves: "Moves",
  tabs: { moves: "Moves", values: "Values", review: "Review", chat: "Chat", rules: "Rules" },
  beside: "Beside the board",
  noMoves: "No move has been played yet.",
  score: "score ",
  flip: "Turn the board round",
  analyse: "Analysis board",
  more: "More",
  numbers: "Numbers",
  largerIsBetter: "The larger, the better.",
  /** @param {number} few @param {number} count @param {string} worth @param {boolean} alike */
  others: (few, count, worth, alike) => {
    const who = few ? (count === 1 ? "The other move" : `The other ${count} moves`) : count === 1 ? "The only move" : `All ${count} moves`;
    return alike ? `${who}: ${worth}.` : `${who}: ${worth} or worse.`;
  },
  youSubject: "You",
  /** @param {string} game @param {string} first @param {string} second */
  heading: (game, first, second) => `${game}: ${isolated(first)} against ${isolated(second)}`,
  start: "Start",
  first: "First move",
  back: "Back",
  forward: "Forward",
  present: "Present",
  /** @param {number} ply @param {number} all */
  atPast: (ply, all) => `An earlier position: move ${ply} of ${all}.`,
  /** @param {number} ply @param {number} all */
  atMove: (ply, all) => `Move ${ply} of ${all}.`,
  /** @param {number} step */
  inLine: (step) => `You are looking at a better line, ${counted(step, "move")} on.`,
  toPresent: "Back to the present",
  keys: "Keys: ← → or , . step, Home and End jump, Esc returns to the present.",
  values: "Values",
  computing: "Computing …",
  bestLine: { proved: "Best:", preferred: "The search prefers:" },
  noBestLine: "The search found no difference between the moves that are not decided.",
  isOver: "The game is over. Step back to see what the moves were worth.",
  verdict: {
    draw: "A draw with best play",
    /** How far ahead somebody is, from hardly to decisively. @type {((who: string) => string)[]} */
    ahead: [() => "About even", (who) => `${who} is slightly ahead`, (who) => `${who} is ahead`, (who) => `${who} is clearly ahead`, (who) => `${who} is winning`],
    /** @param {string} who @param {number | null} moves */
    wins: (who, moves) => `${who} wins${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
  },
  worth: {
    draws: "draws",
    /** @param {number | null} moves */
    wins: (moves) => `wins${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
    /** @param {number | null} moves */
    loses: (moves) => `loses${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
    better: ["about even", "slightly ahead", "ahead", "clearly ahead", "winning"],
    worse: ["about even", "slightly behind", "behind", "clearly behind", "losing"],
    /** @param {string} words */
    atMost: (words) => `${words} at best`,
    /** @param {string} words */
    atLeast: (words) => `${words} or better`,
  },
  graph: "Who was better after each move",
  /** @param {string} who */
  up: (who) => `↑ ${who} is better`,
  /** @param {string} who */
  down: (who) => `↓ ${who} is better`,
  projector: "Projector view",
  noProjector: "Leave the projector view",
  sound: "Sound",
  unrated: "This game is not rated.",
  ratedNoValues: "A rated game can be analysed when it is over.",
  resign: "Resign",
  resignAsk: "Resign this game?",
  yes: "Yes",
  no: "No",
  abort: "Abort",
  draw: "Offer a draw",
  drawShort: "Draw",
  takeback: "Take back",
  rematch: "Rematch",
  newGame: "New game",
  accept: "Accept",
  decline: "Decline",
  claimWin: "Claim the win",
  claimDraw: "Claim the draw",
  claimByRule: "Claim a draw",
  men: "to place",
  taken: "captured",
  /** @param {string} what */
  captured: (what) => `has taken ${what}`,
  /** @param {string} what */
  held: (what) => `has ${what}`,
  asUsual: "as usual",
  /** @param {number} count */
  stones: (count) => (count === 1 ? "1 stone" : `${count} stones`),
  download: "Download the game",
  downloadText: "Download it as text",
  /** @param {string} format */
  downloadAs: (format) => `Download it as ${format.toUpperCase()}`,
  typeMove: "Type a move",
  confirm: "Play it",
  cancel: "Cancel",
  unknownRoom: "There is no such game",
  unknownRoomHelp: "The link may be incomplete, or the server has not kept the game. Ask whoever sent it for a new one.",
  unknownPage: "There is nothing at this address",
  unknownPageHelp: "The link may be incomplete.",
  toHome: "Play or watch another game",
  close: "Close",
  /** @param {string} who @param {string} offer */
  declined: (who, offer) => `${isolated(who)} declines the ${offer}.`,
  /** @param {string} title */
  board: (title) => `${title} board`,
  /**
   * @param {string} name @param {number} row @param {number} column @param {string | null} content
   * @param {string | undefined} worth
   */
  cell: (name, row, column, content, worth) =>
    `${name}, ${content ?? "empty"}, row ${row}, column ${column}${worth ? `, ${worth}` : ""}`,
  /** @param {number | null} before @param {number} after */
  rating: (before, after) =>
    before === null ? `now rated ${after}` : `${before} → ${after} (${after < before ? "−" : "+"}${Math.abs(after - before)})`,
  offersDraw: "offers a draw",
  /** @param {number} plies */
  takenBack: (plies) => (plies === 1 ? "A move was taken back." : `${plies} moves were taken back.`),
  toRematch: "Go to the rematch",
  /** @param {number} seconds */
  claimIn: (seconds) => `You can claim the game in ${seconds} s.`,
  /** @param {number} count */
  spectators: (count) => (count === 0 ? "" : counted(count, "spectator")),
  /** @param {string} name @param {string} move */
  moved: (name, move) => `${isolated(name)} played ${move}.`,
  /** @param {string} who */
  turnOf: (who) => `${isolated(who)} to move`,
  /** @param {string} who */
  thinks: (who) => `${isolated(who)} is thinking`,
  yourTurn: "Your move",
  waiting: "Waiting for an opponent",
  stopped: "The game has stopped",
  offers: {
    /** @param {string} who */
    draw: (who) => `${isolated(who)} offers a draw.`,
    /** @param {string} who */
    takeback: (who) => `${isolated(who)} asks for a takeback.`,
    /** @param {string} who */
    rematch: (who) => `${isolated(who)} offers a rematch.`,
  },
  offered: { draw: "You have offered a draw.", takeback: "You have asked for a takeback.", rematch: "You have offered a rematch." },
  drawn: "Draw",
  youWon: "You won",
  youLost: "You lost",
  /** @param {string} who */
  won: (who) => `${isolated(who)} won`,
  /** @param {string} who */
  joined: (who) => `${isolated(who)} has joined.`,
  /** @param {string} who */
  isBack: (who) => `${isolated(who)} is back.`,
  /** @param {string} who */
  isAway: (who) => `${isolated(who)} is away.`,
  unit: {
    win: "win",
    loss: "loss",
    draw: "draw",
    /** @param {string} result @param {number} distance */
    in: (result, distance) => `${result} in ${distance}`,
  },
};
