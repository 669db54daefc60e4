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
  atPast: (ply, all) => `An earlier position: move ${ply} of ${all}.`,
  /** @param {number} ply @param {number} all */
  atMove: (ply, all) => `Move ${ply} of ${all}.`,
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
