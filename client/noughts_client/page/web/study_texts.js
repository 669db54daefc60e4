// The texts of what one can study, and of games in files.

export const studyText = {
  lecture: "Searches, step by step",
  lectureHelp: "See how a program searches: minimax, alpha-beta and Monte-Carlo, on a tree of numbers or on a position of any game here.",
  openLecture: "Open the lecture",
  openFile: "Open a file",
  reviewYours: "Learn from your games",
  reviewHelp: "When a game of yours is over, its review shows which move decided it. Your games appear here.",
  replayFile: "Replay a file",
  replayHelp: "Choose a record of games, or drop it anywhere on this page.",
  file: "File",
  openRoom: "This game was played here. Open its room, with values.",
  /** @param {string} name */
  noRecord: (name) => `${name} has no game in it. Records of games end in .jsonl.`,
  /** @param {number} bytes */
  tooLong: (bytes) => `A file of another program may have at most ${bytes / 1000} kB here. "noughts watch" reads longer ones.`,
};
