// The board on which one plays: cells to pick by pointer and keys, their names, and what moves are worth.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { bodyOf, classesOf, DENSE, disc, groundOf, groundUnder, hollow, lookOf, over, piece } from "./board.js";
import { CELL, cellName, isLow, isStore, middleOf, once, placeOf, shapeOf, sideOf, sizeOf } from "./looks.js";
import { text } from "./room_texts.js";
import { counted } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./values.js").Worth} Worth
 * @typedef {import("./board.js").Drawing} Drawing
 */

/** Around the cells, and where the frame has names. */
const MARGIN = 20;
const namesOf = (/** @type {GameInfo} */ game) => (lookOf(game) === "checkered" ? (small.matches ? 36 : MARGIN) : game.layout[0].length < DENSE && !game.board?.borders ? 46 : 66); // chequers have them inside, and a border is as wide as its stroke

/** Where names within the squares of a chessboard would lie under the pieces. */
const small = matchMedia("(max-width: 700px), (max-height: 500px)");

/** Beside a board of edges, for the values of those at its right. */
const CHIPS = 24;

/** The looks with a frame around the field. */
const FRAMED = new Set(["holes", "felt", "checkered", "other"]);

/** The names of columns and rows, if they make up the names of the cells, and whether each column is one move. */
export const edgesOf = once((game) => {
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
  return { columns: falls || named ? columns : null, rows: named && !falls ? rows : null, falls };
});

/** A finger that holds a piece does not scroll. What `touch-action` says of parts of a picture, not every browser heeds. */
const HELD = {
  passive: false,
  handleEvent: (/** @type {Event} */ event) => document.querySelector("[data-held]") && event.preventDefault(),
};

/** @param {Drawing} drawing */
export function grid(drawing) {
  const { game, rows, turned } = drawing;
  const { columns, rows: ranks, falls } = edgesOf(game);
  const [width, height] = sizeOf(game);
  const [look, shape] = [lookOf(game), shapeOf(game)];
  const aims = isAimed(drawing);
  const faces = rows.map((row, r) => [...row].map((symbol, c) => (cellName(game, r, c) === "" ? null : faceOf(drawing, symbol, r, c, aims))));
  const names = namesOf(game);
  const [left, top] = [ranks ? names : MARGIN, MARGIN];
  const [right, bottom] = [shape === "edges" ? CHIPS : MARGIN, columns ? names : MARGIN];
  const [wide, high] = [width + left + right, height + top + bottom];
  const framed = shape === "squares" && FRAMED.has(look);
  const inset = look === "holes" ? 8 : 0;
  const within = look === "checkered" && !small.matches ? [38, 26, 23, 32] : [0, 0, 0, 0];
  return html`<svg
    class=${classesOf(drawing)}
    viewBox="${-left} ${-top} ${wide} ${high}"
    role="grid"
    aria-label=${drawing.label ?? text.board(game.title)}
    aria-rowcount=${rows.length}
    aria-colcount=${rows[0].length}
    @click=${(/** @type {Event} */ event) => picked(event, drawing)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => keyed(event, drawing)}
    @focusin=${(/** @type {Event} */ event) => focused(event, drawing)}
    @keyup=${hover}
    @touchmove=${HELD}
    @pointerdown=${(/** @type {PointerEvent} */ event) => drawing.onPress?.(event, drawing)}
    @pointerover=${hover}
    @pointerleave=${hover}
  >
    <rect class=${framed || shape === "pits" ? "frame" : "field"} x=${-left} y=${-top} width=${wide} height=${high} rx="22"></rect>
    ${framed ? svg`<rect class="field" x=${-inset} y=${-inset} width=${width + 2 * inset} height=${height + 2 * inset} rx=${inset * 2}></rect>` : nothing}
    ${groundUnder(game)} ${look === "holes" ? plate(game) : nothing}
    ${columns ? columns.map((name, c) => {
      const foot = placeOf(game, turned ? 0 : rows.length - 1, c, turned);
      return edge(name, middleOf(foot)[0] + within[0], foot.y + foot.h + names / 2 + (game.board?.borders ? 15 : 9) - within[1]);
    }) : nothing}
    ${ranks ? ranks.map((name, r) => edge(name, leftOf(game, r) - names / 2 - (game.board?.borders ? 7 : 1) + within[2], middleOf(placeOf(game, r, 0, turned))[1] + 8 - within[3])) : nothing}
    ${rows.map((_, r) => svg`<g role="row" aria-rowindex=${r + 1}>${faces[r].map((face, c) => (face ? square(drawing, look, face, r, c) : nothing))}</g>`)}
    ${values(drawing, faces)} ${over(drawing)}
    ${falls && drawing.mover && drawing.options ? ghost(game, drawing.mover, rows.length) : nothing}
  </svg>`;
}

