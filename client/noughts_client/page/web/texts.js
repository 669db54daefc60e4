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
  /** @param {number} ply @param {number} all */
  atPast: (ply, all) => `Move ${ply} of ${all}.`,
  toPresent: "Back to the present",
  keys: "Keys: ← → or , . step, Home and End jump, Esc returns to the present.",
  replayFile: "Replay a file",
  replayHelp: "Choose a record of games, or drop it anywhere on this page.",
  file: "File",
  openRoom: "This game was played here. Open its room, with values.",
  /** @param {string} name */
  noRecord: (name) => `${name} has no game in it. Records of games end in .jsonl.`,
  /** @param {string} game */
  unknownGame: (game) => `This server does not have the game ${game}.`,
  values: "Values",
  valuesHelp: "Show what every move is worth",
  computing: "Computing …",
  bestLine: "Best:",
  isOver: "The game is over.",
  verdict: {
    draw: "A draw with best play",
    even: "About even",
    /** @param {string} who @param {string} by */
    better: (who, by) => `${who} is better (${by})`,
    /** @param {string} who @param {number | null} distance */
    wins: (who, distance) => `${who} wins${distance === null ? "" : ` in ${distance}`}`,
  },
  graph: "Who was better after each move",
  /** @param {string} who */
  up: (who) => `↑ ${who} is better`,
  /** @param {string} who */
  down: (who) => `↓ ${who} is better`,
  projector: "Projector view",
  noProjector: "Leave the projector view",
  sound: "Sound",
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
  chatOfSpectators: "Chat of the spectators",
  say: "Say something",
  send: "Send",
  download: "Download the game",
  downloadText: "as text",
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
  takenBack: "Taken back.",
  toRematch: "Go to the rematch",
  /** @param {number} seconds */
  claimIn: (seconds) => `You can claim the game in ${seconds} s.`,
  /** @param {string} place @param {string} move */
  sentTo: (place, move) => `You must play in the ${place} board: ${move} sent you there.`,
  places: ["top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"],
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
  joined: (who) => `${who} has joined.`,
  /** @param {string} who */
  isBack: (who) => `${who} is back.`,
  /** @param {string} who */
  isAway: (who) => `${who} is away.`,
  unit: {
    win: "win",
    loss: "loss",
    draw: "draw",
    /** @param {string} result @param {number} distance */
    in: (result, distance) => `${result} in ${distance}`,
  },
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
