// The texts of what one can study, and of games in files.

import { counted } from "./texts.js";

export const studyText = {
  lecture: "Searches, step by step",
  lectureHelp: "See how a program searches: minimax, alpha-beta and Monte-Carlo, on a tree of numbers or on a position of any game here.",
  openLecture: "Open the lecture",
  openFile: "Open a file",
  reviewYours: "Learn from your games",
  reviewHelp: "You have finished none yet. Play one against the computer: when it is over, its review shows which move decided it, and you can try a better one.",
  /** @param {string} title */
  firstGame: (title) => `Play ${title}`,
  otherGames: "Another game",
  lastGame: "Your last game",
  you: { won: "You won against", lost: "You lost to", drawn: "You drew with" },
  /** @param {number} moves */
  inMoves: (moves) => ` in ${counted(moves, "move")}.`,
  why: {
    won: "See which move decided it, and what you could have done better on the way.",
    lost: "One move may have decided it. See which, and find the better one.",
    drawn: "See whether one of you could have won, and where.",
  },
  decided: "See what decided it",
  practise: "Practise your mistakes",
  analyse: "Try other moves",
  more: "More to study",
  replayFile: "Replay a file",
  replayHelp: "Choose a record of games, or drop it anywhere on this page.",
  file: "File",
  openRoom: "This game was played here. Open its room, with values.",
  /** @param {string} name */
  noRecord: (name) => `${name} has no game in it. Records of games end in .jsonl.`,
  /** @param {number} bytes */
  tooLong: (bytes) => `A file of another program may have at most ${bytes / 1000} kB here. "noughts watch" reads longer ones.`,
};
