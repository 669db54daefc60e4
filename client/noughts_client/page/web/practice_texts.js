// The English texts of practice. Nothing is claimed without "probably" that is not proved.

import { counted, isolated } from "./texts.js";

/** @typedef {import("./judging.js").Goal} Goal */

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
  /** @type {Record<Goal, string>} */
  right: { win: "That keeps the win.", draw: "That keeps the draw.", notLose: "That does not lose.", better: "That wins." },
  /** @type {Record<Goal, string>} */
  probablyRight: { win: "That probably keeps the win.", draw: "That probably keeps the draw.", notLose: "That probably does not lose.", better: "That is probably better." },
  /** @type {Record<Goal, string>} */
  wrong: { win: "That gives away the win; look again.", draw: "That loses; look again.", notLose: "That loses; look again.", better: "That loses; look again." },
  /** @type {Record<Goal, string>} */
  probablyWrong: {
    win: "That probably gives away the win; look again.", draw: "That probably loses; look again.", notLose: "That probably loses; look again.",
    better: "There is probably something better; look again.",
  },
  again: "That is the move that was played; look again.",
  /** @param {string} words such as "loses in 2 moves" */
  proved: (words) => `With best play it ${words}.`,
  /** @param {string} words such as "slightly ahead" @param {string | null} side null for the user */
  estimated: (words, side) => `After it ${side === null ? "you are" : `${side} is`} probably ${words}.`,
  /** @param {string} words @param {string | null} side */
  bounded: (words, side) => `After it ${side === null ? "you are" : `${side} is`} ${words}.`,
  /** @param {string} who @param {string} move */
  reply: (who, move) => `${who} answers ${move}.`,
  /** @type {Record<Goal, string>} */
  counts: {
    win: "Any move that wins counts, not only the fastest.", draw: "Any move that holds the draw counts.",
    notLose: "Any move that does not lose counts.", better: "Nothing is proved here: the engine judges by its estimates.",
  },
  byBoard: "Play it on the board.",
  /** @param {string} move */
  not: (move) => `Not ${move}.`,
  /** @param {string} move */
  answer: (move) => `${move} was better.`,
  /** @param {string} move */
  probableAnswer: (move) => `${move} was probably better.`,
  /** @param {string} move */
  notLegal: (move) => `${move} is not possible here.`,
  hint: "Hint",
  /** @param {string} piece */
  hintPiece: (piece) => `Hint: it begins on ${piece}.`,
  hintAmong: "Hint: it is one of the ringed places.",
  hintPass: "Hint: it is none of the places on the board.",
  /** @param {string} move */
  hintWhole: (move) => `Hint: it is ${move}.`,
  show: "Show the move",
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
  allFound: "You found a better move at every mistake.",
  /** @param {number} count */
  missed: (count) => (count === 1 ? "One is left to look at again." : `${count} are left to look at again.`),
  /** @param {number} tries */
  found: (tries) => (tries === 1 ? "found at once" : `found at try ${tries}`),
  hinted: "found with a hint",
  notFound: "shown",
  /** @param {number} count */
  once: (count) => (count === 1 ? "Try the missed one again" : `Try the ${count} missed ones again`),
  all: "Practise all again",
  line: "How it goes on",
  lineBack: "Back in the line",
  lineOn: "On in the line",
  nothing: "There is no mistake to practise in this game.",
  graph: "The result to expect after each move, up is better",
  you: "you",
  was: "played",
  best: "best",
  /** @param {string | null} side */
  ahead: (side) => (side === null ? "You ahead" : `${side} ahead`),
  /** @param {number} count */
  moves: (count) => counted(count, "move"),
};
