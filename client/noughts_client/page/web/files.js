// Games in files, as docs/records.md describes them: for each game a header line, then its records.

import { studyText as text } from "./study_texts.js";
import { withHistory, withState } from "./table.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Place} Place
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {import("./table.js").Recorded} Recorded
 * @typedef {import("./table.js").Table} Table
 */

/** The longest file that is read, in bytes: thousands of games. */
const LONGEST = 20_000_000;

/** The longest file of another program, in bytes, as the server reads it from one message. */
const LONGEST_READ = 12_000;

/**
 * The games in a file that somebody chose; another program's is read by the server. Null if that is refused.
 * @param {File} file
 * @param {{games: Map<string, GameInfo>}} app
 * @param {(type: string, fields: Record<string, unknown>) => Promise<any>} ask
 * @returns {Promise<{records?: Recorded[], error?: string} | null>}
 */
export async function read(file, { games: known }, ask) {
  let content = file.size > LONGEST ? "" : await file.text();
  const suffix = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  if ([...known.values()].some(({ record }) => record === suffix)) {
    if (file.size > LONGEST_READ) return { error: text.tooLong(LONGEST_READ) };
    const answer = await ask("read", { suffix, text: content });
    if (answer === null) return null;
    content = answer.lines.join("\n");
  }
  const records = gamesIn(content);
  return records.length ? { records } : { error: text.noRecord(file.name) };
}

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

/**
 * A game in a file.
 * @param {Recorded} record
 * @param {{positions: Place[], layout?: string[][], board?: GameInfo["board"]}} replay
 * @returns {Table}
 */
export function fromRecord(record, { positions: places, layout, board }) {
  const { seats, outcome, moves } = record;
  const last = places[places.length - 1];
  /** @type {State} */
  const state = {
    status: "over", turn: moves.length, ply: moves.length, to_move: null, rows: last.rows, legal_moves: [], moves, seats,
    clock: null, offers: [], outcome, next: null, score: last.score, counts: last.counts, held: last.held, lead: last.lead,
    names: moves.map((move, index) => places[index + 1].name ?? move),
  };
  /** @type {Table} */
  const table = {
    room: record.room, game: record.game, options: record.options, version: 0, state, spectators: 0, previous: null,
    positions: [], analyses: [], at: 0, forward: false, notes: record.notes, drawn: layout && { layout, board },
  };
  return withHistory(withState(table, state), moves, places);
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
    options: { private: opened.options?.private === true, rated: ratedIn(records), clock: clockOf(clock), setup: opened.setup },
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

/** @param {any[]} records */
function ratedIn(records) {
  return records[0].options?.rated === true && !records.some((record) => record?.unrated_because);
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
