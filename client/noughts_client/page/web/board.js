// The board as an SVG, drawn from what a game says of itself and from a position. No game is known by its key.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import {
  around, arrow, borders, cellName, chequers, cropped, dots, hexagon, isLow, joined, lines, middleOf, nested, once, placeOf, shapeOf, sideOf, smallBoards, winning,
} from "./looks.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./moves.js").Option} Option
 * @typedef {import("./values.js").Worth} Worth
 * @typedef {{game: GameInfo, rows: string[], options?: Map<string, Option>, path?: string[], chosen?: string | null,
 *            pending?: string | null, last?: string[], fresh?: boolean, line?: string[], worth?: Map<string, Worth>,
 *            numbers?: boolean, stale?: boolean, over?: boolean, focus?: string | null, mover?: Side | null, small?: boolean, tight?: boolean,
 *            counts?: number[][], turned?: boolean, way?: string[], threatened?: string | null,
 *            onPick?: (row: number, column: number) => void, onPress?: (press: PointerEvent, drawing: Drawing) => void,
 *            onFocus?: (name: string) => void, label?: string, marks?: unknown,
 *            keep?: typeof import("./store.js").keep, gather?: (classes: string, ...disc: [number, number, number]) => void}} Drawing
 *
 * `options` can be picked, after `path`; `chosen` is a cell whose move is to be confirmed, `pending` one whose move is
 * not confirmed by the server. `last` are the cells of the last move, which is `fresh` if it was just played. `worth` is
 * by move, shown by rank or in `numbers`, and `stale` if it is that of an earlier position. `mover` is the side whose disc
 * shows where it would land. `way` are the cells of the best move, if it goes through several. `threatened` is a king in check.
 * `marks` are drawn over it. `turned`: the board is turned round, for the side that is at the top of the layout. `tight`: a
 * picture that is as high as it is wide only if the board is. `keep` draws a cell only if it has changed. `gather` takes the middle and
 * the radius of what is round, if that is drawn with others.
 */

/** From this width on a cell has no room for numbers but those of the best moves. */
export const DENSE = 12;

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

/**
 * Whether the board is turned round, so that the side that I play is at the bottom.
 * @param {GameInfo} game
 * @param {Side | null} [mine]
 */
export function isTurned(game, mine) {
  const bottom = game.board?.bottom;
  return Boolean(bottom && mine && bottom !== mine);
}

/**
 * A picture of a position. Cells that can be picked are in grid.js.
 * @param {Drawing} drawing
 */
export function board(drawing) {
  const { game, rows } = drawing;
  const look = lookOf(game);
  /** @type {Map<string, [number, number, number][]>} */
  const round = new Map();
  const gather = (/** @type {string} */ classes, /** @type {[number, number, number]} */ ...disc) =>
    void (round.get(classes)?.push(disc) ?? round.set(classes, [disc]));
  const picture = { ...drawing, small: true, gather };
  const [x, y, wide, high = wide] = cropped(drawing);
  const inset = shapeOf(game) === "pits" ? (game.upright ? 0 : 14) - y : 0; // such a board is long: it lies on a table
  const cells = rows.map((row, r) => [...row].map((symbol, c) => (cellName(game, r, c) === "" ? nothing : still(picture, look, symbol, r, c))));
  const hexagons = shapeOf(game) === "hexagons" ? rows.flatMap((row, r) => [...row].map((_, c) => hexagon(placeOf(game, r, c)))).join("") : "";
  return html`<svg class="${classesOf(drawing)} small" viewBox="${x} ${y} ${wide} ${high}" role="img" aria-label=${drawing.label ?? text.board(game.title)}>
    <rect class="field" x=${x} y=${y + inset} width=${wide} height=${high - 2 * inset} rx=${inset ? 60 : 0}></rect>
    ${groundUnder(game)} ${hexagons ? svg`<path class="square" d=${hexagons}></path>` : nothing} ${[...round].map(([classes, places]) => discs(classes, places))} ${cells} ${over(drawing)}
  </svg>`;
}

/**
 * The discs of a kind, or the holes, with a path for all: a view may have a dozen pictures of boards with a hundred each.
 * @param {string} classes
 * @param {[number, number, number][]} places the middles and radii
 */
