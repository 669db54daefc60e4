// Where the cells of a board lie, and what is drawn below and above them: lines, the small boards of ultimate
// tic-tac-toe, the winning line.

import { nothing, svg } from "./vendor/lit-html/lit-html.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./board.js").Drawing} Drawing
 */

/** The width of a cell, and of an edge between two dots. */
export const CELL = 100;
const THIN = 28;

/** The height from one row of hexagons to the next, and of a hexagon. */
const [HEX_ROW, HEX] = [87, 115];

/** The height of a pit with the number of its stones, and of a store, where the board is upright; there stores lie above and below. */
const [PIT, STORE] = [134, 110];

/** The height of a pit where the board lies: so long that the board is not much lower than others. */
const LONG = 200;

/**
 * What is the same for each drawing of a game's board, made once.
 * @template T
 * @param {(game: GameInfo) => T} make
 * @returns {(game: GameInfo) => T}
 */
export function once(make) {
  /** @type {WeakMap<GameInfo, T>} */
  const made = new WeakMap();
  return (game) => {
    let found = made.get(game);
    if (found === undefined) made.set(game, (found = make(game)));
    return found;
  };
}

/**
 * Whose piece a symbol is; null where nothing tells.
 * @param {GameInfo} game
 * @param {string} symbol
 */
export function sideOf({ pieces, sides }, symbol) {
  return pieces?.[symbol]?.side ?? (symbol === sides.first.symbol ? "first" : symbol === sides.second.symbol ? "second" : null);
}

/** @param {GameInfo} game */
export function shapeOf(game) {
  return game.board?.shape ?? "squares";
}

/** Where a cell lies: its top left corner and its size. @typedef {{x: number, y: number, w: number, h: number}} Place */

/**
 * @param {GameInfo} game
 * @param {number} r
 * @param {number} c
 * @param {boolean | undefined} [turned] the other side of the board is at the bottom
 * @returns {Place}
 */
export function placeOf(game, r, c, turned) {
  const { layout } = game;
  const [row, column] = turned ? [layout.length - 1 - r, layout[0].length - 1 - c] : [r, c];
  const shape = shapeOf(game);
  if (shape === "edges") {
    const at = (/** @type {number} */ i) => Math.floor(i / 2) * (CELL + THIN) + (i % 2 ? THIN : 0);
    return { x: at(column), y: at(row), w: column % 2 ? CELL : THIN, h: row % 2 ? CELL : THIN };
  }
  if (shape === "hexagons")
    return game.upright
      ? { x: column * HEX_ROW, y: row * CELL + (column * CELL) / 2, w: HEX, h: CELL }
      : { x: column * CELL + (row * CELL) / 2, y: row * HEX_ROW, w: CELL, h: HEX };
  if (shape === "pits") {
    const store = isStore(game, c);
    if (!game.upright) return { x: column * CELL, y: store ? 0 : row * LONG, w: CELL, h: store ? layout.length * LONG : LONG };
    return store ? { x: 0, y: row * (2 * PIT + STORE), w: sizeOf(game)[0], h: STORE } : { x: (column - 1) * CELL, y: STORE + row * PIT, w: CELL, h: PIT };
  }
  return { x: column * CELL, y: row * CELL, w: CELL, h: CELL };
}

/**
 * The width and height of the board.
 * @param {GameInfo} game
 * @returns {[number, number]}
 */
export function sizeOf(game) {
  const [height, width] = [game.layout.length, game.layout[0].length];
  if (shapeOf(game) === "pits") return game.upright ? [(width - 2) * CELL, height * PIT + 2 * STORE] : [width * CELL, height * LONG];
  const last = placeOf(game, height - 1, width - 1);
  return [last.x + last.w, last.y + last.h];
}

/**
 * Whether a column has only one cell, which is a store then.
 * @param {GameInfo} game
 * @param {number} c
 */
export function isStore({ layout }, c) {
  return layout.filter((row) => row[c] !== "").length === 1;
}

/** Whether a pit is in the lower row, where the numbers are below. @param {Place} place */
export const isLow = ({ y }) => y >= PIT;

/**
 * The middle of a cell.
 * @param {Place} place
 * @returns {[number, number]}
 */
export function middleOf({ x, y, w, h }) {
  return [x + w / 2, y + h / 2];
}

/**
 * The dots between edges.
 * @param {GameInfo} game
 */
