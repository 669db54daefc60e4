// All English texts of the page.

const plurals = new Intl.PluralRules("en");

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
function counted(count, one, many = `${one}s`) {
  return `${count} ${plurals.select(count) === "one" ? one : many}`;
}

export const text = {
  name: "Noughts",
  about: "Board games for two, against people, bots or the computer. Anybody can watch.",
  connecting: "Connecting …",
  lost: "The connection is lost. Connecting again …",
  reconnected: "Connected again.",
  notSent: "The connection broke before the answer came. Try again.",
  continue: "Continue",
  playComputer: "Play the computer",
  playPerson: "Play a person",
  game: "Game",
  level: "Level",
  side: "You play",
  either: "either side",
  play: "Play",
  clock: "Clock",
  noClock: "no clock",
  rated: "Rated",
  ratedNeeds: "Rated games need a clock and a registered name.",
  seek: "Find an opponent",
  stopSeeking: "Stop looking",
  /** @param {string} title */
  seeking: (title) => `Looking for an opponent in ${title} …`,
  invite: "Invite a friend",
  inviteHelp: "Send this link. Whoever opens it first takes the other seat.",
  copy: "Copy",
  copied: "Copied",
  live: "Live games",
  noGames: "No games are being played right now.",
  openRooms: "Open seats",
  takeSeat: "Take the seat",
  watch: "Watch",
  leaderboard: "Leaderboard",
  noRatings: "Nobody has a rating in this game yet.",
  roomId: "Room id",
  go: "Go",
  you: "you",
  openSeat: "open seat",
  away: "away",
  computer: "computer",
  bot: "bot",
  home: "Home",
  moves: "Moves",
  start: "Start",
  first: "First move",
  back: "Back",
  forward: "Forward",
  present: "Present",
  atPast: "You are looking at an earlier position.",
  values: "Values",
  valuesHelp: "Show what every move is worth",
  computing: "Computing …",
  ratedNoValues: "A rated game can be analysed when it is over.",
  resign: "Resign",
  resignAsk: "Resign this game?",
  yes: "Yes",
  no: "No",
  abort: "Abort",
  draw: "Offer a draw",
  takeback: "Take back",
  rematch: "Rematch",
  accept: "Accept",
  decline: "Decline",
  claimWin: "Claim the win",
  claimDraw: "Call it a draw",
  rules: "Rules",
  chat: "Chat",
  say: "Say something",
  send: "Send",
  download: "Download the game",
  typeMove: "Type a move",
  confirm: "Play it",
  cancel: "Cancel",
  register: "Register this name",
  yourName: "Your name",
  registeredAs: "Registered. Nobody else can use this name here.",
  registerHelp: "Your games are kept in this browser. Register a name to play rated games.",
  unknownRoom: "There is no room with that id.",
  /** @param {string} title */
  board: (title) => `${title} board`,
  /** @param {string} name @param {string | null} content @param {string | undefined} worth */
  cell: (name, content, worth) => [name, content ?? "empty", worth ?? ""].filter(Boolean).join(", "),
  /** @param {number} count */
  spectators: (count) => (count === 0 ? "" : counted(count, "spectator")),
  /** @param {string} name @param {string} move */
  moved: (name, move) => `${name} played ${move}.`,
  /** @param {string} who */
  turnOf: (who) => `${who} to move`,
  yourTurn: "Your move",
  waiting: "Waiting for an opponent",
  /** @param {number} ply */
  ply: (ply) => `after ${counted(ply, "move")}`,
  offers: {
    draw: "Your opponent offers a draw.",
    takeback: "Your opponent asks to take a move back.",
    rematch: "Your opponent offers a rematch.",
  },
  offered: { draw: "You have offered a draw.", takeback: "You have asked to take a move back.", rematch: "You have offered a rematch." },
  reasons: {
    line: "by a line",
    count: "by count",
    resignation: "by resignation",
    time: "on time",
    abandonment: "because the other side left",
    forfeit: "by forfeit",
  },
  drawn: { draw: "Draw", agreement: "Draw by agreement", count: "Draw, both have the same count", abandonment: "Abandoned by both" },
  aborted: "Aborted",
  /** @param {string} who @param {boolean} me */
  won: (who, me) => (me ? "You won" : `${who} won`),
  /** @param {string} who */
  isAway: (who) => `${who} is away.`,
  unit: { win: "win", loss: "loss", draw: "draw" },
  /** @param {string} value @param {string} line */
  best: (value, line) => `Best: ${value}${line ? `, ${line}` : ""}`,
};

