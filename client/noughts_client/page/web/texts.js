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
  lobby: {
    noServer:
      "The server does not answer, or takes no more connections from your network just now. Trying again …",
    /** @param {string} message */
    again: (message) => `${message} Trying again …`,
    rated: "rated",
    theirTurn: "Their move",
    past: "Your last games",
    more: "Show more",
    results: { won: "won", lost: "lost", drawn: "drawn" },
    against: "against",
    /** @param {number} change */
    signed: (change) => (change < 0 ? `−${-change}` : `+${change}`),
    /** @param {string} at */
    day: (at) => (at ? new Date(at).toLocaleDateString("en", { day: "numeric", month: "short" }) : ""),
    noGames: "Nobody is playing right now. Games that others play appear here, and you can watch them.",
    nobody: "Nobody else is looking for an opponent right now.",
    offers: "They want to play",
    take: "Play",
    /** @param {string} name @param {string} title */
    takeFrom: (name, title) => `Play ${title} with ${name}`,
    /** @param {string} side */
    playAs: (side) => `Play as ${side}`,
    eitherSide: "Who begins is drawn by lot.",
    waited: "Nobody has come yet. You can keep waiting and play the computer meanwhile.",
    /** @param {string} side */
    movesFirst: (side) => `${side}, moves first`,
    byId: "Go to a game",
    badRoom: "That is not the id of a room, nor a link to one.",
  },
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
