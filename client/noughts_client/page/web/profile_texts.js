// The English texts of a player's profile.

import { ordinal } from "./ordinal.js";
import { counted, isolated } from "./texts.js";

export const profileText = {
  title: "Player",
  loading: "Looking up the player …",
  unknown: "There is no such player",
  unknownHelp: "The link may be incomplete, or the player has another name now.",
  kinds: /** @type {Record<string, string>} */ ({ human: "registered player", bot: "bot" }),
  guest: "guest",
  you: "this is you",
  mute: "Mute in chat",
  unmute: "Hear in chat again",
  muted: "You see nothing of what this player says in chat.",
  ratings: "Ratings",
  noRatings: "No rated game yet. Ratings and their course will be here.",
  toGames: "Choose a game",
  noRatingsMine: "You have played no rated game yet. They need a registered name and a clock.",
  provisional: "still uncertain",
  /** @param {number} deviation */
  within: (deviation) => `± ${deviation}`,
  /** @param {number} place @param {number} count */
  rank: (place, count) => `${ordinal(place)} of ${count}`,
  rankTitle: "Rank",
  rankHelp: "Among all rated players and the computer’s levels.",
  noRank: "No rank while the rating is uncertain.",
  belowRank: "Not among the best 100.",
  rating: "Rating",
  games: "Rated games",
  best: "Highest",
  /** @param {string} game @param {string} pool @param {number[]} points @param {string} from @param {string} to */
  graph: (game, pool, points, from, to) =>
    `Rating in ${game}, ${pool}, over the last ${counted(points.length, "rated game")}, ${from} to ${to}: from ${points[0]} to ${points[points.length - 1]}, ` +
    `lowest ${Math.min(...points)}, highest ${Math.max(...points)}`,
  oneGame: "The graph begins with the second rated game.",
  table: "As a table",
  date: "Date",
  record: "Results",
  game: "Game",
  won: "Won",
  drawn: "Drawn",
  lost: "Lost",
  /** @param {number} games @param {number} won @param {number} drawn @param {number} lost */
  totals: (games, won, drawn, lost) => `${counted(games, "public game")}: ${[won && `${won} won`, drawn && `${drawn} drawn`, lost && `${lost} lost`].filter(Boolean).join(", ")}`,
  noGames: "No public game has ended yet.",
  recent: "Last games",
  more: "Show all",
  against: "against",
  /** @param {string} name */
  of: (name) => `${isolated(name)} · Player`,
  rated: "rated",
};
