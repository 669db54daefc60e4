// The board as an SVG, drawn from what a game says of itself and from a position. No game is known by its key.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import {
  around, arrow, CELL, cellName, chequers, dots, hexagon, joined, lines, middleOf, nested, placeOf, shapeOf, sizeOf, smallBoards, winning,
} from "./looks.js";
import { DISCS, outlineOf } from "./pictures.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./moves.js").Option} Option
 * @typedef {import("./values.js").Worth} Worth
 * @typedef {{game: GameInfo, rows: string[], options?: Map<string, Option>, path?: string[], chosen?: string | null,
 *            pending?: string | null, last?: string[], fresh?: boolean, line?: string[], worth?: Map<string, Worth>,
 *            stale?: boolean, over?: boolean, focus?: string | null, mover?: Side | null, small?: boolean,
 *            counts?: number[][], turned?: boolean, way?: string[],
 *            onPick?: (row: number, column: number) => void, onPress?: (press: PointerEvent, drawing: Drawing) => void, onFocus?: (name: string) => void, label?: string}} Drawing
 *
 * `options` can be picked, after `path`; `chosen` is a cell whose move is to be confirmed, `pending` one whose move is
 * not confirmed by the server. `last` are the cells of the last move, which is `fresh` if it was just played. `worth` is
 * by move, and `stale` if it is that of an earlier position. `mover` is the side whose disc hovers over a column.
 * `way` are the cells of the best move, if it goes through several.
 * `turned`: the board is turned round, for the side that is at the top of the layout.
 */

/** Around the board, and where its edge has names or a disc that hovers over a column. */
const [MARGIN, EDGE, ABOVE] = [4, 36, 92];

/** Beside a board of edges, for the values of those at its right. */
const CHIPS = 14;

/** From this width on a cell has no room for two lines. */
const DENSE = 12;

/** A board with fewer columns has larger cells, and the names at its edge are smaller beside them. */
const FEW = 8;

/** The looks that there are; a game with another has plain squares. */
const LOOKS = new Set(["paper", "holes", "felt", "wood", "nested", "checkered"]);

/** Sides with these names have their colour. */
const TONES = new Set(["white", "black", "red", "yellow", "blue"]);

/** @param {GameInfo} game */
export function lookOf(game) {
  const look = game.board?.look ?? "";
  return LOOKS.has(look) ? look : "other";
}

/**
 * @param {GameInfo} game
 * @param {Side | null} side
 */
function tone(game, side) {
  const name = side === null ? "" : game.sides[side].name.toLowerCase();
  return TONES.has(name) ? `tone-${name}` : "";
}

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
    const columns = falls
      ? layout[0]
      : layout[0].map((_, c) => (layout.find((line) => line[c] !== "")?.[c] ?? "").replace(/[0-9]+$/, ""));
    const rows = layout.map((line) => {
      const c = line.findIndex((name) => name !== "");
      return c < 0 ? "" : line[c].slice(columns[c].length);
    });
    const named = shapeOf(game) !== "pits" && columns.every(Boolean) &&
      layout.every((line, r) => line.every((name, c) => name === "" || name === columns[c] + rows[r]));
    found = { columns: falls || named ? columns : null, rows: named && !falls ? rows : null, falls };
    edges.set(game, found);
  }
  return found;
}

/**
 * Whether the board is turned round, so that the side that I play is at the bottom.
 * @param {GameInfo} game
 * @param {Side | null} [mine]
 */
export function isTurned(game, mine) {
  const bottom = game.board?.bottom;
  return Boolean(bottom && mine && bottom !== mine);
}