/** The texts of a review. Nothing is claimed without "probably" that is not proved. */
export const reviewText = {
  title: "Review",
  help: "What each move kept or threw away, and where the game was decided.",
  start: "Review this game",
  again: "Try again",
  /** @param {number} done @param {number} all */
  progress: (done, all) => `${done} of ${counted(all, "move")} reviewed`,
  marks: {
    kept: "result kept",
    faster_win_missed: "faster win missed",
    larger_win_missed: "larger win missed",
    win_thrown_away: "win thrown away",
    draw_thrown_away: "draw thrown away",
    probable_mistake: "probably a mistake",
    no_mistake_seen: "no mistake seen",
  },
  /** @param {number} number @param {string} side @param {string} move */
  move: (number, side, move) => `${number}. ${side} ${move}`,
  kept: { win: "keeps the win", draw: "keeps the draw", loss: "lost anyway" },
  decisive: {
    /** @param {string} who @param {string} side @param {number} number @param {string} move */
    win_thrown_away: (who, side, number, move) => `Move ${number} decided the game: with ${move}, ${who} (${side}) threw a win away.`,
    /** @param {string} who @param {string} side @param {number} number @param {string} move */
    draw_thrown_away: (who, side, number, move) => `Move ${number} decided the game: with ${move}, ${who} (${side}) threw a draw away.`,
    /** @param {string} who @param {string} side @param {number} number @param {string} move */
    probable_mistake: (who, side, number, move) =>
      `Move ${number} probably decided the game: by estimates, ${who} (${side}) did much worse with ${move} than necessary.`,
  },
  noDecisive: "No mistake that decided the game was found.",
  /** @param {string} how */
  endedBy: (how) => `No mistake that decided the game was found: it ended ${how}.`,
  showMistake: "Show it, and the better line",
  mistakes: "What could be better",
  /** @param {string} move @param {string} was @param {string} better @param {boolean} proved */
  instead: (move, was, better, proved) => `Instead of ${move} (${was}), this was ${proved ? "" : "probably "}better (${better}):`,
  line: "The better line",
  lineBack: "Back in the line",
  lineOn: "On in the line",
  asPlayed: "As played",
  estimate: "estimate",
  /** @param {number} value */
  winBy: (value) => `win by ${value}`,
  /** @param {number} step */
  inLine: (step) => `You are looking at a better line, ${counted(step, "move")} on.`,
};

/** Half a page of rules for each game of the server's own. */
export const rules = {
  tictactoe: [
    "X begins. The two sides take turns to fill an empty cell.",
    "Whoever first has three in a row wins: across, down or diagonally. A full board without a row is a draw.",
    "With best play on both sides it is always a draw, and the computer at its highest level never loses.",
  ],
  connect4: [
    "Red begins. Choose a column: your disc falls to the lowest free cell of it.",
    "Whoever first has four in a row wins: across, down or diagonally. A full board without four is a draw.",
    "The side that begins can always win, but only by starting in the middle column.",
  ],
  reversi: [
    "Black begins. Place a disc so that it encloses a straight line of the other side's discs between it and one of your own: across, down or diagonally.",
    "All discs that are enclosed turn to your colour, in every direction at once. A move must turn at least one disc.",
    "If you have no move you pass. When neither side can move, the side with more discs wins.",
  ],
  gomoku: [
    "Black begins. The two sides take turns to place a stone on a free point.",
    "Whoever first has five in a row wins: across, down or diagonally. More than five count too.",
    "Three in a row that is open at both ends, or four, must be answered at once.",
  ],
  ultimate: [
    "X begins. Nine small boards of tic-tac-toe make one large one. Your cell within a small board says in which board the other side must play next.",
    "Win a small board to own its place in the large one. Whoever has three boards in a row wins.",
    "If the board you are sent to is won or full, you may play in any other. Boards that are won or full take no more moves.",
    "If nobody gets three in a row, the game is a draw.",
  ],
};