function discs(classes, places) {
  const path = (down = 0, share = 1) =>
    places.map(([x, y, r]) => `M${x - r * share} ${y + down}a${r * share} ${r * share} 0 1 0 ${2 * r * share} 0a${r * share} ${r * share} 0 1 0 ${-2 * r * share} 0`).join("");
  if (!classes.includes("piece")) return svg`<path class=${classes} d=${path()}></path>`;
  return svg`<g class=${classes}><path class="shade" d=${path(3)}></path><path d=${path()}></path><path class="rim" d=${path(0, 0.7)}></path>
    ${places.map(([x, y]) => (classes.includes("last") ? svg`<circle class="spot" cx=${x} cy=${y} r="17"></circle>` : nothing))}</g>`;
}

/** @param {Drawing} drawing */
export function classesOf({ game, rows, line, stale }) {
  const few = rows[0].length < FEW ? "few" : rows[0].length < DENSE ? "" : "dense";
  return `board look-${lookOf(game)} shape-${shapeOf(game)} ${few} ${(line?.length ?? 0) > 1 ? "decided" : ""} ${stale ? "stale" : ""}`;
}

/** What is below the cells. */
export const groundUnder = once((game) => {
  const [look, shape] = [lookOf(game), shapeOf(game)];
  const [wide, high] = [game.layout[0].length, game.layout.length];
  const plain = shape === "squares" && (look === "felt" || look === "other");
  return svg`${look === "checkered" ? chequers(game) : shape === "points" ? joined(game) : look === "nested" ? nested() : nothing}
    ${lines("rules", look === "paper" || plain ? 1 : 0, wide, high)} ${borders(game, (side) => bodyOf(game, side))}`;
});

/**
 * What is over the cells.
 * @param {Drawing} drawing
 */
export function over(drawing) {
  const { game, rows } = drawing;
  const look = lookOf(game);
  return svg`${look === "nested" ? nothing : lines("between", game.block, rows[0].length, rows.length)}
    ${look === "nested" ? smallBoards(drawing) : shapeOf(game) === "edges" ? dots(game) : nothing} ${winning(drawing)} ${arrow(drawing)} ${drawing.marks ?? nothing}`;
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
  const name = cellName(drawing.game, r, c);
  const classes = `still ${drawing.last?.includes(name) ? "last" : ""} ${drawing.line?.includes(name) ? "in-line" : ""}`;
  const ground = shape === "pits" ? groundOf(drawing.game, r, c, place) : nothing;
  const drawn = symbol === "." && ground === nothing && look !== "holes" ? nothing : piece({ ...drawing, gather: (kind, ...disc) => drawing.gather?.(kind.startsWith("piece") ? `${classes} ${kind}` : kind, ...disc) }, look, symbol, r, c);
  return drawn === nothing && ground === nothing ? nothing : svg`<g class=${classes}>${ground}${drawn}</g>`;
}

/**
 * What takes the clicks of a cell, and shows where it is.
 * @param {GameInfo} game
 * @param {number} r
 * @param {number} c
 * @param {import("./looks.js").Place} place
 */
export function groundOf(game, r, c, place) {
  const { x, y, w, h } = place;
  const shape = shapeOf(game);
  if (shape === "hexagons") return svg`<path class="square" d=${hexagon(place)}></path>`;
  if (shape === "edges" && !(r % 2 && c % 2)) return svg`<path class="square" d=${around(place)}></path>${line("slot", place)}`;
  if (shape === "pits") {
    const [dx, dy, dw, dh] = hollow(place);
    const side = sideOf(game, cellName(game, r, c)); // a store may have the name of the side that owns it
    return svg`<rect class="square ${side ? bodyOf(game, side) : ""}" x=${dx} y=${dy} width=${dw} height=${dh} rx="44"></rect>`;
  }
  return svg`<rect class="square" x=${x} y=${y} width=${w} height=${h}></rect>`;
}

/**
 * An edge between two dots.
 * @param {string} name
 * @param {import("./looks.js").Place} place
 */