export function dots(game) {
  const places = game.layout.flatMap((row, r) => row.flatMap((_, c) => (r % 2 || c % 2 ? [] : [middleOf(placeOf(game, r, c))])));
  return places.map(([x, y]) => svg`<circle class="dot" cx=${x} cy=${y} r="13"></circle>`);
}

/** @param {Place} place */
export function hexagon({ x, y, w, h }) {
  if (w > h) return `M${x} ${y + h / 2}L${x + w / 4} ${y}h${w / 2}L${x + w} ${y + h / 2}L${x + (w * 3) / 4} ${y + h}h${-w / 2}Z`;
  return `M${x + w / 2} ${y}L${x + w} ${y + h / 4}V${y + (h * 3) / 4}L${x + w / 2} ${y + h}L${x} ${y + (h * 3) / 4}V${y + h / 4}Z`;
}

/**
 * The edges of a board of hexagons, in the colours of the sides that own them: what is seen of the outlines of its outer
 * cells, which are drawn over them.
 * @param {GameInfo} game
 * @param {(side: import("./types.js").Side) => string} bodyOf its classes
 */
export const borders = (game, bodyOf) =>
  game.board?.borders?.map((side, aside) => svg`<path class="border ${bodyOf(side)}" d=${game.layout.map((row, r) =>
    row.map((_, c) => ((aside ? c : r) % (row.length - 1) || (aside && !(r % (row.length - 1))) ? "" : hexagon(placeOf(game, r, c)))).join("")).join("")}></path>`);

/**
 * What takes the clicks for an edge: it reaches into the boxes on both sides.
 * @param {Place} place
 */
export function around({ x, y, w, h }) {
  const [middle, level, reach] = [x + w / 2, y + h / 2, CELL / 2 + THIN / 2];
  const [across, down] = w > h ? [w / 2 + THIN / 2, reach] : [reach, h / 2 + THIN / 2];
  return `M${middle - across} ${level}L${middle} ${level - down}L${middle + across} ${level}L${middle} ${level + down}Z`;
}

/**
 * The squares of a chessboard, the corner at the bottom left a dark one.
 * @param {GameInfo} game
 */
export function chequers({ layout }) {
  const dark = layout.flatMap((row, r) =>
    row.flatMap((_, c) => ((layout.length - 1 - r + c) % 2 ? [] : [`M${c * CELL} ${r * CELL}h${CELL}v${CELL}h-${CELL}z`])),
  );
  return svg`<path class="dark" d=${dark.join("")}></path>`;
}

/**
 * The lines on which pieces stand: those of the game, or those that join all neighbours.
 * @param {GameInfo} game
 */
export function joined(game) {
  const { layout, board } = game;
  if (!board?.lines) return crossings(layout[0].length, layout.length);
  /** @type {Map<string, [number, number]>} */
  const middles = new Map();
  layout.forEach((row, r) => row.forEach((name, c) => middles.set(name, middleOf(placeOf(game, r, c)))));
  const path = board.lines.map(([one, other]) => `M${middles.get(one)}L${middles.get(other)}`);
  return svg`<path class="rules" d=${path.join("")}></path>
    ${[...middles].map(([name, [x, y]]) => (name ? svg`<circle class="star" cx=${x} cy=${y} r="9"></circle>` : nothing))}`;
}

/**
 * @param {GameInfo} game
 * @param {number} row
 * @param {number} column
 */
export function cellName(game, row, column) {
  return (game.cells ?? game.layout)[row][column];
}

/**
 * @param {number} width
 * @param {number} height
 */
function crossings(width, height) {
  const right = width * CELL - 50;
  const bottom = height * CELL - 50;
  const path = [
    ...Array.from({ length: width }, (_, c) => `M${c * CELL + 50} 50V${bottom}`),
    ...Array.from({ length: height }, (_, r) => `M50 ${r * CELL + 50}H${right}`),
  ];
  const stars = /** @type {Record<number, number[]>} */ ({ 9: [2, 4, 6], 13: [3, 6, 9], 15: [3, 7, 11], 19: [3, 9, 15] })[width] ?? [];
  return svg`<path class="rules" d=${path.join("")}></path>
    ${stars.flatMap((r) => stars.map((c) => svg`<circle class="star" cx=${c * CELL + 50} cy=${r * CELL + 50} r="9"></circle>`))}`;
}

/**
 * Lines after every `step` columns and rows.
 * @param {string} name
 * @param {number | undefined} step
 * @param {number} width
 * @param {number} height
 */
