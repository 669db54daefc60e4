// The board as an SVG, drawn from a game's `layout`, `cells` and `block`, and from the rows of a position.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { CELL, cellName, crossings, lines, nested, smallBoards, winning } from "./looks.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./moves.js").Option} Option
 * @typedef {import("./values.js").Worth} Worth
 * @typedef {{game: GameInfo, rows: string[], options?: Map<string, Option>, path?: string[], chosen?: string | null,
 *            pending?: string | null, last?: string[], fresh?: boolean, line?: string[], worth?: Map<string, Worth>,
 *            stale?: boolean, over?: boolean, focus?: string | null, mover?: Side | null, small?: boolean,
 *            onPick?: (row: number, column: number) => void, onFocus?: (name: string) => void, label?: string}} Drawing
 *
 * `options` can be picked, after `path`; `chosen` is a cell whose move is to be confirmed, `pending` one whose move is
 * not confirmed by the server. `last` are the cells of the last move, which is `fresh` if it was just played. `worth` is
 * by move, and `stale` if it is that of an earlier position. `mover` is the side whose disc hovers over a column.
 */

/** Around the board, and where its edge has names or a disc that hovers over a column. */
const [MARGIN, EDGE, ABOVE] = [4, 36, 92];

/** From this width on a cell has no room for two lines. */
const DENSE = 12;

/** The games with a look of their own; any other has squares with stones. */
const LOOKS = new Set(["tictactoe", "connect4", "reversi", "gomoku", "ultimate"]);

/** @typedef {{columns: string[] | null, rows: string[] | null, falls: boolean}} Edges */

/** @type {WeakMap<GameInfo, Edges>} */
const edges = new WeakMap();

/**
 * The names of columns and rows, if they make up the names of the cells, and whether each column is one move.
 * @param {GameInfo} game
 * @returns {Edges}
 */
function edgesOf(game) {
  let found = edges.get(game);
  if (found === undefined) {
    const { layout } = game;
    const falls = layout.length > 1 && layout.every((line) => line.every((part, c) => part === layout[0][c]));
    const columns = falls ? layout[0] : layout[0].map((name) => name.replace(/[0-9]+$/, ""));
    const rows = layout.map((line) => line[0].slice(columns[0].length));
    const named = columns.every(Boolean) && layout.every((line, r) => line.every((name, c) => name === columns[c] + rows[r]));
    found = { columns: falls || named ? columns : null, rows: named && !falls ? rows : null, falls };
    edges.set(game, found);
  }
  return found;
}

/** @param {Drawing} drawing */
export function board(drawing) {
  const { game, rows, small } = drawing;
  const { columns, rows: ranks, falls } = edgesOf(game);
  const [height, width] = [rows.length, rows[0].length];
  const look = LOOKS.has(game.key) ? game.key : "other";
  const [left, top] = small ? [MARGIN, MARGIN] : [ranks ? EDGE : MARGIN, falls ? ABOVE : MARGIN];
  const [right, bottom] = [width * CELL + MARGIN, height * CELL + (columns && !small ? EDGE : MARGIN)];
  const classes = ["board", `look-${look}`, small ? "small" : "", width >= DENSE ? "dense" : "", drawing.stale ? "stale" : ""];
  const cells = (/** @type {string} */ row, /** @type {number} */ r) =>
    [...row].map((symbol, c) => (small ? piece(drawing, look, symbol, r, c) : square(drawing, look, symbol, r, c)));
  const ground = svg`<rect class="ground" x=${-MARGIN} y=${-MARGIN} width=${width * CELL + 2 * MARGIN} height=${height * CELL + 2 * MARGIN} rx="14"></rect>
    ${look === "gomoku" ? crossings(width, height) : look === "ultimate" ? nested() : nothing}
    ${small && (look === "reversi" || look === "other") ? lines("lines", 1, width, height) : nothing}`;
  const step = look === "tictactoe" ? 1 : look === "ultimate" ? 0 : game.block;
  const over = svg`${lines("blocks", step, width, height)} ${look === "ultimate" ? smallBoards(drawing) : nothing} ${winning(drawing)}`;
  const view = `${-left} ${-top} ${left + right} ${top + bottom}`;
  if (small) {
    return html`<svg class=${classes.join(" ")} viewBox=${view} role="img" aria-label=${drawing.label ?? text.board(game.title)}>
      ${ground} ${rows.map(cells)} ${over}
    </svg>`;
  }
  return html`<svg
    class=${classes.join(" ")}
    viewBox=${view}
    role="grid"
    aria-label=${drawing.label ?? text.board(game.title)}
    aria-rowcount=${height}
    aria-colcount=${width}
    @click=${(/** @type {Event} */ event) => picked(event, drawing)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => keyed(event, drawing)}
    @focusin=${(/** @type {Event} */ event) => focused(event, drawing)}
    @pointerover=${hover}
    @pointerleave=${hover}
  >
    ${ground}
    ${rows.map((row, r) => svg`<g role="row" aria-rowindex=${r + 1}>${cells(row, r)}</g>`)}
    ${over}
    ${columns ? columns.map((name, c) => edge(name, c * CELL + 50, height * CELL + 29)) : nothing}
    ${ranks ? ranks.map((name, r) => edge(name, -20, r * CELL + 60)) : nothing}
    ${falls ? svg`<circle class="ghost piece ${drawing.options ? drawing.mover : "none"}" cx="50" cy="-48" r="39"></circle>` : nothing}
  </svg>`;
}