export function line(name, { x, y, w, h }) {
  const [dx, dy] = w > h ? [-7, 8] : [8, -7];
  return svg`<rect class=${name} x=${x + dx} y=${y + dy} width=${w - 2 * dx} height=${h - 2 * dy} rx="6"></rect>`;
}

/**
 * Where the stones of a pit lie: left, top, width and height. The rest of its place has their number.
 * @param {import("./looks.js").Place} place
 */
export function hollow(place) {
  const { x, y, w, h } = place;
  if (w > h) return [x + 6, y + 8, w - 94, h - 16];
  const top = isLow(place) ? 6 : 44; // the numbers are outside: those of the upper row above, those of the lower row below
  return [x + 6, y + top, w - 12, h - 50 - (h > 2 * w ? 38 : 0)];
}

/**
 * A round piece with its rim, and the ring that marks the last move.
 * @param {string} classes
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {unknown} [crown]
 */
export function disc(classes, x, y, r, crown = nothing) {
  return svg`<g class=${classes}><circle class="shade" cx=${x} cy=${y + 3} r=${r}></circle><circle cx=${x} cy=${y} r=${r}></circle
    ><circle class="rim" cx=${x} cy=${y} r=${r * 0.7}></circle>${crown}<circle class="spot" cx=${x} cy=${y} r="17"></circle></g>`;
}

/**
 * A cross, or a nought.
 * @param {string} classes
 * @param {Side} side
 * @param {number} x
 * @param {number} y
 */
function written(classes, side, x, y) {
  return side === "first"
    ? svg`<path class="${classes} lines" d="M${x - 25} ${y - 25}L${x + 25} ${y + 25}M${x + 25} ${y - 25}L${x - 25} ${y + 25}"></path>`
    : svg`<circle class="${classes} lines" cx=${x} cy=${y} r="27"></circle>`;
}

/**
 * The classes of what has the colour of a side.
 * @param {GameInfo} game
 * @param {Side} side
 */
export function bodyOf(game, side) {
  return `piece ${side} ${tone(game, side)}`;
}

/**
 * The piece of a side, for its player's line: 100 wide.
 * @param {GameInfo} game
 * @param {Side} side
 */
export function markOf(game, side) {
  const classes = bodyOf(game, side);
  const look = lookOf(game);
  const letters = look === "paper" || look === "nested";
  return html`<svg class="mark" viewBox="0 0 100 100" aria-hidden="true">${letters ? written(classes, side, 50, 50) : disc(classes, 50, 50, 46)}</svg>`;
}

/**
 * @param {Drawing} drawing
 * @param {string} look
 * @param {string} symbol
 * @param {number} r
 * @param {number} c
 */
export function piece(drawing, look, symbol, r, c) {
  const { game } = drawing;
  const place = placeOf(game, r, c, drawing.turned);
  const [x, y] = middleOf(place);
  if (drawing.counts) return stones(drawing.counts[r][c], place, Boolean(drawing.small));
  const { gather } = drawing;
  const round = (/** @type {string} */ kind, /** @type {number} */ radius, /** @type {unknown} */ crown = nothing) => {
    if (!gather) return disc(kind, x, y, radius, crown);
    gather(kind, x, y, radius);
    return crown;
  };
  if (gather && look === "holes") {
    gather("hole-edge", x, y, 43);
    gather("hole", x, y + 2.5, 40);
  }
  const hole = look === "holes" && !gather ? svg`<circle class="hole-edge" cx=${x} cy=${y} r="43"></circle><circle class="hole" cx=${x} cy=${y + 2.5} r="40"></circle>` : nothing;
  if (symbol === ".") return hole;
  const known = game.pieces?.[symbol];
  const side = sideOf(game, symbol);
  const classes = `piece ${side ?? ""} ${tone(game, side)}`;
  if (shapeOf(game) === "edges") {
    const box = r % 2 && c % 2;
    return box
      ? svg`<rect class="${classes} box" x=${place.x - 8} y=${place.y - 8} width=${place.w + 16} height=${place.h + 16}></rect>
          <text class="glyph" x=${x} y=${y + 14}>${known?.glyph ?? symbol}</text>`
      : line("piece drawn", place);
  }
  if (known) {
    const outline = outlineOf(known.glyph);
    if (outline) return svg`<path class="${classes} figure" transform="translate(${x - 45} ${y - 45}) scale(0.9)" d=${outline}></path>`;
    const crowned = DISCS.get(known.glyph);
    if (crowned === undefined) return svg`<text class="glyph ${classes}" x=${x} y=${y + 18}>${known.glyph}</text>`;
    const crown = svg`<path class="crown" transform="translate(${x - 26} ${y - 27}) scale(0.52)" d=${outlineOf("♛") ?? ""}></path>`;
    return round(classes, 40, crowned ? crown : nothing);
  }
  if (side !== null && (look === "paper" || look === "nested")) return written(classes, side, x, y);
  if (side !== null && /^[a-z]$/.test(symbol)) {
    const name = drawing.small ? "" : cellName(game, r, c);
    const falls = look === "holes" && (drawing.pending === name || (drawing.fresh && drawing.last?.includes(name)));
    const radius = shapeOf(game) === "points" ? 44 : shapeOf(game) === "hexagons" ? 36 : look === "holes" ? 42 : 41;
    const body = round(falls ? `${classes} fall fall-${r}` : classes, radius);
    return gather ? body : svg`${hole}${body}`;
  }
  return svg`<text class="glyph" x=${x} y=${y + 18}>${symbol}</text>`;
}