export function lines(name, step, width, height) {
  if (!step) return nothing;
  const path = [];
  for (let c = step; c < width; c += step) path.push(`M${c * CELL} 0V${height * CELL}`);
  for (let r = step; r < height; r += step) path.push(`M0 ${r * CELL}H${width * CELL}`);
  return svg`<path class=${name} d=${path.join("")}></path>`;
}

/** The nine boards of ultimate tic-tac-toe: the lines of each, and stronger ones between them. */
export function nested() {
  const each = [0, 1, 2].flatMap((r) =>
    [0, 1, 2].map((c) => `M${c * 300 + 100} ${r * 300 + 24}v252m100 0v-252M${c * 300 + 24} ${r * 300 + 100}h252m0 100h-252`),
  );
  return svg`<path class="rules" d=${each.join("")}></path><path class="between" d="M300 6V894M600 6V894M6 300H894M6 600H894"></path>`;
}

const THREES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));

/**
 * Ultimate tic-tac-toe's nine boards: those that are won or full, and the one in which the next move must be.
 * @param {Drawing} drawing
 */
export function smallBoards({ game, rows, last, over }) {
  const boards = Array.from({ length: 9 }, (_, index) => {
    const [r, c] = [Math.floor(index / 3) * 3, (index % 3) * 3];
    const cells = [0, 1, 2].flatMap((step) => [...rows[r + step].slice(c, c + 3)]);
    const line = THREES.find(([one, two, three]) => cells[one] !== "." && cells[one] === cells[two] && cells[one] === cells[three]);
    return { x: c * CELL, y: r * CELL, winner: line ? cells[line[0]] : null, full: !cells.includes(".") };
  });
  const at = last?.length === 1 ? find(game, rows, last[0]) : null;
  const sent = at && !over ? boards[(at[0] % 3) * 3 + (at[1] % 3)] : null;
  return svg`${boards.map(({ x, y, winner, full }) =>
    winner === null && !full
      ? nothing
      : svg`<rect class="done" x=${x + 7} y=${y + 7} width="286" height="286" rx="18"></rect>
          ${winner === null ? nothing : winner === game.sides.first.symbol
            ? svg`<path class="won-board first lines" d="M${x + 70} ${y + 70}l160 160m0 -160l-160 160"></path>`
            : svg`<circle class="won-board second lines" cx=${x + 150} cy=${y + 150} r="88"></circle>`}`,
  )}
  ${sent && sent.winner === null && !sent.full ? svg`<rect class="sent" x=${sent.x + 8} y=${sent.y + 8} width="284" height="284" rx="20"></rect>` : nothing}`;
}

/** How far the line that joins pieces goes beyond the middles of the outer ones. */
const BEYOND = 38;

/**
 * The end that the pieces of a line made: they are ringed, and joined if the line is straight; boards within the board are only joined.
 * @param {Drawing} drawing
 */
export function winning({ game, rows, line, turned }) {
  const at = (line ?? []).map((name) => find(game, rows, name)).filter((place) => place !== null);
  if (at.length < 2) return nothing;
  const joined = (/** @type {number[]} */ [x, y], /** @type {number[]} */ [right, low], beyond = BEYOND) => {
    const past = beyond / Math.hypot(right - x, low - y);
    const [dx, dy] = [(right - x) * past, (low - y) * past];
    return svg`<path class="joined" pathLength="100" d="M${x - dx} ${y - dy}L${right + dx} ${low + dy}"></path>`;
  };
  const { block } = game;
  if (block) {
    const boards = new Set(at.map(([r, c]) => Math.floor(r / block) * 3 + Math.floor(c / block)));
    const middle = (/** @type {number} */ index) => [(index % 3) + 0.5, Math.floor(index / 3) + 0.5].map((where) => where * block * CELL);
    return THREES.filter((three) => three.every((index) => boards.has(index))).map(([one, , three]) => joined(middle(one), middle(three), block * BEYOND));
  }
  const middle = (/** @type {number[]} */ [r, c]) => middleOf(placeOf(game, r, c, turned));
  const [first, last] = [at[0], at[at.length - 1]];
  const straight = at.every(([r, c]) => (r - first[0]) * (last[1] - first[1]) === (c - first[1]) * (last[0] - first[0]));
  const rings = at.map((place) => svg`<circle class="ringed" cx=${middle(place)[0]} cy=${middle(place)[1]} r="46"></circle>`);
  return straight ? svg`${rings}${joined(middle(first), middle(last))}` : rings;
}

