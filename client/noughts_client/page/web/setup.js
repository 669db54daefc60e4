// How the game of a room is drawn that is set up otherwise than usual.

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {{layout: string[][], board?: GameInfo["board"]}} Drawn
 */

/**
 * What a room that is set up otherwise than usual says of its board.
 * @param {any} message a `room`
 * @returns {Drawn | undefined}
 */
export function drawnOf({ options, layout, board }) {
  return options.setup ? { layout, board } : undefined;
}

/** @type {WeakMap<object, GameInfo>} */
const setUp = new WeakMap();

/**
 * The game of a table, with the layout and the board of its room if that is set up otherwise than usual.
 * @param {{games: Map<string, GameInfo>}} app
 * @param {{game: string, drawn?: Drawn}} table
 */
export function gameOf({ games }, { game, drawn }) {
  const usual = games.get(game);
  if (!usual || !drawn) return usual;
  const known = setUp.get(drawn) ?? { ...usual, ...drawn };
  setUp.set(drawn, known);
  return known;
}
