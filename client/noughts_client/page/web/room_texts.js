// The English texts of rooms, with those that every view has.

import { counted, isolated, text as common } from "./texts.js";

/** @typedef {import("./types.js").Words} Words */

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
 * @param {import("./types.js").Outcome} outcome
 * @param {{lead?: number, score?: number[]}} [state] the points by which the winner has won, or of each side, where the game tells them
 * @param {number} [block] the size of the boards within the board
 */
export function ended(words, whoWon, { reason, cells }, { lead, score } = {}, block) {
  const { how, closed, lines, boards } = ending(words, reason);
  if (whoWon === null && closed) return closed;
  const lost = whoWon === text.youLost;
  const line = block ? boards : lines?.[cells.length];
  const row = line && `${lost ? "to" : "with"} ${line}`;
  const points = reason === "count" && score?.toSorted((one, other) => (lost ? one - other : other - one)).join(" to ");
  return `${[whoWon ?? text.drawn, lead ? `by ${counted(lead, "point")}` : row || points || how].filter(Boolean).join(" ")}.`;
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
  share: "Share",
  copyLink: "Copy the link",
};

export const text = {
  ...common,
  notRated: "not rated",
  look: "Look",
  /** @param {string} who @param {string} game */
  invited: (who, game) => `${isolated(who)} invites you to a game of ${game}.`,
  /** @param {string} game */
  free: (game) => `A seat in a game of ${game} is free.`,
  copied: "Copied",
  you: "you",
  away: "away",
  bot: "bot",
  tabs: { moves: "Moves", values: "Values", review: "Review", chat: "Chat", rules: "Rules" },
  beside: "Beside the board",
  noMoves: "No move has been played yet.",
  score: "score ",
  flip: "Turn the board round",
  analyse: "Analysis board",
  more: "More",
  youSubject: "You",
  /** @param {string} game @param {string} first @param {string} second */
  heading: (game, first, second) => `${game}: ${isolated(first)} against ${isolated(second)}`,
  first: "First move",
  back: "Back",
  forward: "Forward",
  present: "Present",
  /** @param {number} ply @param {number} all */
  atPast: (ply, all) => `Earlier: move ${ply} of ${all}`,
  /** @param {number} ply @param {number} all */
  atMove: (ply, all) => `Move ${ply} of ${all}.`,
  /** @param {number} step */
  inLine: (step) => `You are looking at a better line, ${counted(step, "move")} on.`,
  toPresent: "Back to the present",
  keys: "Keys: ← → or , . step, Home and End jump, Esc returns to the present.",
  computing: "Computing …",
  sound: "Sound",
  soundOn: "Turn sounds on",
  soundOff: "Turn sounds off",
  unrated: "This game is not rated.",
  ratedNoValues: "A rated game can be analysed when it is over.",
  pass: "Pass",
  mustPass: "No move: you must pass",
  resign: "Resign",
  resignAsk: "Resign this game?",
  abort: "Abort",
  forfeit: "Forfeit the game",
  forfeitAsk: "You lose the point of this game. Forfeit it?",
  /** Before the time that is left, and after it. @param {string} who the user if empty */
  firstMove: (who) => [who ? `${isolated(who)} has` : "You have", "to make the first move, or the game is forfeited."],
  draw: "Offer a draw",
  drawShort: "Draw",
  takeback: "Take back",
  rematch: "Rematch",
  newGame: "New game",
  tournament: "Tournament",
  toTournament: "Back to the tournament",
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
  /** @param {string} cell @param {string} side */
  swap: (cell, side) => `: take ${cell} as ${side}`,
  orCell: "or play a cell",
  typeMove: "Type a move",
  confirm: "Play it",
  cancel: "Cancel",
  /** @param {string} who @param {string} offer */
  declined: (who, offer) => `${isolated(who)} declines the ${offer}.`,
  /** @param {string} who @param {string} offer */
  withdrawn: (who, offer) => `${isolated(who)} withdraws the offer of a ${offer}.`,
  withdraw: "Withdraw the offer",
  withdrawShort: "Withdraw",
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
  thinking: "thinking",
  theComputer: "The computer",
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
  /**
   * @param {string} name @param {number} row @param {number} column @param {string | null} content
   * @param {string | undefined} worth
   */
  cell: (name, row, column, content, worth) =>
    `${name}, ${content ?? "empty"}, row ${row}, column ${column}${worth ? `, ${worth}` : ""}`,
};