/** A card shows at least so many cells of a board with many. */
const CROPPED = 9;

/**
 * The square of the board that a card shows: all of it or, where pieces stand on few of many lines, the part around them.
 * @param {Drawing} drawing
 * @returns {[number, number, number, number?]} left, top, the length of a side, and the height if it is another: `tight`
 */
export function cropped({ game, rows, tight }) {
  const [width, height] = sizeOf(game);
  const shape = shapeOf(game);
  if (shape === "points" && !game.board?.lines && Math.min(rows.length, rows[0].length) > CROPPED) {
    const at = rows.flatMap((row, r) => [...row].flatMap((symbol, c) => (symbol === "." ? [] : [[r, c]])));
    const [top, bottom] = spread(at.map(([r]) => r), rows.length);
    const [left, right] = spread(at.map(([, c]) => c), rows[0].length);
    const count = Math.min(Math.max(right - left, bottom - top, CROPPED), rows.length, rows[0].length);
    const start = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ all) =>
      Math.max(0, Math.min(all - count, Math.round((low + high - count) / 2)));
    return [start(left, right, rows[0].length) * CELL, start(top, bottom, rows.length) * CELL, count * CELL];
  }
  const margin = FULL.has(game.board?.look ?? "") ? 0 : shape === "hexagons" ? 90 : game.board?.look === "holes" ? 50 : 24;
  if (tight) return [-margin / 2, -margin / 2, width + margin, height + margin];
  const side = (shape === "hexagons" ? Math.min : Math.max)(width, height) + 2 * margin; // two corners of a lozenge may be cut
  return [(width - side) / 2, (height - side) / 2, side];
}

/** The looks whose squares reach the edge of a card. */
const FULL = new Set(["felt", "checkered"]);

/**
 * From the first to behind the last, with one more on each side.
 * @param {number[]} places
 * @param {number} all
 * @returns {[number, number]}
 */
function spread(places, all) {
  return places.length ? [Math.min(...places) - 1, Math.max(...places) + 2] : [Math.floor(all / 2), Math.floor(all / 2) + 1];
}

/**
 * The best move, through all its cells.
 * @param {Drawing} drawing
 */
export function arrow({ game, rows, way, turned, path }) {
  const at = (way ?? []).map((name) => find(game, rows, name)).filter((place) => place !== null);
  if (at.length < 2) return nothing;
  const middles = at.map(([r, c]) => middleOf(placeOf(game, r, c, turned)));
  const [x, y] = middles[middles.length - 1];
  return svg`<path class="way" d="M${middles.map((middle) => middle.join(" ")).join("L")}"></path>
    ${path?.length ? nothing : svg`<circle class="way-end" cx=${x} cy=${y} r="20"></circle>`}`;
}

/**
 * @param {GameInfo} game
 * @param {string[]} rows
 * @param {string} name
 * @returns {[number, number] | null}
 */
export function find(game, rows, name) {
  for (let r = 0; r < rows.length; r++) {
    for (let c = 0; c < rows[r].length; c++) if (cellName(game, r, c) === name) return [r, c];
  }
  return null;
}

/** @typedef {{layout: string[][], board?: GameInfo["board"]}} Drawn what a room says of its board that is set up otherwise than usual */

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
  let known = setUp.get(drawn);
  if (!known || known.upright !== usual.upright) setUp.set(drawn, (known = { ...usual, ...drawn }));
  return known;
}

/** From so many cells on, what changed does not show the last move. */
const MANY = 5;

/**
 * The cells of the last move on a small board: those that it names, where a disc has fallen to, or the few in which something changed.
 * @param {GameInfo} game
 * @param {string | undefined} move
 * @param {string[] | undefined} before
 * @param {string[]} now
 * @returns {string[]}
 */
export function touched({ layout, cells }, move = "", before, now) {
  const names = cells ?? layout;
  const where = (/** @type {(r: number, c: number) => boolean} */ is) => names.flatMap((row, r) => row.filter((name, c) => name !== "" && is(r, c)));
  const fallen = cells ? where((r, c) => layout[r][c] === move && now[r][c] !== ".").slice(0, 1) : [];
  const named = [move, ...(move.match(/[a-w]?\d+/g) ?? [])];
  const found = fallen.length ? fallen : where((r, c) => named.includes(names[r][c]));
  if (found.length || before?.length !== now.length) return found;
  const changed = where((r, c) => now[r][c] !== before[r][c]);
  return changed.length < MANY ? changed : [];
}
