// The English texts of practice. Nothing is claimed without "probably" that is not proved.

import { ordinal } from "./ordinal.js";
import { counted, isolated } from "./texts.js";

/** @typedef {import("./judging.js").Goal} Goal */

/** @param {string | null} side null for the user */
const stands = (side) => (side === null ? "you are" : `${side} is`);

export const practiceText = {
  title: "Practice",
  /** @param {number} count */
  start: (count) => (count === 1 ? "Practise my mistake" : `Practise my ${count} mistakes`),
  /** @param {string} side @param {number} count */
  startAs: (side, count) => `Practise ${side}’s ${count === 1 ? "mistake" : `${count} mistakes`}`,
  wait: "The engine reviews the game …",
  retry: "Try again",
  thinking: "The engine looks at the position …",
  /** @param {string} name @param {number} number */
  yours: (name, number) => `Your game against ${isolated(name)}, move ${number}`,
  /** @param {string} first @param {string} second @param {number} number */
  theirs: (first, second, number) => `${isolated(first)} against ${isolated(second)}, move ${number}`,
  /** @param {string | null} side null for the user @param {string} move */
  played: (side, move) => `${side === null ? "You" : side} played ${move}.`,
  /** What is to be found; the first where one move does it, the second where several do. @type {Record<Goal, [string, string]>} */
  find: {
    win: ["Find the move that wins.", "Find a move that wins."],
    draw: ["Find the move that draws.", "Find a move that draws."],
    notLose: ["Find the move that does not lose.", "Find a move that does not lose."],
    better: ["Find a better move.", "Find a better move."],
  },
  /** What is said of a move that is right, one that is shown, and one that is wrong: by a proof, or by an estimate. */
  right: {
    /** @param {string} move @param {string} does */
    proved: (move, does) => `Right: ${move} ${does}.`,
    /** @param {string} move @param {string | null} side null for the user @param {string} words such as "slightly ahead" */
    estimated: (move, side, words) => `Probably right: after ${move} ${stands(side)} ${words}.`,
  },
  shown: {
    /** @param {string} move @param {string} does */
    proved: (move, does) => `Here ${move} was better: it ${does}.`,
    /** @param {string} move @param {string | null} side @param {string} words */
    estimated: (move, side, words) => `Here ${move} was probably better: after it ${stands(side)} ${words}.`,
  },
  wrong: {
    /** @param {string} move @param {string} does */
    proved: (move, does) => `Not ${move}: it ${does}.`,
    /** @param {string} move @param {string | null} side @param {string} words */
    estimated: (move, side, words) => `Probably not ${move}: after it ${stands(side)} ${words}.`,
  },
  /** @param {string} move @param {string | null} side */
  again: (move, side) => `Not ${move}: that is what ${side === null ? "you" : side} played.`,
  it: {
    /** @param {string} does */
    proved: (does) => `It ${does}.`,
    /** @param {string | null} side @param {string} words */
    estimated: (side, words) => `After it ${stands(side)} ${words}.`,
  },
  /** What a move does of which only that is proved. */
  does: { win: "wins", lose: "loses", notLose: "does not lose", notWin: "does not win" },
  proved: "That is proved.",
  estimate: "That is an estimate, not a proof.",
  /** @param {string} move */
  checks: (move) => `The engine looks at ${move} …`,
  /** @param {string} who @param {string} move */
  reply: (who, move) => `${who} answers ${move}.`,
  /** @type {Record<Goal, string>} */
  counts: {
    win: "Any move that wins counts, not only the fastest.", draw: "Any move that holds the draw counts.",
    notLose: "Any move that does not lose counts.", better: "Nothing is proved here: the engine judges by estimates.",
  },
  byBoard: "Play it on the board.",
  /** @param {string} move */
  notLegal: (move) => `${move} is not possible here.`,
  hint: "Hint",
  more: "Next hint",
  /** @param {string} piece */
  hintPiece: (piece) => `Hint: move the piece on ${piece}.`,
  /** @param {string} moves */
  hintAmong: (moves) => `Hint: one of these is right: ${moves}.`,
  hintOther: "Hint: try a move that you have not tried yet.",
  hintPass: "Hint: the move is one of the buttons, not a place on the board.",
  /** @param {string} move */
  hintWhole: (move) => `Hint: play ${move}.`,
  show: "Show the move",
  why: "Show why",
  next: "Next",
  finish: "See how it went",
  leave: "Back to the review",
  mistakes: "Mistakes",
  /** @param {number} index @param {number} count */
  mistake: (index, count) => `mistake ${index} of ${count}`,
  states: { open: "not tried yet", found: "found", shown: "not found" },
  /** @param {number} number @param {string} state */
  state: (number, state) => `Move ${number}: ${state}`,
  /** @param {number} number @param {string} move */
  at: (number, move) => `Move ${number}: ${move},`,
  /** @param {number} found @param {number} count */
  summary: (found, count) => `${found} of ${count} found`,
  allFound: "Well done: you found a better move at every mistake.",
  /** @param {number} count */
  missed: (count) => (count === 1 ? "One is left to try again." : `${count} are left to try again.`),
  /** @param {number} tries */
  found: (tries) => (tries === 1 ? "found at once" : `found at the ${ordinal(tries)} try`),
  hinted: "found with a hint",
  notFound: "not found",
  /** @param {number} count */
  once: (count) => (count === 1 ? "Try the missed one again" : `Try the ${count} missed ones again`),
  all: "Practise all again",
  line: "How the game would go on",
  lineBack: "Back in this line",
  lineOn: "Forward in this line",
  nothing: "There is no mistake to practise in this game.",
  graph: "The result to expect after each move, up is better",
  you: "you",
  was: "played",
  best: "best",
  /** @param {string | null} side */
  ahead: (side) => (side === null ? "↑ You ahead" : `↑ ${side} ahead`),
  /** @param {number} count */
  moves: (count) => counted(count, "move"),
};
