// Moves as paths of cells. Pure. A move's name is read as names of cells, and the rest is a choice: `e7e8q` is the path
// e7, e8 with the choice q. A cell may also stand for a whole move, as Connect Four's cells do for their columns.

/**
 * The parts of `move`: names of cells, the longest first, and at the end what is no cell.
 * @param {string} move
 * @param {Set<string>} cells
 * @returns {string[]}
 */
export function parts(move, cells) {
  /** @type {string[]} */
  const found = [];
  let rest = move;
  while (rest !== "") {
    let length = rest.length;
    while (length > 0 && !cells.has(rest.slice(0, length))) length--;
    if (length === 0) return [...found, rest];
    found.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return found;
}

/**
 * What can be picked after `path`, by name of a cell or choice: the move that it completes, or null if more follows.
 * @param {string[]} legal
 * @param {Set<string>} cells
 * @param {string[]} path
 * @returns {Map<string, string | null>}
 */
export function next(legal, cells, path) {
  /** @type {Map<string, string | null>} */
  const options = new Map();
  for (const move of legal) {
    const way = cells.has(move) ? [move] : parts(move, cells); // a whole move before the cells in its name
    if (way.length <= path.length || path.some((part, index) => way[index] !== part)) continue;
    const option = way[path.length];
    if (way.length === path.length + 1) options.set(option, move);
    else if (!options.has(option)) options.set(option, null);
  }
  return options;
}

/**
 * The names of all cells.
 * @param {string[][]} layout
 * @returns {Set<string>}
 */
export function cellNames(layout) {
  return new Set(layout.flat());
}
