// Moves as paths of cells. Pure. A move's name is read as names of cells, perhaps with `-` or `x` between, and the rest
// is a choice: `e7e8q` is the path e7, e8 with the choice q, and `22x15x8` the path 22, 15, 8. A cell may also stand for
// a whole move, as Connect Four's cells do for their columns.

/**
 * What picking a part leads to: the move that it completes, or null, and whether longer moves go on from it.
 * @typedef {{move: string | null, more: boolean}} Option
 */

/**
 * The parts of `move`: names of cells, as long as they may be, and at the end what is no cell, as the server reads it.
 * @param {string} move
 * @param {Set<string>} cells
 * @returns {string[]}
 */
export function parts(move, cells) {
  /** @type {string[]} */
  const found = [];
  let rest = move;
  while (rest !== "") {
    const here = found.length && /^[-x]/.test(rest) ? rest.slice(1) : rest;
    let length = here.length;
    while (length > 0 && !cells.has(here.slice(0, length))) length--;
    if (length === 0) return [...found, rest];
    found.push(here.slice(0, length));
    rest = here.slice(length);
  }
  return found;
}

/**
 * What can be picked after `path`, by the name of a cell or choice. Every option leads to a legal move.
 * @param {string[]} legal
 * @param {Set<string>} cells
 * @param {string[]} path
 * @returns {Map<string, Option>}
 */
export function next(legal, cells, path) {
  /** @type {Map<string, Option>} */
  const options = new Map();
  for (const move of legal) {
    const way = parts(move, cells);
    if (way.length <= path.length || path.some((part, index) => way[index] !== part)) continue;
    const part = way[path.length];
    const option = options.get(part) ?? { move: null, more: false };
    options.set(part, way.length === path.length + 1 ? { ...option, move } : { ...option, more: true });
  }
  return options;
}

/**
 * What picking `part` after `path` does: it makes a move, the whole path being one (`ends` if the path was one before),
 * or only a path, which is empty if the part leads nowhere.
 * @param {string[]} legal
 * @param {Set<string>} cells
 * @param {string[]} path
 * @param {string} part
 * @returns {{move: string, ends: boolean} | {path: string[]}}
 */
export function step(legal, cells, path, part) {
  const option = next(legal, cells, path).get(part);
  if (option) return option.more || option.move === null ? { path: [...path, part] } : { move: option.move, ends: false };
  if (part === path.at(-1)) {
    const move = complete(legal, cells, path);
    return move === null ? { path: [] } : { move, ends: true };
  }
  return path.length && path[0] !== part ? step(legal, cells, [], part) : { path: [] };
}

/**
 * The legal move that `path` is already, or null.
 * @param {string[]} legal
 * @param {Set<string>} cells
 * @param {string[]} path
 */
export function complete(legal, cells, path) {
  const way = (/** @type {string} */ move) => parts(move, cells).join(" ");
  return (path.length > 0 && legal.find((move) => way(move) === path.join(" "))) || null;
}

/**
 * The legal move that somebody means who types `typed`; what was typed if there is none, so that it can be refused.
 * @param {string[]} legal
 * @param {string} typed
 */
export function meant(legal, typed) {
  const move = typed.trim();
  if (legal.includes(move)) return move;
  const alike = legal.filter((name) => name.toLowerCase() === move.toLowerCase());
  return alike.length === 1 ? alike[0] : move;
}

/**
 * All names that a part of a move can have: those that the layout gives to moves, and those of the cells.
 * @param {{layout: string[][], cells?: string[][]}} game
 * @returns {Set<string>}
 */
export function partNames({ layout, cells }) {
  const names = new Set([...layout.flat(), ...(cells ?? []).flat()]);
  names.delete("");
  return names;
}

/**
 * The part that a cell stands for: of its two names the one that can be picked.
 * @param {{layout: string[][], cells?: string[][]}} game
 * @param {number} row
 * @param {number} column
 * @param {Map<string, Option> | undefined} options
 */
export function partAt({ layout, cells }, row, column, options) {
  const part = layout[row][column];
  const name = cells?.[row][column];
  return name !== undefined && !options?.has(part) && options?.has(name) ? name : part;
}

/**
 * The board as it will probably look after a move of `symbol`: until the server has said so, or refused it.
 * A piece moves from the first cell of a path to the last; otherwise one is placed, where it falls down in a column.
 * @param {string[]} rows
 * @param {{layout: string[][], cells?: string[][]}} game
 * @param {string} move
 * @param {string} symbol
 * @returns {{rows: string[], cell: string | null}} the board, and the cell where the piece is now
 */
export function expected(rows, game, move, symbol) {
  const names = game.cells ?? game.layout;
  const way = parts(move, partNames(game));
  const at = (/** @type {string} */ part) => {
    const places = names.flatMap((line, r) =>
      line.flatMap((name, c) => (name === part || game.layout[r][c] === part ? [[r, c]] : [])),
    );
    return places.length > 1 ? places.filter(([r, c]) => rows[r][c] === ".").at(-1) : places[0];
  };
  const places = way.map(at).filter((place) => place !== undefined);
  const to = places.at(-1);
  if (to === undefined) return { rows, cell: null };
  const board = rows.map((row) => [...row]);
  const from = places[0];
  if (places.length > 1) {
    board[to[0]][to[1]] = rows[from[0]][from[1]];
    board[from[0]][from[1]] = ".";
  } else if (board[to[0]][to[1]] === ".") board[to[0]][to[1]] = symbol;
  else return { rows, cell: null };
  return { rows: board.map((row) => row.join("")), cell: names[to[0]][to[1]] };
}