/** @param {Drawing} drawing */
export function board(drawing) {
  const { game, rows, small, turned } = drawing;
  const { columns, rows: ranks, falls } = edgesOf(game);
  const [width, height] = sizeOf(game);
  const [look, shape] = [lookOf(game), shapeOf(game)];
  const [left, top] = small ? [MARGIN, MARGIN] : [ranks ? EDGE : MARGIN, falls ? ABOVE : MARGIN];
  const [right, bottom] = [width + (shape === "edges" ? CHIPS : MARGIN), height + (columns && !small ? EDGE : MARGIN)];
  const dense = rows[0].length >= DENSE && shape !== "edges" ? "dense" : "";
  const few = rows[0].length < FEW ? "few" : "";
  const classes = ["board", `look-${look}`, `shape-${shape}`, few, small ? "small" : "", dense, drawing.stale ? "stale" : ""];
  const cells = (/** @type {string} */ row, /** @type {number} */ r) =>
    [...row].map((symbol, c) => {
      if (cellName(game, r, c) === "") return nothing;
      return small ? still(drawing, look, symbol, r, c) : square(drawing, look, symbol, r, c);
    });
  const plain = shape === "squares" && (look === "felt" || look === "other");
  const ground = svg`<rect class="ground" x=${-MARGIN} y=${-MARGIN} width=${width + 2 * MARGIN} height=${height + 2 * MARGIN} rx="14"></rect>
    ${look === "checkered" ? chequers(game) : shape === "points" ? joined(game) : look === "nested" ? nested() : nothing}
    ${small && plain ? lines("lines", 1, rows[0].length, rows.length) : nothing}`;
  const step = look === "paper" ? 1 : look === "nested" ? 0 : game.block;
  const over = svg`${lines("blocks", step, rows[0].length, rows.length)} ${look === "nested" ? smallBoards(drawing) : shape === "edges" ? dots(game) : nothing} ${winning(drawing)} ${arrow(drawing)}`;
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
    aria-rowcount=${rows.length}
    aria-colcount=${rows[0].length}
    @click=${(/** @type {Event} */ event) => picked(event, drawing)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => keyed(event, drawing)}
    @focusin=${(/** @type {Event} */ event) => focused(event, drawing)}
    @pointerdown=${(/** @type {PointerEvent} */ event) => drawing.onPress?.(event, drawing)}
    @pointerover=${hover}
    @pointerleave=${hover}
  >
    ${ground}
    ${rows.map((row, r) => svg`<g role="row" aria-rowindex=${r + 1}>${cells(row, r)}</g>`)}
    ${over}
    ${columns ? columns.map((name, c) => edge(name, middleOf(placeOf(game, rows.length - 1, c, turned))[0], height + 29)) : nothing}
    ${ranks ? ranks.map((name, r) => edge(name, -20, middleOf(placeOf(game, r, 0, turned))[1] + 10)) : nothing}
    ${falls ? svg`<circle class="ghost piece ${drawing.options ? drawing.mover : "none"}" cx="50" cy="-48" r="39"></circle>` : nothing}
  </svg>`;
}

/**
 * A cell that nobody can pick.
 * @param {Drawing} drawing
 * @param {string} look
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 */
function still(drawing, look, symbol, r, c) {
  const { shape, ...place } = { shape: shapeOf(drawing.game), ...placeOf(drawing.game, r, c, drawing.turned) };
  return svg`${shape === "pits" || shape === "hexagons" ? groundOf(drawing.game, r, c, place) : nothing}${piece(drawing, look, symbol, r, c)}`;
}

/**
 * What takes the clicks of a cell, and shows where it is.
 * @param {GameInfo} game
 * @param {number} r
 * @param {number} c
 * @param {import("./looks.js").Place} place
 */
function groundOf(game, r, c, place) {
  const { x, y, w, h } = place;
  const shape = shapeOf(game);
  if (shape === "hexagons") return svg`<path class="square" d=${hexagon(place)}></path>`;
  if (shape === "edges" && !(r % 2 && c % 2)) return svg`<path class="square" d=${around(place)}></path>${line("slot", place)}`;
  if (shape === "pits") {
    const [dx, dy, dw, dh] = hollow(place);
    return svg`<rect class="square" x=${dx} y=${dy} width=${dw} height=${dh} rx="44"></rect>`;
  }
  return svg`<rect class="square" x=${x} y=${y} width=${w} height=${h}></rect>`;
}

/**
 * An edge between two dots.
 * @param {string} name
 * @param {import("./looks.js").Place} place
 */
function line(name, { x, y, w, h }) {
  const [dx, dy] = w > h ? [-7, 7] : [7, -7];
  return svg`<rect class=${name} x=${x + dx} y=${y + dy} width=${w - 2 * dx} height=${h - 2 * dy} rx="7"></rect>`;
}

/**
 * Where the stones of a pit lie: left, top, width and height. The rest of its place has their number.
 * @param {import("./looks.js").Place} place
 */
function hollow({ x, y, w, h }) {
  const top = y > 0 ? 6 : 44; // the numbers are outside: those of the upper row above, those of the lower row below
  return [x + 6, y + top, w - 12, h - 50 - (h > 2 * w ? 38 : 0)];
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
  const worth = (symbol === "." || drawing.counts || (open && path?.length)) && lands ? drawing.worth?.get(part) ?? drawing.worth?.get(name) : undefined;
  const place = placeOf(game, r, c, drawing.turned);
  const { x, y, w, h } = place;
  const shape = shapeOf(game);
  let classes = shape === "edges" && r % 2 && c % 2 ? "cell area" : "cell";
  if (open) classes += falls && lands ? " open landing" : " open";
  if (symbol !== "." && (options?.get(part) ?? options?.get(name))?.more) classes += " movable";
  if (path?.includes(part) || path?.includes(name) || drawing.chosen === name) classes += " picked";
  if (drawing.last?.includes(name)) classes += " last";
  if (drawing.pending === name) classes += " pending";
  if (worth) classes += ` worth ${worth.kind}${worth.best ? " best" : ""}${worth.few ? " few" : ""}`;
  const unnamed = columns === null && ((shape === "squares" && symbol === "." && !worth) || (shape === "pits" && h < 2 * w));
  const count = drawing.counts?.[r]?.[c];
  const content = count === undefined ? contentOf(game, symbol) : text.stones(count);
  return svg`<g
    class=${classes} data-cell=${name} data-row=${r} data-column=${c}
    role="gridcell" tabindex=${drawing.focus === name ? 0 : -1} aria-colindex=${c + 1}
    aria-label=${text.cell(name, r + 1, c + 1, content, drawing.stale ? undefined : worth?.spoken)}
    aria-disabled=${open ? nothing : "true"}
  >
    ${groundOf(game, r, c, place)}
    ${unnamed ? svg`<text class="name" x=${x + 12} y=${y + (shape === "pits" && y > 0 ? h - 10 : 26)} aria-hidden="true">${name}</text>` : nothing}
    <g class="stand">${piece(drawing, look, symbol, r, c)}</g>
    ${open && path?.length ? svg`<circle class=${symbol === "." ? "hint" : "hint taken"} cx=${x + w / 2} cy=${y + h / 2} r=${symbol === "." ? 14 : 44}></circle>` : nothing}
    ${worth ? chip(worth, shape, place, rows[0].length >= DENSE) : nothing}
    ${ring(shape, place)}
  </g>`;
}

/**
 * @param {string} shape
 * @param {import("./looks.js").Place} place
 */
function ring(shape, place) {
  const [x, y, w, h] = shape === "pits" ? hollow(place) : [place.x + 4, place.y + 4, place.w - 8, place.h - 8];
  return svg`<rect class="ring" x=${x} y=${y} width=${w} height=${h} rx=${shape === "pits" ? 44 : 8}></rect>`;
}

/**
 * @param {Worth} worth
 * @param {string} shape
 * @param {import("./looks.js").Place} place
 * @param {boolean} dense
 */
function chip({ label, detail }, shape, place, dense) {
  const [left, top, width, height] = shape === "pits" ? hollow(place) : [place.x, place.y, place.w, place.h];
  const size = shape === "edges" ? 0.5 : shape === "pits" ? 0.85 : 1;
  const [x, y] = [left + width / 2 - 50 * size, top + height / 2 - 50 * size];
  const alone = dense || !detail;
  const brief = label.replace(/\d{4,}/, (digits) => `${Math.round(Number(digits) / 1000)}k`); // the cell has no room for more
  return svg`<g transform="translate(${x} ${y}) scale(${size})">
    <rect class="chip" x="8" y="16" width="84" height="68" rx="12"></rect>
    <text class="value ${brief.length > 3 ? "long" : ""}" x="50" y=${alone ? 63 : 53} aria-hidden="true">${brief}</text>
    ${alone ? nothing : svg`<text class="detail ${detail.length > 8 ? "long" : ""}" x="50" y="76" aria-hidden="true">${detail}</text>`}
  </g>`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 */
function piece(drawing, look, symbol, r, c) {
  const { game } = drawing;
  const { first, second } = game.sides;
  const place = placeOf(game, r, c, drawing.turned);
  const [x, y] = middleOf(place);
  if (drawing.counts) return stones(drawing.counts[r][c], place);
  const hole = look === "holes" ? svg`<circle class="hole" cx=${x} cy=${y} r="40"></circle>` : nothing;
  if (symbol === ".") return hole;
  const known = game.pieces?.[symbol];
  const side = known ? known.side : symbol === first.symbol ? "first" : symbol === second.symbol ? "second" : null;
  const classes = `piece ${side ?? ""} ${tone(game, side)}`;
  if (shapeOf(game) === "edges") {
    const box = r % 2 && c % 2;
    return box
      ? svg`<rect class="${classes} box" x=${place.x} y=${place.y} width=${place.w} height=${place.h}></rect>
          <text class="glyph" x=${x} y=${y + 18}>${known?.glyph ?? symbol}</text>`
      : line("drawn", place);
  }
  if (known) {
    const outline = outlineOf(known.glyph);
    if (outline) return svg`<path class="${classes} figure" transform="translate(${x - 50} ${y - 50})" d=${outline}></path>`;
    const crowned = DISCS.get(known.glyph);
    if (crowned === undefined) return svg`<text class="glyph ${classes}" x=${x} y=${y + 18}>${known.glyph}</text>`;
    return svg`<circle class=${classes} cx=${x} cy=${y} r="40"></circle><circle class="rim" cx=${x} cy=${y} r="29"></circle>
      ${crowned ? svg`<path class="crown ${tone(game, side)}" transform="translate(${x - 26} ${y - 27}) scale(0.52)" d=${outlineOf("♛") ?? ""}></path>` : nothing}`;
  }
  if (side !== null && (look === "paper" || look === "nested")) {
    return side === "first"
      ? svg`<path class="piece first" d="M${x - 27} ${y - 27}L${x + 27} ${y + 27}M${x + 27} ${y - 27}L${x - 27} ${y + 27}"></path>`
      : svg`<circle class="piece second" cx=${x} cy=${y} r="29"></circle>`;
  }
  if (side !== null && /^[a-z]$/.test(symbol)) {
    const name = drawing.small ? "" : cellName(game, r, c);
    const falls = look === "holes" && (drawing.pending === name || (drawing.fresh && drawing.last?.includes(name)));
    const radius = shapeOf(game) === "points" ? 43 : shapeOf(game) === "hexagons" ? 36 : 39;
    return svg`${hole}<circle class="${classes} ${falls ? `fall fall-${r}` : ""}" cx=${x} cy=${y} r=${radius}></circle>`;
  }
  return svg`<text class="glyph" x=${x} y=${y + 18}>${symbol}</text>`;
}

/** The angle from one stone to the next: they lie like the seeds of a sunflower. */
const TURN = 2.4;

/**
 * Stones in a pit, and how many they are.
 * @param {number} count
 * @param {import("./looks.js").Place} place
 */
function stones(count, place) {
  const [x, y, w, h] = hollow(place);
  const shown = Array.from({ length: count }, (_, index) => {
    const far = Math.sqrt((index + 0.5) / Math.max(count, 5));
    const at = [x + w / 2 + far * (w / 2 - 16) * Math.cos(index * TURN), y + h / 2 + far * (h / 2 - 16) * Math.sin(index * TURN)];
    return svg`<circle class="stone" cx=${at[0].toFixed(1)} cy=${at[1].toFixed(1)} r="11"></circle>`;
  });
  const level = place.y > 0 || place.h > 2 * place.w ? y + h + 34 : y - 10;
  return svg`${shown}<text class="count" x=${x + w / 2} y=${level} aria-hidden="true">${count}</text>`;
}

/**
 * @param {GameInfo} game
 * @param {string} symbol
 */
function contentOf(game, symbol) {
  if (symbol === ".") return null;
  if (game.pieces?.[symbol]) return game.pieces[symbol].name;
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
  const way = drawing.turned ? -1 : 1;
  /** @type {Record<string, [number, number]>} */
  const steps = { ArrowLeft: [0, -way], ArrowRight: [0, way], ArrowUp: [-way, 0], ArrowDown: [way, 0] };
  /** @type {Record<string, [number, number]>} */
  const ends = { Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? bottom : row, right] };
  const svg = /** @type {Element} */ (event.currentTarget);
  const at = (/** @type {number} */ r, /** @type {number} */ c) => svg.querySelector(`[data-row="${r}"][data-column="${c}"]`);
  if (event.key === "Enter" || event.key === " ") drawing.onPick?.(row, column);
  else if (steps[event.key] || ends[event.key]) {
    const [down, across] = steps[event.key] ?? (event.key === "Home" ? [0, 1] : [0, -1]);
    let [r, c] = ends[event.key] ?? [row + down, column + across];
    while (!at(r, c) && r >= 0 && c >= 0 && r <= bottom && c <= right) [r, c] = [r + down, c + across]; // over places without a cell
    const other = at(r, c);
    if (other instanceof SVGElement) other.focus();
  } else return;
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
