// The board as an SVG, drawn from what a game says of itself and from a position. No game is known by its key.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import {
  around, arrow, borders, cellName, chequers, cropped, dots, hexagon, joined, lines, middleOf, nested, once, placeOf, shapeOf, smallBoards, winning,
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
  const cells = rows.map((row, r) => [...row].map((symbol, c) => (cellName(game, r, c) === "" ? nothing : still(picture, look, symbol, r, c))));
  const hexagons = shapeOf(game) === "hexagons" ? rows.flatMap((row, r) => [...row].map((_, c) => hexagon(placeOf(game, r, c)))).join("") : "";
  return html`<svg class="${classesOf(drawing)} small" viewBox="${x} ${y} ${wide} ${high}" role="img" aria-label=${drawing.label ?? text.board(game.title)}>
    <rect class="field" x=${x} y=${y} width=${wide} height=${high}></rect>
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
    return svg`<rect class="square" x=${dx} y=${dy} width=${dw} height=${dh} rx="44"></rect>`;
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
export function hollow({ x, y, w, h }) {
  const top = y > 0 ? 6 : 44; // the numbers are outside: those of the upper row above, those of the lower row below
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
  const { first, second } = game.sides;
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
  const side = known ? known.side : symbol === first.symbol ? "first" : symbol === second.symbol ? "second" : null;
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
  const level = place.y > 0 || place.h > 2 * place.w ? y + h + 34 : y - 10;
  return svg`${shown}<text class="count" x=${x + w / 2} y=${level} aria-hidden="true">${count}</text>`;
}

/**
 * Pictures of pieces, by the character that stands for them. Those of chess are the outlines of DejaVu Sans 2.37, whose
 * licence allows any use; white pieces have the same outlines as black ones. Each fills a cell 100 wide.
 * @type {Map<string, string>}
 */
const OUTLINES = new Map([
  // king
  ["♚", "M46.1 37.6Q46.1 37.4 46.2 37.3Q44.3 34.8 41.4 33.3Q37.3 31 32.9 31Q28.5 31 24.4 33.2Q20.2 35.5 17.9 39.7Q15.5 43.9 15.5 48.4Q15.5 52.9 17.8 57Q20.1 61.1 24.3 63.4Q25.5 64.1 26.8 64.6H46.1ZM54 64.6H73.2Q74.5 64.1 75.8 63.4Q79.9 61.1 82.2 57Q84.5 52.9 84.5 48.4Q84.5 43.9 82.1 39.7Q79.8 35.5 75.7 33.2Q71.6 31 67.1 31Q62.8 31 58.6 33.3Q55.7 34.8 53.8 37.3Q53.9 37.4 54 37.6ZM28.8 70.4V87.4H71.3V70.4ZM24.2 91.9V70.4Q21.8 69.7 19.7 68.4Q15.8 65.4 12.8 59.9Q9.7 54.4 9.7 48.4Q9.7 42.3 12.8 36.8Q15.9 31.2 21.5 28.3Q27 25.3 32.9 25.3Q37.4 25.3 41.6 27V26.9Q41.6 24.9 42.6 23.1Q43.7 21.4 45.5 20.4Q46.2 20 47.1 19.7V16.7H41V12.8H47.1V7.9H53V12.8H59V16.7H53V19.7Q53.9 20 54.6 20.4Q56.3 21.4 57.4 23.1Q58.4 24.9 58.4 26.9V27Q62.7 25.3 67.1 25.3Q73 25.3 78.5 28.3Q84.1 31.2 87.2 36.8Q90.3 42.3 90.3 48.4Q90.3 54.4 87.2 59.9Q84.2 65.4 80.4 68.4Q78.2 69.7 75.9 70.4V91.9ZM44.8 27.4Q44.8 28.8 45.5 30Q46.2 31.2 47.4 31.9Q48.7 32.6 50 32.6Q51.3 32.6 52.6 31.9Q53.9 31.2 54.5 30Q55.2 28.8 55.2 27.4Q55.2 26 54.5 24.8Q53.9 23.5 52.6 22.9Q51.3 22.2 50 22.2Q48.7 22.2 47.4 22.9Q46.2 23.5 45.5 24.8Q44.8 26 44.8 27.4ZM68.4 73.3V84.5H31.7V73.3ZM43.3 61.7H27.5Q26.5 61.3 25.6 60.7Q22.1 58.8 20.3 55.4Q18.4 52 18.4 48.3Q18.4 44.6 20.4 41.1Q22.3 37.6 25.6 35.8Q28.9 33.9 32.5 33.9Q36 33.9 39.4 35.7Q41.7 37 43.4 39.1Q43.3 39.2 43.3 39.3ZM56.8 39.3Q56.8 39.2 56.7 39.1Q58.3 37 60.6 35.7Q64 33.9 67.5 33.9Q71.1 33.9 74.5 35.8Q77.8 37.6 79.7 41.1Q81.6 44.6 81.6 48.3Q81.6 52 79.8 55.4Q77.9 58.8 74.5 60.7Q73.5 61.3 72.5 61.7H56.8Z"],
  // queen
  ["♛", "M17.2 34.7Q11.8 34.6 11.1 29.2Q11.1 27.7 12 26.2Q12.8 24.8 14.3 24Q15.8 23.2 17.4 23.2Q19 23.2 20.5 24Q22 24.8 22.8 26.2Q23.6 27.7 23.6 29.2Q23.4 32.8 20.2 34.1L33.6 62.5L30.7 23Q26 23 25 17.8Q25 16.3 25.8 14.9Q26.6 13.4 28.1 12.7Q29.6 11.9 31.4 11.9Q32.9 11.9 34.4 12.7Q35.9 13.4 36.7 14.9Q37.5 16.3 37.5 17.8Q37.4 20.4 34.8 22.3L45.5 64.3L47.9 18.2Q44.1 16.5 44 13.8Q44 12.3 44.8 10.8Q45.7 9.3 47.2 8.6Q48.7 7.9 50.2 7.9Q51.8 7.9 53.3 8.6Q54.8 9.3 55.6 10.8Q56.5 12.3 56.5 13.8Q56.3 16.9 52.5 18.2L54.7 64.4L65 22.8Q62.5 20.2 62.5 17.8Q62.5 16.3 63.3 14.9Q64.1 13.4 65.6 12.7Q67.1 11.9 68.6 11.9Q70.3 11.9 71.8 12.7Q73.4 13.4 74.2 14.9Q75 16.3 75 17.8Q74.4 22.6 69.5 23.5L64.4 62.5L78.8 33.5Q76.4 31.6 76.4 29.2Q76.4 27.7 77.2 26.2Q78 24.8 79.5 24Q81 23.3 82.6 23.3Q84.3 23.3 85.7 24Q87.2 24.8 88 26.2Q88.9 27.7 88.9 29.2Q88.1 34.5 82.6 34.5L73.6 60.5V91.9H25.2V60.5ZM70.4 71.9V67.5H29.6V71.9ZM70.4 88.6V84.2H29.6V88.6Z"],
  // rook
  ["♜", "M68 27V21.7H32.1V27ZM72.2 81.8V75.6H27.9V81.8ZM42.1 8H57.6V16.7H67.2V8H82.4V17.1H75.9V25.2L70.7 33.6V66.5L75.9 74.8V82.8H82.4V92H17.6V82.8H24.1V74.8L29.3 66.3H29.4V33.7H29.3L24.1 25.2V17.1H17.6V8H32.5V16.7H42.1ZM79.3 88.9V85.8H20.8V88.9Z"],
  // bishop
  ["♝", "M36.9 63Q36.9 59.7 38.7 56.7Q39.1 55.7 39.7 54.9Q36.4 52.8 34.3 49.3Q32 45.2 32 40.7V40.5Q32 36 34.3 31.9Q36.7 27.7 41.1 25.4Q42.7 24.6 44.4 24Q42.9 23 42 21.4Q40.7 19.2 40.7 16.9Q40.7 14.5 42 12.4Q43.3 10.2 45.5 9.1Q47.6 7.9 50 7.9Q52.3 7.9 54.5 9.1Q56.7 10.2 57.9 12.4Q59.2 14.5 59.2 16.9Q59.2 19.2 58 21.4Q57.1 23 55.7 24.1Q57.2 24.6 58.9 25.4Q63.2 27.7 65.7 31.9Q68 36 68.1 40.5V40.7Q68 45.2 65.7 49.3Q63.6 52.8 60.3 54.9Q60.9 55.7 61.4 56.7Q63.1 59.7 63.1 63Q63.1 66.3 61.3 69.3L77 91.9H23L38.3 69.2Q36.9 66.2 36.9 63ZM53.3 50.4V43.5H63V37.4H53.3V30.5H46.7V37.4H37V43.5H46.7V50.4Z"],
  // knight
  ["♞", "M42.8 21.5Q44.9 20.2 44.9 18Q44.9 16.6 44 15Q43.2 13.4 43.2 12.2Q43.2 9.6 46.5 7.9Q51.2 12.4 51.7 14.9Q52.1 17.4 52.1 18.2Q52.1 20.8 50.2 21.5H50.4Q50.4 21.5 50.3 21.5Q80.4 40.6 82.9 91.9H28.4Q27.7 88.7 27.7 85.5Q27.7 76.5 39.1 68.6Q50.4 60.6 50.4 54.3Q50.4 53.8 50.4 53.4Q46.7 62.8 40.1 62.8Q40.1 62.8 39.6 62.8Q34.5 71 28.7 71Q28.5 71 28.3 71L31 65.2L25 69.7Q18.6 68.1 17.1 63.4Q22 50.6 22 39.9Q22 38.4 21.9 36.9Q24.6 30.8 30.2 25Q30.3 24.4 30.3 23.9Q30.3 22.3 29.1 21.6Q27.8 20.9 27.8 18.9Q27.8 16.8 28.9 13.1Q34.8 14.6 37.9 21.5ZM28.4 35.8V36.7Q28.6 38.4 29.1 38.4H30.2Q34.1 38.4 34.1 35.6Q34.1 33.7 36.5 31H36.2Q30.8 31 28.7 34.6ZM22.3 61.1V62.4Q22.3 64 23.8 64H24.4Q28.4 63.2 28.4 60.2L28 58.3Q24.6 58.3 22.3 61.1ZM50.2 26 53.1 31Q74.2 46.1 74.5 89H78.9Q76.3 41.2 50.2 26Z"],
  // pawn
  ["♟", "M16.2 91.9Q15.6 88.7 15.6 85.5Q15.6 76.5 20.2 68.3Q24.8 60.1 33 55.7Q35.1 54.5 37.4 53.6Q35.7 52 34.5 49.9Q32.2 45.7 32.2 41.1Q32.2 36.4 34.6 32.2Q36.9 27.9 41.3 25.6Q42.8 24.8 44.4 24.2Q43 23.2 42.1 21.5Q40.8 19.3 40.8 17Q40.8 14.6 42.1 12.5Q43.3 10.3 45.5 9.1Q47.7 7.9 50 7.9Q52.2 7.9 54.4 9.1Q56.6 10.3 57.9 12.5Q59.1 14.6 59.1 17Q59.1 19.3 57.9 21.5Q57 23.2 55.6 24.3Q57.1 24.8 58.8 25.6Q63 27.9 65.4 32.2Q67.8 36.4 67.8 41.1Q67.8 45.7 65.5 49.9Q64.3 52 62.6 53.6Q64.7 54.5 66.9 55.7Q75.1 60.1 79.8 68.3Q84.4 76.5 84.4 85.5Q84.4 88.7 83.8 91.9Z"],
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
