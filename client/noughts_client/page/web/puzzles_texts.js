// The texts of puzzles.

const counted = (/** @type {number} */ count, /** @type {string} */ one, /** @type {string} */ many) => `${count} ${count === 1 ? one : many}`;

export const puzzleText = {
  title: "Puzzles",
  open: "Solve puzzles",
  help: "Positions in which exactly one move is right. Each is proved, and so is every answer to what you try.",
  beside: "The puzzle",
  /** @param {string} game */
  today: (game) => `Puzzle of the day, ${game}`,
  /** @param {string} game */
  one: (game) => `Puzzle, ${game}`,
  /** @param {number} move @param {number} moves */
  move: (move, moves) => `move ${Math.min(move, moves)} of ${moves}`,
  ofToday: "Puzzles of the day",
  allPuzzles: "More puzzles",
  /** @param {number} score */
  done: (score) => (score === 1 ? ", solved" : score ? ", with a hint" : ", tried"),
  loading: "The puzzle is being loaded.",
  /** @param {string} move */
  notLegal: (move) => `${move} is not a legal move here.`,
  hint: "Hint",
  show: "Show the answer",
  counts: "The first try counts: a hint costs half, the answer as much as a wrong move.",
  again: "Try it again",
  /** After a wrong move, whose answer stays until a click. */
  retry: "Try again",
  answered: (/** @type {string} */ side) => `Wrong: ${side} answers.`,
  next: "Next puzzle",
  skip: "Skip",
  nextGame: "Game of the next puzzle",
  nextLevel: "Difficulty of the next puzzle",
  levels: { easier: "Easier", mine: "At my rating", harder: "Harder" },
  none: "You have tried all puzzles of this game.",
  solved: { 1: "Solved.", 0.5: "Solved with a hint.", 0: "Solved, but not at the first try." },
  before: "You have tried this puzzle before: it does not change your rating.",
  shown: "This is the answer.",
  uncertain: "not known yet",
  judging: "Your move is being judged …",
  /** @param {number} change */
  changed: (change) => `Your rating: ${change < 0 ? "−" : "+"}${Math.abs(Math.round(change))}.`,
  replied: (/** @type {string} */ side, /** @type {string} */ move) => `${side} plays ${move}.`,
  line: "The solution",
  lineBack: "A move back",
  lineOn: "A move on",
  proof: "Why no other first move is right",
  unproved: (/** @type {number} */ count) => `${counted(count, "other move is", "other moves are")} wrong, too, but to prove what follows takes too long here.`,
  difficulty: "Difficulty",
  you: "You",
  tried: "Tried",
  /** @param {number} tried @param {number} count */
  triedOf: (tried, count) => `${tried} of ${count}`,
  moreToday: "More for today",
  week: "The last seven days",
  /** @param {string} day @param {boolean} solved */
  dayState: (day, solved) => `${day}: ${solved ? "solved" : "none solved"}`,
  /** @param {number} days @param {boolean} today */
  running: (days, today) =>
    days === 0 ? "Solve one a day." : today ? `${counted(days, "day", "days")} in a row.` : `${counted(days, "day", "days")} in a row. Today makes ${days + 1}.`,
  guest: "This is the progress of a guest in this browser. Register your name, and you have it wherever you sign in.",
  // sets
  forClass: "A set for your class",
  forClassHelp: "Choose puzzles, send the link, and see who has solved what.",
  register: "Register your name to make sets.",
  name: "Name",
  howMany: "Puzzles",
  from: "From rating",
  to: "To rating",
  make: "Make the set",
  noneSo: "No puzzle of this game has such a rating.",
  yourSets: "Your sets",
  /** @param {number} count */
  puzzles: (count) => counted(count, "puzzle", "puzzles"),
  setLink: "Link for your class",
  /** @param {string} name */
  seen: (name) => `${name} sees what you solve of this set.`,
  /** @param {string} name */
  registerFor: (name) => `Register your name, so that ${name} sees what you solve.`,
  inSet: "The puzzles of the set",
  /** @param {number} number @param {string} state */
  setState: (number, state) => `Puzzle ${number}: ${state}`,
  states: { found: "solved", hinted: "solved with a hint", shown: "not solved", open: "not tried" },
  /** @param {number} solved @param {number} count */
  setDone: (solved, count) => `You have tried all ${count}, and solved ${solved}.`,
  solvers: "Who solved what",
  noSolvers: "Nobody has tried one of these puzzles yet.",
  solver: "Player",
  solvedCount: "Solved",
  reload: "Look again",
  remove: "Delete the set",
  gone: "There is no such set. Its maker may have deleted it.",
};