/** The angle from one stone to the next: they lie like the seeds of a sunflower. */
const TURN = 2.4;

/** The shades of stones, in turn. */
const SHADES = ["", "second", "third"];

/**
 * Stones in a pit, and how many they are.
 * @param {number} count
 * @param {import("./looks.js").Place} place
 * @param {boolean} small
 */
function stones(count, place, small) {
  const [x, y, w, h] = hollow(place);
  const shown = Array.from({ length: count }, (_, index) => {
    const far = Math.sqrt((index + 0.5) / Math.max(count, 5));
    const at = [x + w / 2 + far * (w / 2 - 16) * Math.cos(index * TURN), y + h / 2 + far * (h / 2 - 16) * Math.sin(index * TURN)];
    return svg`<circle class="stone ${SHADES[index % 3]}" cx=${at[0].toFixed(1)} cy=${at[1].toFixed(1)} r="11.5"></circle>`;
  });
  if (small) return svg`${shown}`;
  const [middle, level] = place.w > place.h ? [x + w + 44, y + h / 2 + 12] : [x + w / 2, isLow(place) || place.h > 2 * place.w ? y + h + 34 : y - 10];
  return svg`${shown}<text class="count" x=${middle} y=${level} aria-hidden="true">${count}</text>`;
}

/**
 * Pictures of pieces, by the character that stands for them. Those of chess are the outlines of DejaVu Sans 2.37, whose
 * licence allows any use; white pieces have the same outlines as black ones. Each fills a cell 100 wide.
 * @type {Map<string, string>}
 */
