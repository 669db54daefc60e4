// The English texts of a review. Nothing is claimed without "probably" that is not proved.

import { counted, isolated } from "./texts.js";

export const reviewText = {
  title: "Review",
  help: "What each move kept or threw away, and where the game was decided.",
  begins: "The review begins …",
  again: "Try again",
  /** @param {number} done @param {number} all */
  progress: (done, all) => `${done} of ${counted(all, "move")} reviewed`,
  kept: { win: "keeps the win", draw: "keeps the draw", loss: "lost anyway" },
  decisive: {
    /** @param {string} who @param {number} number @param {string} move */
    win_thrown_away: (who, number, move) => `Move ${number} decided the game: with ${move}, ${who} threw a win away.`,
    /** @param {string} who @param {number} number @param {string} move */
    draw_thrown_away: (who, number, move) => `Move ${number} decided the game: with ${move}, ${who} threw a draw away.`,
    /** @param {string} who @param {number} number @param {string} move */
    probable_mistake: (who, number, move) =>
      `Move ${number} probably decided the game: with ${move}, ${who} gave a lot away, by the engine’s estimates.`,
  },
  /** A mistake that leaves a proved loss. @param {string} who @param {number} number @param {string} move */
  lost: (who, number, move) => `Move ${number} lost the game: after ${move}, nothing could save ${who}. Before it, something probably could.`,
  givenUp: { win_thrown_away: "a won position", draw_thrown_away: "a drawn position", probable_mistake: "a position that was probably not lost" },
  /** @param {string} who @param {string} position */
  resigned: (who, position) => `${who} decided the game by resigning ${position}.`,
  /** @param {string} who @param {string} position */
  inTheEnd: (who, position) => `In the end ${who} resigned ${position}.`,
  /** @param {number} number */
  earlierWin: (number) => `Before, move ${number} threw a win away.`,
  noDecisive: "No mistake that decided the game was found.",
  /** @param {string} how */
  endedBy: (how) => `No mistake that decided the game was found: it ended ${how}.`,
  /** @param {string} name @param {string} side @param {string} result */
  against: (name, side, result) => `Against ${isolated(name)}. You were ${side} and ${result}.`,
  /** @param {string} first @param {string} second */
  between: (first, second) => `${isolated(first)} against ${isolated(second)}`,
  leave: "Back to the game",
  computer: "the computer",
  you: "You",
  youWithin: "you",
  /** @param {string} who @param {string} side */
  as: (who, side) => `${isolated(who)} (${side})`,
  /** @param {string} who @param {string} move */
  played: (who, move) => `${isolated(who)} played ${move}.`,
  /** @param {string} move @param {boolean} proved */
  better: (move, proved) => `; ${move} was ${proved ? "" : "probably "}better`,
  /** @param {string} move @param {string} wins such as "wins in 1 move" */
  winMissed: (move, wins) => `Missed a win: ${move} ${wins}`,
  mistakeBefore: "The mistake before (<)",
  mistakeAfter: "The next mistake (>)",
  nextMistake: "Next mistake",
  /** @param {number} number 0 for none @param {number} all @param {boolean} both whether each side has made some */
  mistake: (number, all, both) => `${number ? `Mistake ${number} of ${all}` : `${all} mistakes`}${both ? ", both sides" : ""}`,
  yours: "What you could do better",
  /** @param {string} who */
  of: (who) => `${isolated(who)} could do better here`,
  /** @param {string} move @param {string} was @param {string} better @param {boolean} proved */
  instead: (move, was, better, proved) => `Instead of ${move} (${was}), this was ${proved ? "" : "probably "}better (${better}):`,
  line: "The better line",
  lineBack: "Back in this line",
  lineOn: "Forward in this line",
  asPlayed: "As played",
};