/** What a disc that falls behind the plate is seen through. */
const plate = once((game) => {
  const holes = game.layout.flatMap((row, r) => row.map((_, c) => middleOf(placeOf(game, r, c))));
  return svg`<clipPath id="holes"><path d=${holes.map(([x, y]) => `M${x - 43} ${y}a43 43 0 1 0 86 0a43 43 0 1 0 -86 0`).join("")}></path></clipPath>`;
});

/**
 * Where a row begins: those of hexagons are indented.
 * @param {GameInfo} game
 * @param {number} r
 */
const leftOf = (game, r) => (shapeOf(game) === "hexagons" ? placeOf(game, r, 0).x : 0);

/** The height and the width of a board with its frame, as one is to the other. */
export const ratioOf = (/** @type {GameInfo} */ game) => {
  const { columns, rows } = edgesOf(game);
  const [width, height] = sizeOf(game);
  const names = namesOf(game);
  return (width + (rows ? names : MARGIN) + (shapeOf(game) === "edges" ? CHIPS : MARGIN)) / (height + MARGIN + (columns ? names : MARGIN));
};

/**
 * Where a disc would land, in the column that the pointer or the focus is in.
 * @param {GameInfo} game
 * @param {Side} mover
 * @param {number} count of rows
 */
function ghost(game, mover, count) {
  return svg`<g class="ghost"><rect x="2" y="-4" width="96" height=${count * CELL + 8} rx="44"></rect>${disc(bodyOf(game, mover), 50, 50, 42)}</g>`;
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
 * What a cell shows: `inside` is another if anything in it is to be drawn anew.
 * @typedef {{symbol: string, classes: string, label: string, focus: boolean, open: boolean, unnamed: boolean, aimed: boolean, hinted: boolean, fresh: boolean,
 *            inside: string, worth: Worth | undefined}} Face
 */

/**
 * @param {Drawing} drawing
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 * @param {boolean} aims whether empty cells that can be picked are marked
 * @returns {Face}
 */
function faceOf(drawing, symbol, r, c, aims) {
  const { game, options, path, rows } = drawing;
  const name = cellName(game, r, c);
  const part = game.layout[r][c];
  const { columns, falls } = edgesOf(game);
  const shape = shapeOf(game);
  const lands = !falls || isLanding(rows, r, c);
  const option = options?.get(part) ?? options?.get(name);
  const open = option !== undefined;
  const empty = symbol === ".";
  const begun = Boolean(path?.length);
  const worth = (empty || drawing.counts || (open && begun)) && lands ? drawing.worth?.get(part) ?? drawing.worth?.get(name) : undefined;
  const [last, pending] = [drawing.last?.includes(name), drawing.pending === name];
  let classes = shape === "edges" && r % 2 && c % 2 ? "cell area" : "cell";
  if (open) classes += falls && lands ? " open landing" : " open";
  if (!empty && (option?.more || (options && begun && sideOf(game, symbol) === drawing.mover))) classes += " movable";
  if (path?.includes(part) || path?.includes(name) || drawing.chosen === name) classes += " picked";
  if (last) classes += " last";
  if (drawing.line?.includes(name)) classes += " in-line";
  if (drawing.threatened === name) classes += " threatened";
  if (pending) classes += " pending";
  if (worth) classes += drawing.numbers && worth.few ? " worth few" : " worth";
  const unnamed = columns === null && ((shape === "squares" && empty && !(worth && (worth.rank || drawing.numbers))) || (shape === "pits" && !isStore(game, c)));
  const [aimed, hinted] = [aims && open && empty && !begun && !worth, open && begun];
  const focus = drawing.focus === name;
  const told = !drawing.stale && (worth?.rank || worth?.few || focus || rows[0].length < DENSE); // a large board would have hundreds to tell
  const count = drawing.counts?.[r]?.[c];
  const content = count === undefined ? contentOf(game, symbol) : counted(count, game.measure?.one ?? "stone", game.measure?.many);
  const fresh = Boolean(pending || (last && drawing.fresh));
  return {
    symbol, classes, focus, open, unnamed, aimed, hinted, fresh, worth,
    label: text.cell(name, r + 1, c + 1, content, told ? worth?.spoken : undefined),
    inside: `${symbol}${count} ${unnamed} ${aimed} ${hinted} ${fresh}`,
  };
}

/**
 * A cell, which is drawn anew only if it has changed, where the drawing can keep it: a board may have hundreds.
 * @param {Drawing} drawing
 * @param {string} look
 * @param {Face} face
 * @param {number} r
 * @param {number} c
 */
function square(drawing, look, face, r, c) {
  const { game, turned, keep } = drawing;
  const { classes, label, focus, open } = face;
  const draw = () => svg`<g
    class=${classes} data-cell=${cellName(game, r, c)} data-row=${r} data-column=${c} aria-colindex=${c + 1}
    role="gridcell" tabindex=${focus ? 0 : -1} aria-label=${label} aria-disabled=${open ? nothing : "true"}
  >${inside(drawing, look, face, r, c)}</g>`;
  return keep ? keep(game, `${face.inside} ${turned} ${classes} ${focus} ${open} ${label}`, draw) : draw();
}

/**
 * What is in a cell.
 * @param {Drawing} drawing
 * @param {string} look
 * @param {Face} face
 * @param {number} r
 * @param {number} c
 */
function inside(drawing, look, { symbol, unnamed, aimed, hinted, fresh }, r, c) {
  const { game, turned } = drawing;
  const place = placeOf(game, r, c, turned);
  const { x, y, h } = place;
  const [middle, level] = middleOf(place);
  const shape = shapeOf(game);
  return svg`${groundOf(game, r, c, place)}
    ${unnamed ? svg`<text class="name" x=${x + 20} y=${y + (shape === "pits" && isLow(place) ? h - 10 : 30)} aria-hidden="true">${cellName(game, r, c)}</text>` : nothing}
    <g class="stand" clip-path=${fresh && look === "holes" ? "url(#holes)" : nothing}>${piece(drawing, look, symbol, r, c)}</g>
    ${aimed ? svg`<circle class="target" cx=${middle} cy=${level} r="15"></circle>` : nothing}
    ${hinted ? svg`<circle class=${symbol === "." ? "hint" : "hint taken"} cx=${middle} cy=${level} r=${symbol === "." ? 14 : 44}></circle>` : nothing}
    ${surround(shape, look, place)}`;
}

/**
 * Whether the rules leave only some of the empty cells, which are marked then.
 * @param {Drawing} drawing
 */
function isAimed({ game, rows, options }) {
  if (!options || lookOf(game) === "nested" || edgesOf(game).falls || shapeOf(game) === "edges" || shapeOf(game) === "pits") return false;
  let empty = 0;
  for (const row of rows) for (const symbol of row) if (symbol === ".") empty++;
  return options.size < empty;
}

/**
 * What shows that a cell is picked, or has the focus.
 * @param {string} shape
 * @param {string} look
 * @param {import("./looks.js").Place} place
 */
function surround(shape, look, place) {
  const [x, y, w, h] = shape === "pits" ? hollow(place) : [place.x + 4, place.y + 4, place.w - 8, place.h - 8];
  const round = shape === "pits" || shape === "points" || look === "holes" || look === "felt";
  return svg`<rect class="around" x=${x} y=${y} width=${w} height=${h} rx=${round ? 44 : 8}></rect>`;
}

/**
 * Where the worth of a move is shown: the middle, and how large.
 * @param {string} shape
 * @param {import("./looks.js").Place} place
 * @returns {[number, number, number]}
 */
function spotOf(shape, place) {
  const [x, y, w, h] = shape === "pits" ? hollow(place) : [place.x, place.y, place.w, place.h];
  if (shape === "pits") return [x + w / 2, isLow(place) ? y + 36 : y + h - 36, 0.85]; // most of the stones stay in sight
  return [x + w / 2, y + h / 2, shape === "edges" ? 0.5 : 1];
}

/** How many dots a board has at most: more tell nothing. */
export const DOTS = 40;

/** @type {Worth["kind"][]} */
const KINDS = ["good", "even", "bad"];

/**
 * What moves are worth: a chip for each of the best few, in the order of their ranks, so that from one position to the next little
 * of them changes; and for the others dots, if they are few, larger for better ones: a path for each kind.
 * @param {Drawing} drawing
 * @param {(Face | null)[][]} faces
 */
function values(drawing, faces) {
  const { game, numbers, rows } = drawing;
  const shape = shapeOf(game);
  const dots = { good: "", even: "", bad: "" };
  let count = 0;
  /** @type {{worth: Worth, chip: unknown}[]} */
  const chips = [];
  faces.forEach((row, r) => row.forEach((face, c) => {
    if (!face?.worth) return;
    const { worth } = face;
    const name = cellName(game, r, c);
    const dense = rows[0].length >= DENSE && drawing.chosen !== name;
    const [middle, level, scale] = spotOf(shape, placeOf(game, r, c, drawing.turned));
    if (numbers ? !dense || worth.few : worth.rank) {
      const at = `translate(${middle - 50 * scale} ${level - 50 * scale}) scale(${scale})`;
      chips.push({ worth, chip: svg`<g class="chip ${worth.kind} ${worth.best ? "best" : ""}" data-of=${name} transform=${at}>${numbers ? figures(worth, dense) : ranked(placeFor(game.layout[r][c], worth.rank))}</g>` });
      return;
    }
    count++;
    const radius = Math.round(scale * (8 + 12 * worth.size));
    dots[worth.kind] += `M${middle - radius} ${level}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }));
  chips.sort((one, other) => one.worth.rank - other.worth.rank);
  return svg`${count > DOTS ? nothing : KINDS.map((kind) => svg`<path class="tint ${kind}" d=${dots[kind]}></path>`)}${chips.map(({ chip }) => chip)}`;
}

/**
 * The rank of a move; where moves are numbers themselves it looks otherwise.
 * @param {string} move
 * @param {number} rank
 */
export const placeFor = (move, rank) => (/^\d+$/.test(move) ? ["", "1st", "2nd", "3rd"][rank] ?? `${rank}th` : String(rank));

/** @param {string} rank */
const ranked = (rank) => svg`<rect x="16" y="16" width="68" height="68" rx="14"></rect><text class=${rank[1] ? "value long" : ""} x="50" y=${rank[1] ? 59 : 66} aria-hidden="true">${rank}</text>`;

/**
 * @param {Worth} worth
 * @param {boolean} dense
 */
function figures({ label, detail }, dense) {
  const alone = dense || !detail;
  const brief = label.replace(/\d{4,}/, (digits) => `${Math.round(Number(digits) / 1000)}k`); // the cell has no room for more
  return svg`<rect x="8" y="16" width="84" height="68" rx="14"></rect>
    <text class="value ${brief.length > 3 ? "long" : ""}" x="50" y=${alone ? 62 : 53} aria-hidden="true">${brief}</text>
    ${alone ? nothing : svg`<text class="detail ${detail.length > 8 ? "long" : ""}" x="50" y="75" aria-hidden="true">${detail}</text>`}`;
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
 * A cell has the focus by the keyboard: one that is clicked has it when it is picked.
 * @param {Event} event
 * @param {Drawing} drawing
 */
function focused(event, drawing) {
  const cell = cellOf(event);
  const name = cell?.dataset.cell;
  if (name !== undefined && name !== drawing.focus && cell?.matches(":focus-visible")) drawing.onFocus?.(name);
}

/**
 * Enter and space pick a cell; the arrows, Home and End move over the board, unless it is used by pointer.
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
  else if (!cell.closest(".pointed") && (steps[event.key] || ends[event.key])) {
    const [down, across] = steps[event.key] ?? (event.key === "Home" ? [0, 1] : [0, -1]);
    let [r, c] = ends[event.key] ?? [row + down, column + across];
    while (!at(r, c) && r >= 0 && c >= 0 && r <= bottom && c <= right) [r, c] = [r + down, c + across]; // over places without a cell
    const other = at(r, c);
    if (other instanceof SVGElement) other.focus();
  } else return;
  event.preventDefault();
}

/**
 * Show the column that the pointer or the focus is in, and where the disc would land, if it may be dropped there.
 * @param {Event} event
 */
function hover(event) {
  const board = /** @type {Element} */ (event.currentTarget);
  const ghost = board.querySelector(".ghost");
  if (!ghost) return;
  const column = cellOf(event)?.dataset.column;
  const landing = column === undefined ? null : board.querySelector(`.landing[data-column="${column}"]`);
  ghost.toggleAttribute("data-shown", landing !== null);
  if (!(landing instanceof SVGElement)) return;
  ghost.setAttribute("transform", `translate(${Number(column) * CELL} 0)`);
  ghost.querySelector(".piece")?.setAttribute("transform", `translate(0 ${Number(landing.dataset.row) * CELL})`);
}
