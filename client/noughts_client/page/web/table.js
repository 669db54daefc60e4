// What the page knows of a room that it watches: its updates in order, and the position that is looked at. Pure.

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Options} Options
 * @typedef {{room: string, game: string, options: Options, version: number, state: State, spectators: number,
 *            previous: string | null, positions: State[], at: number | null, line?: Line | null}} Table
 * @typedef {{ply: number, rows: string[][], step: number}} Line
 *
 * `positions` holds the state after each ply, as far as known, at the index of that ply. `at` is the ply that is looked
 * at, null for the present. `line` is a line that was not played and is looked at: from the position at `ply` on, `rows`
 * after each move, of which `step` are played.
 */

/**
 * @param {any} message a `room`
 * @param {Table | null} before what was known of the same room
 * @returns {Table}
 */
export function fromRoom(message, before) {
  const same = before !== null && before.room === message.room;
  return withState(
    {
      room: message.room,
      game: message.game,
      options: message.options,
      version: message.version,
      state: message.state,
      spectators: message.presence.spectators,
      previous: message.previous,
      positions: same ? before.positions : [],
      at: same ? before.at : null,
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
  return withState({ ...table, version: update.version }, update.state);
}

/**
 * @param {Table} table
 * @param {State} state
 * @returns {Table}
 */
function withState(table, state) {
  const positions = table.positions.slice(0, state.ply + 1);
  positions[state.ply] = state;
  const at = table.at === null || table.at >= state.ply ? null : table.at;
  return { ...table, state, positions, at };
}

/**
 * An earlier state of the room, learned from updates that were asked for again.
 * @param {Table} table
 * @param {State} state
 * @returns {Table}
 */
export function withPast(table, state) {
  if (state.ply >= table.state.ply || !sameStart(state.moves, table.state.moves)) return table;
  const positions = [...table.positions];
  positions[state.ply] = state;
  return { ...table, positions };
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
  const within = Math.max(0, Math.min(ply, table.state.ply));
  return { ...table, line: null, at: within === table.state.ply || !table.positions[within] ? null : within };
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
 * The cells that changed with the last move, by comparing the boards before and after it.
 * @param {Table} table
 * @param {string[][]} names
 * @returns {string[]}
 */
export function lastCells(table, names) {
  const { ply, state } = seen(table);
  const { line } = table;
  const before = line ? (line.rows[line.step - 2] ?? table.positions[ply].rows) : table.positions[ply - 1]?.rows;
  if (!before) return [];
  /** @type {string[]} */
  const placed = [];
  state.rows.forEach((row, r) =>
    [...row].forEach((symbol, c) => {
      if (before[r][c] === "." && symbol !== ".") placed.push(names[r][c]);
    }),
  );
  return placed;
}
