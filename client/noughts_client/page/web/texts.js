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

export const linkTexts = {
  loopback: "This link works on this machine only. For another device, open this page by the machine's address in your network first.",
  qr: "QR code",
  computing: "Computing …",
  /** @param {string} link */
  qrOf: (link) => `QR code of ${link}`,
};

export const deviceTexts = {
  title: "Your name and devices",
  close: "Close",
  lost: "The connection broke before the answer came. Try again.",
  yourName: "Your name",
  register: "Register this name",
  registeredAs: "Registered. Nobody else can use this name here.",
  registerHelp: "Your games are kept in this browser. Register a name to play rated games.",
  devices: "Your devices",
  thisDevice: "this device",
  unnamed: "Unnamed device",
  onlyDevice: "Only this browser knows you. If it forgets you, nobody can use your name any more: add a device, or make a recovery code.",
  /** @param {string | null} at */
  used: (at) => (at === null ? "" : `used ${ago(at)}`),
  /** @param {string | undefined} browser @param {string | undefined} system */
  label: (browser, system) => `${browser ?? "Browser"}${system ? ` on ${system}` : ""}`,
  signOut: "Sign out",
  signOutAsk: "Signing out",
  signOutOthers: "Sign out everywhere else",
  signOutAnyway: "Sign out and lose the name",
  askOne: "Sign out",
  askOthers: "Sign out on all devices but this one? If somebody else had access, make a new recovery code, too.",
  askThis: "Sign out on this device?",
  askGuest: "Sign out? You are a guest, so unless you are signed in elsewhere, you cannot come back to your games.",
  askLast: "This is your last device. Without a recovery code, nobody can ever use your name again.",
  cancel: "Cancel",
  add: "Add a device",
  addHelp: "Open this link on the other device, or point its camera at the code. It works once.",
  joined: "Another device has joined.",
  /** @param {number} seconds */
  valid: (seconds) => `Valid for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
  recovery: "Recovery code",
  recoveryHelp: "With a recovery code you can sign in when all your devices are lost.",
  /** @param {string} at */
  recoveryMade: (at) => `Made ${ago(at)}. It works until you make a new one.`,
  makeRecovery: "Make a recovery code",
  replaceRecovery: "Make a new one",
  writeDown: "Write this code down: it is not shown again. Whoever has it can play as you.",
  haveCode: "Sign in with a code",
  code: "Code from another device, or recovery code",
  useCode: "Continue",
  looking: "Looking up the code …",
  already: "You are already signed in on this device as",
  joinAs: "Join as",
  onThisDevice: "on this device?",
  join: "Join",
  leaving: "This signs you out here as",
  leavingHelp: "Make sure that you can sign in again, on another device or with a recovery code.",
};

const days = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** @param {string} at */
function ago(at) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  return days.format(Math.min(0, Math.floor((Date.parse(at) - midnight) / 86_400_000)), "day");
}

export const text = {
  name: "Noughts",
  account: "Your name and devices",
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
    waited: "Nobody has come yet. You can keep waiting and play the computer meanwhile.",
    /** @param {string} side */
    movesFirst: (side) => `${side}, moves first`,
    byId: "Go to a game",
    badRoom: "That is not the id of a room, nor a link to one.",
  },
  connecting: "Connecting …",
  lost: "The connection is lost. Connecting again …",
  reload: "Reload the page to try again.",
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