const OUTLINES = new Map([
  // king
  ["♚", "M46.1 37.6q0-.2.1-.3-1.9-2.5-4.8-4-4.1-2.3-8.5-2.3-4.4 0-8.5 2.2-4.2 2.3-6.5 6.5-2.4 4.2-2.4 8.7 0 4.5 2.3 8.6 2.3 4.1 6.5 6.4 1.2.7 2.5 1.2h19.3zm7.9 27h19.2q1.3-.5 2.6-1.2 4.1-2.3 6.4-6.4 2.3-4.1 2.3-8.6 0-4.5-2.4-8.7-2.3-4.2-6.4-6.5-4.1-2.2-8.6-2.2-4.3 0-8.5 2.3-2.9 1.5-4.8 4 .1.1.2.3zm-25.2 5.8v17h42.5v-17zm-4.6 21.5v-21.5q-2.4-.7-4.5-2-3.9-3-6.9-8.5-3.1-5.5-3.1-11.5 0-6.1 3.1-11.6 3.1-5.6 8.7-8.5 5.5-3 11.4-3 4.5 0 8.7 1.7v-.1q0-2 1-3.8 1.1-1.7 2.9-2.7.7-.4 1.6-.7v-3h-6.1v-3.9h6.1v-4.9h5.9v4.9h6v3.9h-6v3q.9.3 1.6.7 1.7 1 2.8 2.7 1 1.8 1 3.8v.1q4.3-1.7 8.7-1.7 5.9 0 11.4 3 5.6 2.9 8.7 8.5 3.1 5.5 3.1 11.6 0 6-3.1 11.5-3 5.5-6.8 8.5-2.2 1.3-4.5 2v21.5zm20.6-64.5q0 1.4.7 2.6.7 1.2 1.9 1.9 1.3.7 2.6.7 1.3 0 2.6-.7 1.3-.7 1.9-1.9.7-1.2.7-2.6 0-1.4-.7-2.6-.6-1.3-1.9-1.9-1.3-.7-2.6-.7-1.3 0-2.6.7-1.2.6-1.9 1.9-.7 1.2-.7 2.6zm23.6 45.9v11.2h-36.7v-11.2zm-25.1-11.6h-15.8q-1-.4-1.9-1-3.5-1.9-5.3-5.3-1.9-3.4-1.9-7.1 0-3.7 2-7.2 1.9-3.5 5.2-5.3 3.3-1.9 6.9-1.9 3.5 0 6.9 1.8 2.3 1.3 4 3.4-.1.1-.1.2zm13.5-22.4q0-.1-.1-.2 1.6-2.1 3.9-3.4 3.4-1.8 6.9-1.8 3.6 0 7 1.9 3.3 1.8 5.2 5.3 1.9 3.5 1.9 7.2 0 3.7-1.8 7.1-1.9 3.4-5.3 5.3-1 .6-2 1h-15.7z"],
  // queen
  ["♛", "M17.2 34.7q-5.4-.1-6.1-5.5 0-1.5.9-3 .8-1.4 2.3-2.2 1.5-.8 3.1-.8 1.6 0 3.1.8 1.5.8 2.3 2.2.8 1.5.8 3-.2 3.6-3.4 4.9l13.4 28.4-2.9-39.5q-4.7 0-5.7-5.2 0-1.5.8-2.9.8-1.5 2.3-2.2 1.5-.8 3.3-.8 1.5 0 3 .8 1.5.7 2.3 2.2.8 1.4.8 2.9-.1 2.6-2.7 4.5l10.7 42 2.4-46.1q-3.8-1.7-3.9-4.4 0-1.5.8-3 .9-1.5 2.4-2.2 1.5-.7 3-.7 1.6 0 3.1.7 1.5.7 2.3 2.2.9 1.5.9 3-.2 3.1-4 4.4l2.2 46.2 10.3-41.6q-2.5-2.6-2.5-5 0-1.5.8-2.9.8-1.5 2.3-2.2 1.5-.8 3-.8 1.7 0 3.2.8 1.6.7 2.4 2.2.8 1.4.8 2.9-.6 4.8-5.5 5.7l-5.1 39 14.4-29q-2.4-1.9-2.4-4.3 0-1.5.8-3 .8-1.4 2.3-2.2 1.5-.7 3.1-.7 1.7 0 3.1.7 1.5.8 2.3 2.2.9 1.5.9 3-.8 5.3-6.3 5.3l-9 26v31.4h-48.4v-31.4zm53.2 37.2v-4.4h-40.8v4.4zm0 16.7v-4.4h-40.8v4.4z"],
  // rook
  ["♜", "M68 27v-5.3h-35.9v5.3zm4.2 54.8v-6.2h-44.3v6.2zm-30.1-73.8h15.5v8.7h9.6v-8.7h15.2v9.1h-6.5v8.1l-5.2 8.4v32.9l5.2 8.3v8h6.5v9.2h-64.8v-9.2h6.5v-8l5.2-8.5h.1v-32.6h-.1l-5.2-8.5v-8.1h-6.5v-9.1h14.9v8.7h9.6zm37.2 80.9v-3.1h-58.5v3.1z"],
  // bishop
  ["♝", "M36.9 63q0-3.3 1.8-6.3.4-1 1-1.8-3.3-2.1-5.4-5.6-2.3-4.1-2.3-8.6v-.2q0-4.5 2.3-8.6 2.4-4.2 6.8-6.5 1.6-.8 3.3-1.4-1.5-1-2.4-2.6-1.3-2.2-1.3-4.5 0-2.4 1.3-4.5 1.3-2.2 3.5-3.3 2.1-1.2 4.5-1.2 2.3 0 4.5 1.2 2.2 1.1 3.4 3.3 1.3 2.1 1.3 4.5 0 2.3-1.2 4.5-.9 1.6-2.3 2.7 1.5.5 3.2 1.3 4.3 2.3 6.8 6.5 2.3 4.1 2.4 8.6v.2q-.1 4.5-2.4 8.6-2.1 3.5-5.4 5.6.6.8 1.1 1.8 1.7 3 1.7 6.3 0 3.3-1.8 6.3l15.7 22.6h-54l15.3-22.7q-1.4-3-1.4-6.2zm16.4-12.6v-6.9h9.7v-6.1h-9.7v-6.9h-6.6v6.9h-9.7v6.1h9.7v6.9z"],
  // knight
  ["♞", "M42.8 21.5q2.1-1.3 2.1-3.5 0-1.4-.9-3-.8-1.6-.8-2.8 0-2.6 3.3-4.3 4.7 4.5 5.2 7 .4 2.5.4 3.3 0 2.6-1.9 3.3h.2q0 0-.1 0 30.1 19.1 32.6 70.4h-54.5q-.7-3.2-.7-6.4 0-9 11.4-16.9 11.3-8 11.3-14.3 0-.5 0-.9-3.7 9.4-10.3 9.4 0 0-.5 0-5.1 8.2-10.9 8.2-.2 0-.4 0l2.7-5.8-6 4.5q-6.4-1.6-7.9-6.3 4.9-12.8 4.9-23.5 0-1.5-.1-3 2.7-6.1 8.3-11.9.1-.6.1-1.1 0-1.6-1.2-2.3-1.3-.7-1.3-2.7 0-2.1 1.1-5.8 5.9 1.5 9 8.4zm-14.4 14.3v.9q.2 1.7.7 1.7h1.1q3.9 0 3.9-2.8 0-1.9 2.4-4.6h-.3q-5.4 0-7.5 3.6zm-6.1 25.3v1.3q0 1.6 1.5 1.6h.6q4-.8 4-3.8l-.4-1.9q-3.4 0-5.7 2.8zm27.9-35.1m2.9 5q21.1 15.1 21.4 58h4.4q-2.6-47.8-28.7-63z"],
  // pawn
  ["♟", "M16.2 91.9q-.6-3.2-.6-6.4 0-9 4.6-17.2 4.6-8.2 12.8-12.6 2.1-1.2 4.4-2.1-1.7-1.6-2.9-3.7-2.3-4.2-2.3-8.8 0-4.7 2.4-8.9 2.3-4.3 6.7-6.6 1.5-.8 3.1-1.4-1.4-1-2.3-2.7-1.3-2.2-1.3-4.5 0-2.4 1.3-4.5 1.2-2.2 3.4-3.4 2.2-1.2 4.5-1.2 2.2 0 4.4 1.2 2.2 1.2 3.5 3.4 1.2 2.1 1.2 4.5 0 2.3-1.2 4.5-.9 1.7-2.3 2.8 1.5.5 3.2 1.3 4.2 2.3 6.6 6.6 2.4 4.2 2.4 8.9 0 4.6-2.3 8.8-1.2 2.1-2.9 3.7 2.1.9 4.3 2.1 8.2 4.4 12.9 12.6 4.6 8.2 4.6 17.2 0 3.2-.6 6.4z"],
]);

/** The characters of White's pieces, in the order of Black's. */
const WHITE = new Map([..."♔♕♖♗♘♙"].map((glyph, index) => [glyph, [...OUTLINES.keys()][index]]));

/**
 * The outline of a piece of chess, undefined for any other character.
 * @param {string} glyph
 */
function outlineOf(glyph) {
  return OUTLINES.get(WHITE.get(glyph) ?? glyph);
}

/** The men and kings of draughts, which are discs; a king has a crown. */
const DISCS = new Map([["⛀", false], ["⛁", true], ["⛂", false], ["⛃", true]]);
