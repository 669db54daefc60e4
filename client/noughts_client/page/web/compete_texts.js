// The texts of tournaments.

import { ordinal } from "./ordinal.js";
import { counted, isolated } from "./texts.js";

/** @type {Record<string, string>} */
export const FORMATS = { round_robin: "Round robin", arena: "Arena", swiss: "Swiss", gauntlet: "Gauntlet", ladder: "Ladder" };

export const competeText = {
  title: "Tournaments",
  groups: { open: "Open for entries", running: "Under way", finished: "Over" },
  none: "There is no tournament yet.",
  about: "People and bots can enter one, and anybody can watch: players are called to their boards, and the standings change as games end.",
  /** @type {[string, string][]} what is done with one, and how */
  steps: [
    ["Share its link", "People enter on the page, on a laptop or a phone; bots by one command that the tournament’s page shows."],
    ["Start it", "Each player is called to the board, with the next opponent and the time that is left until then."],
    ["Show it to everybody", "The projector’s view has the boards, the standings and who plays next, in letters for the last row."],
  ],
  loading: "Loading …",
  /** @param {number} count */
  players: (count) => counted(count, "player"),
  // the form
  open: "Open a tournament",
  openOne: "Your own tournament",
  openIt: "Open it",
  needsName: "Only players with a registered name can open a tournament.",
  register: "Register it",
  name: "Name",
  /** What a tournament is called if nobody says otherwise. @param {string} game */
  suggested: (game) => `${new Date().toLocaleDateString("en", { weekday: "long" })}, ${game}`.slice(0, 32),
  needed: "This must be filled in.",
  /** @param {number} most */
  numberTo: (most) => `A number from 1 to ${most}.`,
  format: "Format",
  /** @type {Record<string, string>} */
  help: {
    round_robin: "All play all: at most 64 players.",
    arena: "For some minutes, whoever is free plays again at once.",
    swiss: "Players with equal points meet, and no two meet twice.",
    gauntlet: "Everybody plays each of the opponents whom you name.",
    ladder: "Registered bots play on without end, for a rating.",
  },
  rounds: "Rounds",
  twice: "How often two meet",
  minutes: "Minutes",
  budget: "Games a day for each bot and each address",
  opponents: "Opponents: names or computer:hard, with commas",
  unlisted: "Not in the list",
  // a tournament
  unknown: "There is no such tournament",
  unknownHelp: "The link may be incomplete. Ask whoever sent it for a new one.",
  all: "All tournaments",
  /** @param {string} format @param {number | null} rounds @param {number | undefined} minutes */
  meet: (format, rounds, minutes) =>
    minutes ? `${FORMATS[format]}, ${counted(minutes, "minute")}` : format === "swiss" && rounds ? `${FORMATS[format]}, ${counted(rounds, "round")}` : FORMATS[format] ?? format,
  rated: "rated",
  /** @type {Record<string, string>} */
  kinds: { people: "people only", bots: "bots only" },
  registered: "registered names only",
  private: "not in the list",
  by: "organiser",
  /** @param {number} bots @param {number} people */
  botsAndPeople: (bots, people) => [counted(bots, "bot"), people ? counted(people, "person", "people") : ""].filter(Boolean).join(", "),
  /** @type {Record<string, string>} */
  kindNames: { human: "person", bot: "bot", computer: "computer" },
  // how far it has come
  /** @param {number} players @param {number} most */
  isOpen: (players, most) => (players ? `${players} of ${most} places taken` : `For up to ${most} players`),
  waits: "Open for entries",
  ladder: "It goes on without end.",
  botEnters: "Enter a bot",
  /** @param {string} at */
  at: (at) => new Date(at).toLocaleString("en", { weekday: "short", hour: "2-digit", minute: "2-digit", hour12: false }),
  /** @param {string} [at] */
  starts: (at) => (at ? `Starts ${competeText.at(at)}` : "Open until the organiser starts it"),
  beFirst: "Be the first to enter",
  toIt: "Go to the tournament",
  /** @param {number} count */
  andMore: (count) => `and ${count} more`,
  startsIn: "Starts in",
  endsIn: "Ends in",
  /** @param {number} count */
  underWay: (count) => (count ? `${counted(count, "game")} under way` : "No game under way"),
  underWayNow: "Games under way",
  /** @param {number} over @param {number} all */
  gamesOver: (over, all) => (!all ? "" : over < all ? competeText.counts(all - over, over) : "All games are over"),
  pairsFirst: "The first round is paired",
  /** @param {number} round @param {number | null} rounds */
  running: (round, rounds) => `Round ${round}${rounds === null ? "" : ` of ${rounds}`}`,
  /** @param {number} round */
  next: (round) => `Round ${round} in`,
  /** @param {number} round @param {number} rounds */
  ringed: (round, rounds) => `Round ${round} of ${rounds}`,
  paused: "Paused by the organiser",
  over: "Over",
  /** @param {string[]} names */
  won: (names) => (names.length === 1 ? `${isolated(names[0])} has won` : names.length < 4 ? `${names.map(isolated).join(" and ")} share first place` : ""),
  // what one can do
  enter: "Enter",
  yourName: "Your name",
  presence: { plays: "plays", here: "is here", away: "is away" },
  withdraw: "Withdraw",
  withdrawAsk: "Withdraw? A game under way goes on until its end. Those that you have left are forfeited.",
  entered: "You have entered. Your board opens by itself when you play, wherever you are on this page.",
  /** @param {number} round */
  sitsOut: (round) => `You sit out round ${round}. Your board opens by itself when you play again.`,
  link: "The link to this tournament",
  qr: "QR code",
  justLink: "Link",
  wall: "All boards",
  projectorValues: "Projector view with values",
  wallValues: "All boards with values",
  howItGoes: "How it goes",
  /** @param {number} initial @param {number} increment */
  clockIs: (initial, increment) => `Each player has ${initial % 60 ? counted(initial, "second") : counted(initial / 60, "minute")} for the game${increment ? `, and ${counted(increment, "second")} more with each move` : ""}.`,
  youStart: "Everybody with the link can enter. You start it when all are there.",
  keepOpen: "Keep this page open after you have entered: your board opens by itself.",
  // what the organiser can do
  start: "Start",
  /** @param {number} away */
  startAsk: (away) => `${counted(away, "player is", "players are")} away. Start?`,
  pause: "Pause",
  pauseAfter: "Pause after this round",
  resume: "Go on",
  pairNext: "Pair the next round",
  manage: "Results and players",
  manageOpen: "Remove players",
  end: "End the tournament",
  endAsk: "End the tournament? Its standings are then final.",
  endYes: "End it",
  remove: "Remove",
  /** @param {string} name */
  removeOf: (name) => `Remove ${isolated(name)}`,
  /** @param {string} name */
  removeAsk: (name) => `Remove ${isolated(name)}? This player loses a game under way, forfeits those that are left, and cannot come back.`,
  /** @param {string} name */
  removeOpenAsk: (name) => `Remove ${isolated(name)}? This player cannot enter again.`,
  decide: "Decide",
  /** @param {string} one @param {string} other */
  decideOf: (one, other) => `Decide ${isolated(one)} against ${isolated(other)}`,
  /** A result, how it is written, and how it is spoken. @type {[string, string, string][]} */
  decisions: [["first", "1–0", "The first has won"], ["draw", "½–½", "A draw"], ["second", "0–1", "The second has won"], ["none", "0–0", "Nobody has won"]],
  /** @param {string} name */
  actsOf: (name) => `What ${isolated(name)} has decided`,
  acts: {
    paused: "paused the tournament",
    resumed: "went on",
    ended: "ended the tournament",
    /** @param {string} name */
    removed: (name) => `removed ${isolated(name)}`,
    /** @param {string} one @param {string} other @param {string} score */
    adjudicated: (one, other, score) => `decided ${isolated(one)} – ${isolated(other)}: ${score}`,
  },
  // the call to a game
  yourGame: "Your game",
  /** @param {string} name */
  youPlay: (name) => `You play ${isolated(name)} now`,
  /** @param {number} round @param {number} [board] */
  where: (round, board) => (board === undefined ? "" : `Round ${round}, board ${board}.`),
  youAre: "You are",
  /** @param {string} side @param {string} seat */
  andMove: (side, seat) => `${side} and move ${seat}.`,
  opensItself: "The board opens by itself in a moment.",
  /** What stands before and after the seconds that are left. @type {[string, string]} */
  opensIn: ["The board opens by itself in", "s."],
  /** @param {string} side @param {string} seat @param {string} name */
  called: (side, seat, name) => `You play ${side} against ${isolated(name)} and move ${seat}.`,
  lastGame: "You have withdrawn, and this is your last game.",
  toBoard: "Go to my board",
  stay: "Stay here",
  /** @type {[string, string]} */
  returns: ["The tournament opens again by itself in", "s, unless you do something here."],
  /** @param {string | null} who null for the user @param {string | null} winner */
  forfeited: (who, winner) => `${who === null ? "You" : isolated(who)} forfeited the game: the point goes to ${winner === null ? "you" : isolated(winner)}.`,
  nobodyBegan: "The game did not begin: nobody gets a point.",
  // the tables
  tables: "Tables",
  standings: "Standings",
  entrants: "Entered so far",
  nobody: "Nobody has entered yet. Be the first, or pass the link on.",
  change: "Change",
  /** @param {number} round */
  since: (round) => `▲▼ since round ${round}`,
  same: "the same place",
  /** @param {number} by */
  moved: (by) => (by > 0 ? `up ${by}` : `down ${-by}`),
  player: "Player",
  /** Two players whose names look alike. @param {string} name @param {number} number */
  alike: (name, number) => `${name} (no. ${number})`,
  form: "Form",
  formIs: "The last results: won above the line, drawn on it, lost below",
  noForm: "no game yet",
  /** @type {Record<string, string>} */
  signs: { 1: "won", "=": "drew", 0: "lost", "+": "a point without a game", h: "half a point without a game", "-": "no point, without a game", ".": "plays" },
  points: "Points",
  /** Tie-breaks, in the order in which they decide. @type {[string, string, string][]} */
  ties: [
    ["buchholz", "Buchholz: the points of all opponents", "Buchholz"],
    ["direct_encounter", "Direct encounter: the points against those who have as many", "Direct"],
    ["sonneborn_berger", "Sonneborn-Berger: the points of those beaten, half of those drawn with", "S-B"],
    ["performance", "Performance: the rating that such results would show", "Perf."],
    ["rating", "Rating", "Rating"],
    ["deviation", "Deviation: how far the rating may be off", "Dev."],
  ],
  left: "has withdrawn",
  removed: "removed",
  more: "Show more",
  cross: "Cross table",
  /** What its signs mean. @param {boolean} square whether it has a column for each player */
  crossLegend: (square) => `1 won · ½ drawn · 0 lost · + without a game · ○ under way. ${square ? "A column’s number is the opponent’s row." : "A column is a round, the small number the opponent’s row."}`,
  /** @param {string} name @param {string} points */
  against: (name, points) => `${points} against ${isolated(name)}`,
  going: "under way",
  // the games
  games: "Games",
  /** @param {number} round */
  roundNo: (round) => `Round ${round}`,
  earlierRounds: "All rounds",
  /** @type {Record<string, string>} */
  paired: { swiss: "paired by points, nobody twice", gauntlet: "all play the chosen" },
  playing: "playing",
  /** @param {number} ply */
  move: (ply) => `move ${ply}`,
  noGame: "without a game",
  notCounted: "does not count",
  /** @param {number} count */
  firstPlaces: (count) => (count === 1 ? "The winner" : count === 3 ? "The first three" : "The first places"),
  shareResult: "Share the result",
  /** @param {number} place @param {number} players */
  youCame: (place, players) => `You came ${ordinal(place)} of ${players}.`,
  bye: "bye",
  /** The suffixes of files, and what they have. @param {string} format @returns {[string, string][]} */
  files: (format) => [
    ["csv", "Standings (CSV)"], ["games.csv", "Games (CSV)"], ["json", "Everything (JSON)"],
    ...(format === "swiss" || format === "round_robin" ? /** @type {[string, string][]} */ ([["trf", "FIDE’s report (TRF)"]]) : []),
  ],
  /** @param {string} points */
  pointsOf: (points) => (points === "1" || points === "½" ? `${points} point` : `${points} points`),
  decided: "decided",
  /** @param {string} one @param {string} other */
  boardOf: (one, other) => `${isolated(one)} against ${isolated(other)}, the board`,
  // the projector and the wall
  /** @param {number} from @param {number} to @param {number} all */
  ranks: (from, to, all) => `Ranks ${from} to ${to} of ${all}`,
  /** @param {number} from @param {number} to */
  nextRanks: (from, to) => `${from} to ${to} in`,
  lastResults: "Last results",
  /** @param {number} round */
  resultsOf: (round) => `Results of round ${round}`,
  /** @param {number} round */
  gamesOf: (round) => `Round ${round}`,
  join: "Join here",
  toMove: "to move",
  /** @param {number} count @param {number} over */
  counts: (count, over) => `${counted(count, "game")} under way${over ? `, ${over} over` : ""}`,
  noBoards: "No game is under way.",
  /** @param {number} ply @param {number} watchers */
  busy: (ply, watchers) => [ply ? `move ${ply}` : "", watchers ? `${watchers} watch` : ""].filter(Boolean).join(", "),
  /** @param {number} board */
  board: (board) => `Board ${board}`,
  leaveScreen: "Leave this view",
  /** @param {string} name */
  wins: (name) => `${isolated(name)} has won`,
  drew: "A draw",
};