/**
 * @param {string} name
 * @param {number} x
 * @param {number} y
 */
function edge(name, x, y) {
  return svg`<text class="edge" x=${x} y=${y} aria-hidden="true">${name}</text>`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 */
function square(drawing, look, symbol, r, c) {
  const { game, options, path, rows } = drawing;
  const name = cellName(game, r, c);
  const part = game.layout[r][c];
  const { falls, columns } = edgesOf(game);
  const lands = !falls || isLanding(rows, r, c);
  const open = options !== undefined && (options.has(part) || options.has(name));
  const worth = symbol === "." && lands ? drawing.worth?.get(part) ?? drawing.worth?.get(name) : undefined;
  const [x, y] = [c * CELL, r * CELL];
  let classes = "cell";
  if (open) classes += falls && lands ? " open landing" : " open";
  if (path?.includes(part) || path?.includes(name) || drawing.chosen === name) classes += " picked";
  if (drawing.last?.includes(name)) classes += " last";
  if (drawing.pending === name) classes += " pending";
  if (worth) classes += ` worth ${worth.kind}${worth.best ? " best" : ""}${worth.few ? " few" : ""}`;
  return svg`<g
    class=${classes} data-cell=${name} data-row=${r} data-column=${c}
    role="gridcell" tabindex=${drawing.focus === name ? 0 : -1} aria-colindex=${c + 1}
    aria-label=${text.cell(name, r + 1, c + 1, contentOf(game, symbol), drawing.stale ? undefined : worth?.spoken)}
    aria-disabled=${open ? nothing : "true"}
  >
    <rect class="square" x=${x} y=${y} width=${CELL} height=${CELL}></rect>
    ${columns === null && symbol === "." && !worth ? svg`<text class="name" x=${x + 12} y=${y + 26} aria-hidden="true">${name}</text>` : nothing}
    ${piece(drawing, look, symbol, r, c)} ${worth ? chip(worth, x, y, rows[0].length >= DENSE) : nothing}
    <rect class="ring" x=${x + 4} y=${y + 4} width="92" height="92" rx="8"></rect>
  </g>`;
}

/**
 * @param {Worth} worth
 * @param {number} x
 * @param {number} y
 * @param {boolean} dense
 */
function chip({ label, detail }, x, y, dense) {
  const alone = dense || !detail;
  const brief = label.replace(/\d{4,}/, (digits) => `${Math.round(Number(digits) / 1000)}k`); // the cell has no room for more
  return svg`<rect class="chip" x=${x + 8} y=${y + 16} width="84" height="68" rx="12"></rect>
    <text class="value ${brief.length > 3 ? "long" : ""}" x=${x + 50} y=${y + (alone ? 63 : 53)} aria-hidden="true">${brief}</text>
    ${alone ? nothing : svg`<text class="detail ${detail.length > 8 ? "long" : ""}" x=${x + 50} y=${y + 76} aria-hidden="true">${detail}</text>`}`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 */
function piece(drawing, look, symbol, r, c) {
  const { first, second } = drawing.game.sides;
  const x = c * CELL + 50;
  const y = r * CELL + 50;
  const side = symbol === first.symbol ? "first" : symbol === second.symbol ? "second" : null;
  const hole = look === "connect4" ? svg`<circle class="hole" cx=${x} cy=${y} r="40"></circle>` : nothing;
  if (symbol === ".") return hole;
  if (side !== null && (look === "tictactoe" || look === "ultimate")) {
    return side === "first"
      ? svg`<path class="piece first" d="M${x - 27} ${y - 27}L${x + 27} ${y + 27}M${x + 27} ${y - 27}L${x - 27} ${y + 27}"></path>`
      : svg`<circle class="piece second" cx=${x} cy=${y} r="29"></circle>`;
  }
  if (side !== null && /^[a-z]$/.test(symbol)) {
    const name = drawing.small ? "" : cellName(drawing.game, r, c);
    const falls = look === "connect4" && (drawing.pending === name || (drawing.fresh && drawing.last?.includes(name)));
    return svg`${hole}<circle class="piece ${side} ${falls ? `fall fall-${r}` : ""}" cx=${x} cy=${y} r=${look === "gomoku" ? 43 : 39}></circle>`;
  }
  return svg`<text class="glyph" x=${x} y=${y + 18}>${symbol}</text>`; // such as a chess piece of another package
}

/**
 * @param {GameInfo} game
 * @param {string} symbol
 */
function contentOf(game, symbol) {
  if (symbol === ".") return null;
  if (symbol === game.sides.first.symbol) return game.sides.first.name;
  if (symbol === game.sides.second.symbol) return game.sides.second.name;
  return symbol;
}

/**
 * Whether a disc that is dropped into column `c` lands in row `r`.
 * @param {string[]} rows
 * @param {number} r
 * @param {number} c
 */
function isLanding(rows, r, c) {
  return rows[r][c] === "." && (r === rows.length - 1 || rows[r + 1][c] !== ".");
}

/** @param {Event} event */
function cellOf(event) {
  return /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest?.("[data-cell]"));
}

/**
 * @param {Event} event
 * @param {Drawing} drawing
 */
function picked(event, drawing) {
  const cell = cellOf(event);
  if (cell) drawing.onPick?.(Number(cell.dataset.row), Number(cell.dataset.column));
}

/**
 * @param {Event} event
 * @param {Drawing} drawing
 */
function focused(event, drawing) {
  hover(event);
  const name = cellOf(event)?.dataset.cell;
  if (name !== undefined && name !== drawing.focus) drawing.onFocus?.(name);
}

/**
 * Enter and space pick a cell; the arrows, Home and End move over the board.
 * @param {KeyboardEvent} event
 * @param {Drawing} drawing
 */
function keyed(event, drawing) {
  const cell = cellOf(event);
  if (!cell || event.altKey || event.metaKey) return;
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
  const [bottom, right] = [drawing.rows.length - 1, drawing.rows[0].length - 1];
  /** @type {Record<string, [number, number]>} */
  const places = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    Home: [event.ctrlKey ? 0 : row, 0],
    End: [event.ctrlKey ? bottom : row, right],
  };
  const to = places[event.key];
  if (event.key === "Enter" || event.key === " ") drawing.onPick?.(row, column);
  else if (to === undefined) return;
  else {
    const other = /** @type {Element} */ (event.currentTarget).querySelector(`[data-row="${to[0]}"][data-column="${to[1]}"]`);
    if (other instanceof SVGElement) other.focus();
  }
  event.preventDefault();
}

/**
 * Show the disc over the column that the pointer or the focus is in, if it may be dropped there.
 * @param {Event} event
 */
function hover(event) {
  const ghost = /** @type {Element} */ (event.currentTarget).querySelector(".ghost");
  const cell = cellOf(event);
  if (!ghost) return;
  ghost.toggleAttribute("data-shown", cell?.classList.contains("open") ?? false);
  if (cell) ghost.setAttribute("cx", String(Number(cell.dataset.column) * CELL + 50));
}
