// What the page knows of a room that it watches, or of a game in a file: its positions, and which is looked at. Pure.

import { parts, partNames } from "./moves.js";
import { drawnOf } from "./looks.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Options} Options
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Place} Place
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {import("./types.js").Side} Side
 * @typedef {{room: string, game: string, options: Options, seats: {first: Seat | null, second: Seat | null},
 *            moves: string[], notes: Map<number, string>, outcome: Outcome | null}} Recorded
 * @typedef {{room: string, game: string, options: Options, version: number, state: State, spectators: number,
 *            previous: string | null, positions: State[], analyses: Analysis[], at: number | null, forward: boolean,
 *            notes: Map<number, string> | null, line?: Line | null, premove?: string[],
 *            drawn?: {layout: string[][], board?: GameInfo["board"]}, plays?: Side, ends?: boolean}} Table
 * @typedef {{ply: number, rows: string[][], step: number}} Line
 *
 * `positions` and `analyses` hold the state and the analysis after each ply, as far as known, at the index of that ply.
 * `at` is the ply that is looked at, null for the present, and `forward` tells whether it was reached by going forward.
 * `notes`, of a game in a file, are what bots wrote about the move that led to a ply; null for a room. `line` is a line
 * that was not played and is looked at: from the position at `ply` on, `rows` after each move, of which `step` are played.
 * `plays` is the side for which moves are tried, whoever played it. `ends`: the game ended before one's eyes, and no other
 * position has been looked at since.
 */

/**
 * @param {any} message a `room`
 * @param {Table | null} before what was known of the same room
 * @returns {Table}
 */
export function fromRoom(message, before) {
  const known = before !== null && before.room === message.room && before.notes === null ? before : null;
  return withState(
    {
      room: message.room,
      game: message.game,
      options: message.options,
      drawn: drawnOf(message),
      version: message.version,
      state: known?.state ?? message.state,
      spectators: message.presence.spectators,
      previous: message.previous,
      positions: known?.positions ?? [],
      analyses: known?.analyses ?? [],
      at: known?.at ?? null,
      forward: false,
      notes: null,
    },
    message.state,
  );
}

/**
 * The table after an update. One that is known already changes nothing; null means that one is missing.
 * @param {Table} table
 * @param {any} update
 * @returns {Table | null}
 */
export function fromUpdate(table, update) {
  if (update.version <= table.version) return table;
  if (update.version > table.version + 1) return null;
  const forward = update.event.kind === "played" && table.at === null;
  const why = update.event.unrated_because;
  const options = why === undefined ? table.options : { ...table.options, rated: false, unrated_because: why };
  const ends = update.state.outcome !== null && (table.ends || table.state.outcome === null);
  return withState({ ...table, options, version: update.version, forward, ends }, update.state);
}

/**
 * @param {Table} table
 * @param {State} state
 * @returns {Table}
 */
export function withState(table, state) {
  let same = 0; // moves may have been taken back
  while (same < state.ply && table.state.moves[same] === state.moves[same]) same++;
  const positions = table.positions.slice(0, same + 1);
  positions[state.ply] = state;
  const at = table.at === null || table.at > same || table.at >= state.ply ? null : table.at;
  return { ...table, state, positions, analyses: table.analyses.slice(0, same + 1), at };
}

/**
 * The table with the positions that it lacks.
 * @param {Table} table
 * @param {string[]} moves the moves from the start to the last of `places`
 * @param {Place[]} places
 * @returns {Table}
 */
export function withHistory(table, moves, places) {
  if (!sameStart(moves, table.state.moves)) return table;
  const positions = [...table.positions];
  places.forEach(({ rows, to_move, score, counts, held }, ply) => {
    positions[ply] ??= {
      ...table.state, status: "playing", turn: ply, ply, to_move, rows, score, counts, held, legal_moves: [],
      moves: moves.slice(0, ply), clock: null, offers: [], outcome: null, claim_draw: undefined,
    };
  });
  return { ...table, positions };
}

/**
 * Whether a position before the present is not known.
 * @param {Table} table
 */
export function lacksHistory({ state, positions }) {
  for (let ply = 0; ply < state.ply; ply++) if (!positions[ply]) return true;
  return false;
}

/**
 * The table with an analysis of the position after `moves`, if that is still one of the game's.
 * @param {Table} table
 * @param {string[]} moves
 * @param {Analysis} analysis
 * @returns {Table}
 */
export function withAnalysis(table, moves, analysis) {
  if (!sameStart(moves, table.state.moves)) return table;
  const analyses = [...table.analyses];
  analyses[moves.length] = analysis;
  return { ...table, analyses };
}

/**
 * @param {string[]} moves
 * @param {string[]} all
 */
function sameStart(moves, all) {
  return moves.every((move, index) => all[index] === move);
}

