// The English texts of a player's profile.

import { ordinal } from "./ordinal.js";
import { counted, isolated } from "./texts.js";

export const profileText = {
  title: "Player",
  loading: "Looking up the player …",
  unknown: "There is no such player",
  unknownHelp: "The link may be incomplete, or the player has another name now.",
  kinds: /** @type {Record<string, string>} */ ({ human: "Registered player", bot: "Bot" }),
  guest: "Guest",
  you: "This is you",
  mute: "Mute in chat",
  unmute: "Hear in chat again",
  muted: "You see nothing of what this player says in chat.",
  ratings: "Ratings",
  noRatingsMine: "Games with a clock between registered players can be rated; the ratings and their course will then be here.",
  begin: "Your first game",
  beginHelp: "Choose a board to play the computer. Your games, results and ratings will be here for all to see.",
  settings: "Settings",
  invite: "Invite to play",
  inviteHelp: "Opens a game. The player is told of it, and you can send its link.",
  /** @param {string} month */
  since: (month) => `plays here since ${month}`,
  /** @param {number} count */
  tried: (count) => `${counted(count, "puzzle")} · only you see this`,
  provisional: "still uncertain",
  provisionalHelp: "After few games a rating is still uncertain.",
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
  oneGame: "Play one more rated game to begin the graph of your rating.",
  oneGameOther: "The graph begins with the second rated game.",
  another: "Play a rated game",
  table: "As a table",
  date: "Date",
  record: "Results",
  game: "Game",
  won: "Won",
  drawn: "Drawn",
  lost: "Lost",
  /** @param {number} games @param {number} won @param {number} drawn @param {number} lost */
  totals: (games, won, drawn, lost) => `${counted(games, "public game")}: ${[won && `${won} won`, drawn && `${drawn} drawn`, lost && `${lost} lost`].filter(Boolean).join(", ")}`,
  noGames: "No public game of this player has ended yet.",
  noGamesHelp: "Choose a board to invite them: yours can be the first.",
  /** @param {string} game */
  inviteTo: (game) => `Invite to ${game}`,
  inviteShort: "Invite",
  organises: "Organises the tournament",
  review: "Review",
  /** @param {string} name */
  reviewOf: (name) => `Review of the game against ${name}`,
  recent: "Last games",
  bestWins: "Best wins",
  more: "Show all",
  results: { won: "Won against", lost: "Lost to", drawn: "Drew with" },
  /** @param {string} name */
  of: (name) => `${isolated(name)} · Player`,
  /** @param {number} count */
  rated: (count) => counted(count, "game"),
};
