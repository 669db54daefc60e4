// Games in a file, as docs/records.md describes them: a header line for each, then its records. Pure.

/**
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Options} Options
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {{room: string, game: string, options: Options, seats: {first: Seat | null, second: Seat | null},
 *            moves: string[], notes: Map<number, string>, outcome: Outcome | null}} Recorded
 *
 * `notes` has what bots wrote about the move that led to a ply.
 */

/** The longest file that is read, in bytes: thousands of games. */
export const LONGEST = 20_000_000;

/**
 * The games in a file. One that is not complete, or not a game, is left out, as is whatever does not look like a record.
 * @param {string} text
 * @returns {Recorded[]}
 */
export function gamesIn(text) {
  /** @type {Recorded[]} */
  const games = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const header = parsed(lines[at]);
    if (header?.noughts !== "game" || header.format !== 1 || !Number.isInteger(header.events)) continue;
    const records = lines.slice(at + 1, at + 1 + header.events).map(parsed);
    const game = recorded(records);
    if (game !== null) games.push(game);
    at += header.events;
  }
  return games;
}

/** @param {any[]} records */
function recorded(records) {
  const opened = records[0];
  if (opened?.kind !== "opened" || typeof opened.game !== "string") return null;
  const clock = opened.options?.clock ?? null;
  /** @type {Recorded} */
  const game = {
    room: String(opened.room),
    game: opened.game,
    options: { private: opened.options?.private === true, rated: opened.options?.rated === true, clock: clockOf(clock) },
    seats: { first: seatOf(opened.first), second: seatOf(opened.second) },
    moves: [],
    notes: new Map(),
    outcome: null,
  };
  for (const record of records) {
    if (record?.kind === "joined" && record.side === "first") game.seats.first = seatOf(record.player);
    else if (record?.kind === "joined") game.seats.second = seatOf(record.player);
    else if (record?.kind === "played") {
      game.notes.delete(game.moves.push(String(record.move)));
      if (typeof record.note === "string") game.notes.set(game.moves.length, record.note);
    } else if (record?.kind === "taken_back") game.moves.length = Math.max(0, game.moves.length - Number(record.plies));
    game.outcome = outcomeOf(record?.outcome) ?? game.outcome;
  }
  return game;
}

/** @param {string} line */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** @param {any} clock in ms */
function clockOf(clock) {
  if (clock === null || typeof clock !== "object") return null;
  if (clock.per_move_ms !== undefined) return { per_move_s: Number(clock.per_move_ms) / 1000 };
  return { initial_s: Number(clock.initial_ms) / 1000, increment_s: Number(clock.increment_ms) / 1000 };
}

/** @param {any} player @returns {Seat | null} */
function seatOf(player) {
  if (typeof player?.name !== "string" || typeof player.id !== "string") return null;
  const { id, name, kind, rating, provisional } = player;
  return { id, name, kind, online: true, ...(Number.isFinite(rating) ? { rating, provisional: provisional === true } : {}) };
}

/** @param {any} outcome @returns {Outcome | null} */
function outcomeOf(outcome) {
  if (typeof outcome?.reason !== "string" || !["first", "second", null].includes(outcome.winner)) return null;
  return { winner: outcome.winner, reason: outcome.reason, cells: Array.isArray(outcome.cells) ? outcome.cells.map(String) : [] };
}
