// The texts of classes, and of the next board.

import { counted, isolated } from "./texts.js";

export const classText = {
  title: "Classes",
  help: "A list of names, which students take by a link, without an account. You see who is here, who plays, and what each has done.",
  openList: "Your classes",
  loading: "Loading …",
  none: "You are in no class yet. Make one below, or open the link that your teacher has sent.",
  yours: "You teach",
  joined: "You have a name in",
  /** @param {number} count */
  students: (count) => counted(count, "student"),
  // the form
  make: "Make a class",
  makeIt: "Make it",
  needsName: "Only players with a registered name can make a class.",
  register: "Register a name",
  name: "Name of the class",
  names: "Names of the students, one on each line",
  namesHelp: "Only you see this list. Whoever has the link sees the names that are still free; in games the students go by names of their own.",
  tooLong: "That is too much for one message. Add half of the names now, and the others afterwards.",
  // a class
  unknown: "There is no such class",
  unknownHelp: "The link may be incomplete, or the class was deleted. Ask your teacher for a new one.",
  all: "All classes",
  /** @param {number} plays @param {number} here @param {number} away */
  counts: (plays, here, away) => `${plays} play, ${here} here, ${away} away`,
  plays: "play",
  here: "here",
  away: "away",
  joinBy: "Join with a name from the list",
  link: "The link to this class",
  qr: "QR code",
  justLink: "Link",
  wall: "All boards",
  boards: "Boards under way",
  tournament: "Tournament",
  puzzles: "Puzzles",
  settings: "Settings",
  // the table
  roster: "Students",
  sortedHere: "whoever needs you comes first",
  student: "Student",
  now: "Now",
  bot: "Bot",
  results: "Results",
  /** @param {number | undefined} count */
  puzzlesOf: (count) => (count === undefined ? "Puzzles" : `Puzzles of ${count}`),
  reviews: "Reviews",
  presence: { plays: "plays", here: "is here", away: "is away" },
  /** @param {string} name @param {number | undefined} ply */
  against: (name, ply) => (!ply ? `plays ${isolated(name)}` : `plays ${isolated(name)}, move ${ply}`),
  waits: "waits for an opponent",
  asks: "asks for help",
  reads: "reads a review",
  isHere: "is here",
  isAway: "is away",
  never: "has not joined",
  noBot: "–",
  noBotSpoken: "none yet",
  botPlays: "plays",
  botHere: "connected",
  botAway: "handed in",
  /** @param {number} won @param {number} drawn @param {number} lost */
  record: (won, drawn, lost) => `${won}–${drawn}–${lost}`,
  /** @param {number} won @param {number} drawn @param {number} lost */
  recordSpoken: (won, drawn, lost) => `${won} won, ${drawn} drawn, ${lost} lost`,
  /** @param {number} some @param {number} all */
  reviewed: (some, all) => `${some} of ${all}`,
  /** @param {string} name */
  more: (name) => `More about ${isolated(name)}`,
  goesBy: "In games",
  games: "Last games",
  noGames: "No game yet.",
  /** @type {Record<string, string>} */
  outcomes: { won: "won", drawn: "drawn", lost: "lost" },
  review: "reviewed",
  withBot: "the bot",
  /** @param {string} name */
  botOf: (name) => `${name} (bot)`,
  free: "Free this name",
  freeHelp: "For a student who has lost the phone: whoever takes the name next goes on with its results.",
  freeBot: "Free the place of the bot",
  remove: "Remove from the class",
  // what needs the organiser
  needs: "Needs you",
  nothing: "Nothing just now.",
  /** @param {number} count */
  boardsWait: (count) => `${counted(count, "board")} of the simul ${count === 1 ? "waits" : "wait"} for your move`,
  /** @param {number} count */
  opponentsWait: (count) => `${counted(count, "student")} ${count === 1 ? "waits" : "wait"} for an opponent`,
  /** @param {number} count */
  notJoined: (count) => `${counted(count, "name")} not taken yet`,
  /** @param {string[]} names @param {number} more */
  some: (names, more) => names.map(isolated).join(", ") + (more ? ` and ${more} more` : ""),
  /** @param {string} name */
  asksFor: (name) => `${isolated(name)} asks for help`,
  answer: "Answer",
  openBoard: "Open the board",
  next: "Next board",
  showLink: "Show the link",
  // the simul
  simul: "Simul",
  simulHelp: "you against all who are free",
  game: "Game",
  clock: "Clock",
  noClock: "no clock",
  youMove: "You move",
  /** @type {[string, string][]} */
  sides: [["first", "first"], ["second", "second"], ["alternate", "in turn"]],
  /** @param {number} count */
  start: (count) => `Start with ${counted(count, "board")}`,
  nobody: "Nobody is here and free.",
  /** @param {number} count */
  underWay: (count) => `${counted(count, "board")} under way`,
  // what belongs to the class
  work: "For the class",
  chooseSet: "Puzzles",
  noSet: "any puzzles",
  makeSet: "Make a set",
  chooseTournament: "Tournament",
  noTournament: "none",
  tournamentHelp: "The id or the link of a tournament. Only the class has the link of one that is not in the list.",
  openTournament: "Open one",
  save: "Save",
  add: "Add names, one on each line",
  addThem: "Add",
  rename: "Name of the class",
  delete: "Delete the class",
  deleteAsk: "Delete the class, with its list of names? Games and puzzles stay with the players.",
  // for a student
  /** @param {string} title */
  join: (title) => `Join ${isolated(title)}`,
  /** @param {string} name */
  teacher: (name) => `Teacher: ${isolated(name)}`,
  who: "Who are you?",
  whoHelp: "Take your name from the list. If it is not there, somebody has taken it: ask your teacher.",
  noneFree: "All names are taken. Ask your teacher to free yours.",
  find: "Find your name",
  /** @param {string} name */
  iAm: (name) => `I am ${isolated(name)}`,
  back: "No, back",
  /** @param {string} name @param {string} title */
  youAre: (name, title) => `You are ${isolated(name)} in ${isolated(title)}`,
  stay: "Keep this page open: when your teacher plays you, your board opens by itself.",
  /** @param {string} name */
  shownAs: (name) => `Others see you as ${isolated(name)}. Only your teacher sees your name.`,
  ask: "Ask for help",
  asked: "Your teacher sees that you ask for help.",
  askNoMore: "Take it back",
  toPuzzles: "Solve puzzles",
  toSet: "Puzzles of the class",
  toTournament: "Go to the tournament",
  play: "Play",
  handIn: "Hand in a bot",
  handInHelp: "In a terminal, with your bot in my_bot.py:",
  notYou: "Somebody else?",
  giveUp: "This is not me",
  giveUpAsk: "Give the name up? Somebody else can take it then.",
  /** @param {string} teacher @param {string} side @param {string} seat */
  called: (teacher, side, seat) => `Simul: you play ${side} against ${isolated(teacher)} and move ${seat}.`,
};

export const nextText = {
  /** @param {number} count */
  wait: (count) => (count ? `${counted(count, "other board")} ${count === 1 ? "waits" : "wait"} for you` : "No other board waits for you"),
  next: "Next board",
  byItself: "Go on after each move",
  /** @param {number} count */
  of: (count) => `You play on ${counted(count, "board")}`,
};