/**
 * Look at the position after `ply` moves.
 * @param {Table} table
 * @param {number} ply
 * @returns {Table}
 */
export function lookAt(table, ply) {
  const to = Math.max(0, Math.min(ply, table.state.ply));
  if (!table.positions[to]) return table;
  return { ...table, line: null, at: to === table.state.ply ? null : to, forward: to > seen(table).ply, ends: false };
}

/**
 * Look at a line that was not played, after `step` of its moves from the position at `ply` on.
 * @param {Table} table
 * @param {Line} line
 * @returns {Table}
 */
export function lookAlong(table, line) {
  const step = Math.max(0, Math.min(line.step, line.rows.length));
  return { ...lookAt(table, line.ply), line: step === 0 || !table.positions[line.ply] ? null : { ...line, step } };
}

/**
 * The ply and the state that are looked at.
 * @param {Table} table
 * @returns {{ply: number, state: State, past: boolean}}
 */
export function seen(table) {
  const { at } = table;
  const past = at !== null ? table.positions[at] : undefined;
  if (past !== undefined && at !== null && table.line) {
    const rows = table.line.rows[table.line.step - 1];
    return { ply: at, state: { ...past, rows, to_move: null, legal_moves: [] }, past: true };
  }
  return past === undefined || at === null
    ? { ply: table.state.ply, state: table.state, past: false }
    : { ply: at, state: past, past: true };
}

/**
 * The cells of the last move that is seen.
 * @param {Table} table
 * @param {GameInfo} game
 * @returns {string[]}
 */
export function lastCells(table, game) {
  const { ply, state } = seen(table);
  const { line } = table;
  if (line) return cellsOf(game, undefined, line.rows[line.step - 2] ?? table.positions[ply].rows, state.rows);
  const move = table.state.moves[ply - 1];
  return move === undefined ? [] : cellsOf(game, move, table.positions[ply - 1]?.rows, state.rows);
}

/**
 * The cells of a move: those in its name or, if there are none, those where something was placed or replaced.
 * @param {GameInfo} game
 * @param {string | undefined} move
 * @param {string[] | undefined} before
 * @param {string[]} now
 * @returns {string[]}
 */
export function cellsOf(game, move, before, now) {
  const names = game.cells ?? game.layout;
  const all = new Set(names.flat());
  const named = parts(move ?? "", partNames(game)).filter((part) => all.has(part));
  if (named.length || !before) return named;
  const found = (/** @type {boolean} */ replaced) =>
    names.flatMap((row, r) => row.filter((_, c) => now[r][c] !== "." && (replaced ? before[r][c] !== now[r][c] : before[r][c] === ".")));
  const placed = found(false);
  return placed.length ? placed : found(true);
}

/**
 * The king of the side that is to move, if the name of the last move says that it is in check; null otherwise.
 * @param {Table} table
 * @param {GameInfo} game
 * @returns {string | null}
 */
export function threatenedKing(table, game) {
  const { ply, state } = seen(table);
  const side = table.positions[ply - 1]?.to_move === "first" ? "second" : "first";
  if (table.line || !/[+#]$/.test(table.state.names?.[ply - 1] ?? "")) return null;
  const king = Object.entries(game.pieces ?? {}).find(([, piece]) => piece.side === side && piece.name.endsWith(" king"))?.[0];
  const row = state.rows.findIndex((one) => king !== undefined && one.includes(king));
  return row < 0 ? null : (game.cells ?? game.layout)[row][state.rows[row].indexOf(/** @type {string} */ (king))];
}

/**
 * What a side has taken from the other since the start: the number of each piece, by its symbol. One that was promoted
 * is not counted as taken. Empty in a game without pieces, and while the start is not known.
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Side} side
 * @returns {[string, number][]}
 */
export function taken(table, game, side) {
  const start = table.positions[0]?.rows;
  const { rows, held } = seen(table).state;
  if (!game.pieces || !start || held || (game.board?.shape ?? "squares") !== "squares") return [];
  const count = (/** @type {string[]} */ all, /** @type {string} */ symbol) => all.join("").split(symbol).length - 1;
  const others = Object.entries(game.pieces).filter(([, piece]) => piece.side !== null && piece.side !== side).map(([symbol]) => symbol);
  const lost = others.map((symbol) => /** @type {[string, number]} */ ([symbol, count(start, symbol) - count(rows, symbol)]));
  const promoted = lost.reduce((sum, [, number]) => sum - Math.min(0, number), 0);
  const most = others.reduce((one, other) => (count(start, other) > count(start, one) ? other : one), others[0]);
  return lost.map(([symbol, number]) => /** @type {[string, number]} */ ([symbol, symbol === most ? number - promoted : number])).filter(([, number]) => number > 0);
}
