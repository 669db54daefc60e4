// The board as an SVG, drawn from a game's `layout`, `cells` and `block`, and from the rows of a position.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {{label: string, detail: string, kind: "good" | "even" | "bad", best: boolean}} Worth
 * @typedef {{game: GameInfo, rows: string[], options?: Map<string, string | null>, path?: string[], pending?: string | null,
 *            last?: string[], line?: string[], worth?: Map<string, Worth>, focus?: string | null, small?: boolean,
 *            onPick?: (row: number, column: number) => void, label?: string}} Drawing
 */

const CELL = 100;

/** The games with a look of their own; any other has squares with stones. */
const LOOKS = new Set(["tictactoe", "connect4", "reversi", "gomoku", "ultimate"]);

/**
 * @param {GameInfo} game
 * @param {number} row
 * @param {number} column
 */
export function cellName(game, row, column) {
  return (game.cells ?? game.layout)[row][column];
}

/** @param {Drawing} drawing */
export function board(drawing) {
  const { game, rows } = drawing;
  const height = rows.length;
  const width = rows[0].length;
  const look = LOOKS.has(game.key) ? game.key : "other";
  const cells = rows.flatMap((row, r) => [...row].map((symbol, c) => ({ symbol, r, c })));
  const ranks = Array.from({ length: height }, (_, r) => cells.filter((cell) => cell.r === r));
  return html`<svg
    class="board look-${look} ${drawing.small ? "small" : ""}"
    viewBox="-4 -4 ${width * CELL + 8} ${height * CELL + 8}"
    role=${drawing.small ? "img" : "grid"}
    aria-label=${drawing.label ?? text.board(game.title)}
    aria-rowcount=${drawing.small ? nothing : height}
    aria-colcount=${drawing.small ? nothing : width}
    @keydown=${drawing.small ? nothing : moveFocus}
  >
    <rect class="ground" x="-4" y="-4" width=${width * CELL + 8} height=${height * CELL + 8} rx="14"></rect>
    ${look === "gomoku" ? crossings(width, height) : nothing}
    ${drawing.small && look !== "gomoku" && look !== "connect4" ? lines(width, height) : nothing}
    ${drawing.small
      ? cells.map((cell) => piece(drawing, look, cell))
      : ranks.map((line) => svg`<g role="row">${repeat(line, (cell) => cell.c, (cell) => square(drawing, look, cell))}</g>`)}
    ${blocks(game, width, height)} ${winning(drawing)}
  </svg>`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {{symbol: string, r: number, c: number}} cell
 */
function square(drawing, look, { symbol, r, c }) {
  const { game, options, path } = drawing;
  const name = cellName(game, r, c);
  const part = game.layout[r][c];
  const open = options?.has(part) ?? false;
  const worth = drawing.worth?.get(part);
  const shown = worth && (look !== "connect4" || isLanding(drawing.rows, r, c)) && symbol === "." ? worth : undefined;
  const classes = [
    "cell",
    open ? "open" : "",
    open && look === "connect4" && isLanding(drawing.rows, r, c) ? "landing" : "",
    path?.includes(part) ? "picked" : "",
    drawing.last?.includes(name) ? "last" : "",
    drawing.pending === part && symbol === "." && (look !== "connect4" || isLanding(drawing.rows, r, c)) ? "pending" : "",
    shown ? `worth ${shown.kind} ${shown.best ? "best" : ""}` : "",
  ].join(" ");
  const content = text.cell(name, contentOf(game, symbol), shown?.label);
  return svg`<g
    class=${classes} data-cell=${name} data-part=${part} data-row=${r} data-column=${c}
    role="gridcell" tabindex=${drawing.focus === name ? 0 : -1}
    aria-label=${content} aria-disabled=${open ? nothing : "true"}
    @click=${() => drawing.onPick?.(r, c)} @keydown=${pickByKey}
  >
    <rect class="square" x=${c * CELL} y=${r * CELL} width=${CELL} height=${CELL}></rect>
    ${piece(drawing, look, { symbol, r, c })}
    ${shown
      ? svg`<rect class="chip" x=${c * CELL + 7} y=${r * CELL + 20} width="86" height="60" rx="12"></rect>
          <text class="value ${shown.label.length > 3 ? "long" : ""}" x=${c * CELL + 50} y=${r * CELL + (shown.detail ? 48 : 60)}>${shown.label}</text>
          ${shown.detail ? svg`<text class="detail" x=${c * CELL + 50} y=${r * CELL + 72}>${shown.detail}</text>` : nothing}`
      : nothing}
    <rect class="ring" x=${c * CELL + 4} y=${r * CELL + 4} width="92" height="92" rx="8"></rect>
  </g>`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {{symbol: string, r: number, c: number}} cell
 */
function piece({ game }, look, { symbol, r, c }) {
  const x = c * CELL + 50;
  const y = r * CELL + 50;
  const side = symbol === game.sides.first.symbol ? "first" : symbol === game.sides.second.symbol ? "second" : null;
  const hole = look === "connect4" ? svg`<circle class="hole" cx=${x} cy=${y} r="40"></circle>` : nothing;
  if (symbol === ".") return hole;
  if (side !== null && (look === "tictactoe" || look === "ultimate")) {
    return side === "first"
      ? svg`<path class="piece first" d="M${x - 27} ${y - 27}L${x + 27} ${y + 27}M${x + 27} ${y - 27}L${x - 27} ${y + 27}"></path>`
      : svg`<circle class="piece second" cx=${x} cy=${y} r="29"></circle>`;
  }
  if (side !== null && /^[a-z]$/.test(symbol)) {
    return svg`${hole}<circle class="piece ${side}" cx=${x} cy=${y} r=${look === "gomoku" ? 42 : 39}></circle>`;
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
  return svg`<path class="crossings" d=${path.join("")}></path>`;
}

/**
 * The lines between the cells of a small board, which has no squares.
 * @param {number} width
 * @param {number} height
 */
function lines(width, height) {
  const path = [];
  for (let c = 1; c < width; c++) path.push(`M${c * CELL} 0V${height * CELL}`);
  for (let r = 1; r < height; r++) path.push(`M0 ${r * CELL}H${width * CELL}`);
  return svg`<path class="lines" d=${path.join("")}></path>`;
}

/**
 * @param {GameInfo} game
 * @param {number} width
 * @param {number} height
 */
function blocks(game, width, height) {
  if (!game.block) return nothing;
  const path = [];
  for (let c = game.block; c < width; c += game.block) path.push(`M${c * CELL} 0V${height * CELL}`);
  for (let r = game.block; r < height; r += game.block) path.push(`M0 ${r * CELL}H${width * CELL}`);
  return svg`<path class="blocks" d=${path.join("")}></path>`;
}

/** @param {Drawing} drawing */
function winning({ game, rows, line }) {
  if (!line || line.length < 2) return nothing;
  const at = line.map((name) => find(game, rows, name)).filter((place) => place !== null);
  if (at.length < 2) return nothing;
  const [first, last] = [at[0], at[at.length - 1]];
  const middle = (/** @type {number[]} */ place) => `${place[1] * CELL + 50} ${place[0] * CELL + 50}`;
  return svg`<path class="winning" d="M${middle(first)}L${middle(last)}"></path>`;
}

/**
 * @param {GameInfo} game
 * @param {string[]} rows
 * @param {string} name
 * @returns {[number, number] | null}
 */
function find(game, rows, name) {
  for (let r = 0; r < rows.length; r++) {
    for (let c = 0; c < rows[r].length; c++) if (cellName(game, r, c) === name) return [r, c];
  }
  return null;
}

/** @param {KeyboardEvent} event */
function pickByKey(event) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  /** @type {Element} */ (event.currentTarget).dispatchEvent(new MouseEvent("click"));
}

/** @param {KeyboardEvent} event */
function moveFocus(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const cell = /** @type {Element} */ (event.target).closest("[data-cell]");
  if (step === undefined || cell === null) return;
  event.preventDefault();
  const row = Number(cell.getAttribute("data-row")) + step[0];
  const column = Number(cell.getAttribute("data-column")) + step[1];
  const other = /** @type {Element} */ (event.currentTarget).querySelector(
    `[data-row="${row}"][data-column="${column}"]`,
  );
  if (other instanceof SVGElement) {
    cell.setAttribute("tabindex", "-1");
    other.setAttribute("tabindex", "0");
    other.focus();
  }
}
