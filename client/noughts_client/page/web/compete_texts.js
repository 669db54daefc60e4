// The texts of tournaments.

import { counted, isolated } from "./texts.js";

/** @type {Record<string, string>} */
export const FORMATS = { round_robin: "Round robin", arena: "Arena", swiss: "Swiss", gauntlet: "Gauntlet" };

export const competeText = {
  title: "Tournaments",
  groups: { open: "Open to enter", running: "Under way", finished: "Over" },
  none: "There is no tournament yet.",
  loading: "Loading …",
  /** @param {number} count */
  players: (count) => counted(count, "player"),
  /** @param {number} round @param {number | null} rounds */
  round: (round, rounds) => `round ${round}${rounds === null ? "" : ` of ${rounds}`}`,
  // the form
  open: "Open a tournament",
  openIt: "Open it",
  needsName: "Only players with a registered name can open a tournament.",
  register: "Register a name",
  name: "Name",
  format: "Format",
  /** @type {Record<string, string>} */
  help: {
    round_robin: "All play all, once or twice: at most 64 players.",
    arena: "For some minutes, whoever is free plays again at once.",
    swiss: "Those with as many points play each other, and nobody twice.",
    gauntlet: "Everybody plays each of the opponents whom you name.",
  },
  rounds: "Rounds",
  twice: "How often two meet",
  minutes: "Minutes",
  opponents: "Opponents: names or computer:hard, with commas",
  unlisted: "Not in the list: only for those with the link",
  // a tournament
  unknown: "There is no such tournament",
  unknownHelp: "The link may be incomplete. Ask whoever sent it for a new one.",
  all: "All tournaments",
  /** @param {string} format @param {number | null} rounds @param {number | undefined} minutes */
  meet: (format, rounds, minutes) =>
    minutes ? `${FORMATS[format]}, ${counted(minutes, "minute")}` : format === "swiss" && rounds ? `${FORMATS[format]}, ${counted(rounds, "round")}` : FORMATS[format] ?? format,
  rated: "rated",
  notRated: "not rated",
  /** @type {Record<string, string>} */
  kinds: { people: "people only", bots: "bots only" },
  registered: "registered names only",
  private: "not in the list",
  by: "Organiser:",
  /** @param {number} players @param {number} most */
  isOpen: (players, most) => `Open to enter. ${players ? `${counted(players, "player has", "players have")} entered` : "Nobody has entered yet"}, of at most ${most}.`,
  /** @param {string} at */
  starts: (at) => `It starts ${at}.`,
  /** @param {string} at */
  ends: (at) => `It ends at ${at}.`,
  arena: "Under way.",
  /** @param {number} round @param {number | null} rounds */
  running: (round, rounds) => (round ? `Round ${round}${rounds === null ? "" : ` of ${rounds}`}.` : "The first round is paired."),
  paused: "Paused: no games begin until the organiser goes on.",
  over: "Over.",
  /** @param {string[]} names */
  won: (names) => (names.length === 1 ? `${isolated(names[0])} has won.` : names.length < 4 ? `${names.map(isolated).join(" and ")} share the first place.` : ""),
  enter: "Enter",
  withdraw: "Withdraw",
  withdrawAsk: "Withdraw? The games that you have left are forfeited.",
  start: "Start",
  pause: "Pause",
  resume: "Go on",
  end: "End",
  endAsk: "End the tournament? Its standings are then final.",
  entered: "You have entered. Keep this page open: it says when you play.",
  /** @param {string} name */
  youPlay: (name) => `You play ${isolated(name)} now.`,
  toBoard: "To the board",
  standings: "Standings",
  entrants: "Entered so far",
  nobody: "Nobody has entered yet.",
  place: "Place",
  player: "Player",
  points: "Points",
  won3: "Won, drawn, lost",
  /** Tie-breaks, in the order in which they decide. @type {[string, string][]} */
  ties: [["buchholz", "Buchholz"], ["direct_encounter", "Direct encounter"], ["sonneborn_berger", "Sonneborn-Berger"], ["performance", "Performance"]],
  left: "has withdrawn",
  removed: "removed",
  more: "Show more",
  games: "Games",
  /** @param {number} round */
  gamesOf: (round) => `Games of round ${round}`,
  playing: "playing",
  cross: "Cross table",
  crossHelp: "Each result leads to its game; the small number is the opponent's.",
  number: "No.",
  /** @param {number} round */
  roundNo: (round) => `Round ${round}`,
  results: "Results",
  /** @param {string} name @param {string} points */
  against: (name, points) => `${points} against ${isolated(name)}`,
  going: "under way",
};
