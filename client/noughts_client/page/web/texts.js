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

/** The lecture's texts. */
export const lecture = {
  title: "Lecture",
  link: "A link to this lecture",
  about: "Minimax and alpha-beta, step by step",
  steps: "Steps",
  step: "Step",
  first: "First step",
  back: "Step back",
  forward: "Step forward",
  last: "Last step",
  play: "Play",
  pause: "Pause",
  speed: "Speed",
  present: "Projector",
  subject: "What is searched, and how",
  of: "Show",
  tree: "A tree of leaves",
  leavesOf: "Leaves",
  moves: "Moves from the start",
  depth: "Depth",
  toTheEnd: "all",
  position: "The position where the search is",
  cutRule: "Cut where",
  show: "Show",
  compare: "Searches",
  examples: "Examples:",
  computing: "Searching …",
  treeLabel: "The tree of the search",
  begin: "Nothing is searched yet. All values are for MAX.",
  /** @param {string} search */
  treeOf: (search) => `Tree, ${search}`,
  searches: { minimax: "Minimax", alphabeta: "Alpha-beta", ordered: "Alpha-beta, ordered", table: "Alpha-beta, table" },
  /** @param {number} step @param {number} last */
  stepOf: (step, last) => `${step} of ${last}`,
  /** @param {number} speed */
  perSecond: (speed) => `${speed}/s`,
  /** @param {number} seen @param {number} all */
  visited: (seen, all) => `${seen.toLocaleString("en")} of ${counted(all, "node").replace(/\d+/, (digits) => Number(digits).toLocaleString("en"))}`,
  /** @param {number} ends */
  leaves: (ends) => `${ends.toLocaleString("en")} ${plurals.select(ends) === "one" ? "leaf" : "leaves"}`,
  /** @param {number} value */
  value: (value) => `value ${String(value).replace("-", "−")}`,
  /** @param {"max" | "min" | undefined} player @param {string | undefined} name @param {string | undefined} move */
  who: (player, name, move) =>
    [player === undefined ? "Leaf" : player.toUpperCase(), name, move && `after ${move}`].filter(Boolean).join(" "),
  /** @param {string} alpha @param {string} beta */
  window: (alpha, beta) => `alpha ${alpha}, beta ${beta}`,
  /** @param {string} who @param {string} why @param {string} rest */
  cut: (who, why, rest) => `${who}: ${why}: the rest (${rest}) cannot change the result`,
  /** @param {string} moves */
  cutMoves: (moves) => `cut: ${moves}`,
  ends: { leaf: "", end: "the game is over, ", estimate: "estimated ", table: "from the table, " },
  figures: [
    { name: "The usual figure", tree: "3,12,8/2,4,6/14,5,2" },
    { name: "Eight leaves", tree: "3,5/6,9//1,2/0,-1" },
    { name: "Named nodes", tree: "A(B(3,12,8),C(2,4,6),D(14,5,2))" },
    { name: "The same node twice", tree: "L(a(4,6/7,9),b(3,5)),R(c(1,2/8,9),a)" },
  ],
  notation: "How to write a tree",
  help: [
    "3,12,8/2,4,6/14,5,2 is a root with three children of three leaves each. A comma separates neighbours, a slash groups of them, two slashes groups of such groups: 3,5/6,9//1,2/0,-1 has eight leaves, three plies deep.",
    "Parentheses make any shape: (3,(5,6)),2. Nodes and leaves may have names: A(B(3,12),C(b=5,2)). A name alone is the node of that name once more, which a table knows when the search comes to it again at the same depth.",
    "B=4(3,12) gives a node the estimate 4. It counts where the search ends at a depth, and for the order of moves, in which nodes without an estimate count as 0.",
    "In the picture MAX points up and MIN points down. Dashed nodes have not been visited, faded ones were cut. Alpha and beta are beside each node; at a cut, the condition is below it. At the end the best line is thick.",
    "Keys: left and right step, space plays and pauses, Home and End go to the first and the last step.",
  ],
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
