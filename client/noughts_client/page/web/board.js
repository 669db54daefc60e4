// The board as an SVG, drawn from what a game says of itself and from a position. No game is known by its key.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import {
  around, arrow, borders, CELL, cellName, chequers, cropped, dots, hexagon, joined, lines, middleOf, nested, placeOf, shapeOf, sizeOf, smallBoards, winning,
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
 *            numbers?: boolean, stale?: boolean, over?: boolean, focus?: string | null, mover?: Side | null, small?: boolean,
 *            counts?: number[][], turned?: boolean, way?: string[], threatened?: string | null,
 *            onPick?: (row: number, column: number) => void, onPress?: (press: PointerEvent, drawing: Drawing) => void,
 *            onFocus?: (name: string) => void, label?: string, marks?: unknown}} Drawing
 *
 * `options` can be picked, after `path`; `chosen` is a cell whose move is to be confirmed, `pending` one whose move is
 * not confirmed by the server. `last` are the cells of the last move, which is `fresh` if it was just played. `worth` is
 * by move, shown by rank or in `numbers`, and `stale` if it is that of an earlier position. `mover` is the side whose disc
 * shows where it would land. `way` are the cells of the best move, if it goes through several. `threatened` is a king in check.
 * `marks` are drawn over it. `turned`: the board is turned round, for the side that is at the top of the layout.
 */

/** Around the cells, and where the frame has names. */
const MARGIN = 20;
const namesOf = (/** @type {number} */ columns) => (columns < DENSE ? 46 : 66);

/** Beside a board of edges, for the values of those at its right. */
const CHIPS = 24;

/** From this width on a cell has no room for numbers but those of the best moves. */
const DENSE = 12;

/** A board with fewer columns has larger cells, and the names at its edge are smaller beside them. */
const FEW = 8;

/** The looks that there are; a game with another has plain squares. */
const LOOKS = new Set(["paper", "holes", "felt", "wood", "nested", "checkered"]);

/** The looks with a frame around the field. */
const FRAMED = new Set(["holes", "felt", "checkered", "other"]);

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
  const decided = (drawing.line?.length ?? 0) > 1 ? "decided" : "";
  const few = rows[0].length < FEW ? "few" : rows[0].length < DENSE ? "" : "dense";
  const classes = ["board", `look-${look}`, `shape-${shape}`, few, decided, small ? "small" : "", drawing.stale ? "stale" : ""];
  /** @type {Dots} */
  const dotted = { good: "", even: "", bad: "" };
  const cells = (/** @type {string} */ row, /** @type {number} */ r) =>
    [...row].map((symbol, c) => {
      if (cellName(game, r, c) === "") return nothing;
      return small ? still(drawing, look, symbol, r, c) : square(drawing, look, symbol, r, c, dotted);
    });
  const plain = shape === "squares" && (look === "felt" || look === "other");
  const step = look === "paper" || plain ? 1 : 0;
  const [countWide, countHigh] = [rows[0].length, rows.length];
  const ground = svg`${look === "checkered" ? chequers(game) : shape === "points" ? joined(game) : look === "nested" ? nested() : nothing}
    ${lines("rules", step, countWide, countHigh)} ${borders(game, (side) => bodyOf(game, side))}`;
  const over = svg`${look === "nested" ? nothing : lines("between", game.block, countWide, countHigh)}
    ${look === "nested" ? smallBoards(drawing) : shape === "edges" ? dots(game) : nothing} ${winning(drawing)} ${arrow(drawing)} ${drawing.marks ?? nothing}`;
  if (small) {
    const [x, y, side] = cropped(drawing);
    return html`<svg class=${classes.join(" ")} viewBox="${x} ${y} ${side} ${side}" role="img" aria-label=${drawing.label ?? text.board(game.title)}>
      <rect class="field" x=${x} y=${y} width=${side} height=${side}></rect>
      ${ground} ${rows.map(cells)} ${over}
    </svg>`;
  }
  const names = namesOf(rows[0].length);
  const [left, top] = [ranks ? names : MARGIN, MARGIN];
  const [right, bottom] = [shape === "edges" ? CHIPS : MARGIN, columns ? names : MARGIN];
  const [wide, high] = [width + left + right, height + top + bottom];
  const framed = shape === "squares" && FRAMED.has(look);
  const inset = look === "holes" ? 8 : 0;
  return html`<svg
    class=${classes.join(" ")}
    viewBox="${-left} ${-top} ${wide} ${high}"
    role="grid"
    aria-label=${drawing.label ?? text.board(game.title)}
    aria-rowcount=${rows.length}
    aria-colcount=${rows[0].length}
    @click=${(/** @type {Event} */ event) => picked(event, drawing)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => keyed(event, drawing)}
    @focusin=${(/** @type {Event} */ event) => focused(event, drawing)}
    @keyup=${hover}
    @pointerdown=${(/** @type {PointerEvent} */ event) => drawing.onPress?.(event, drawing)}
    @pointerover=${hover}
    @pointerleave=${hover}
  >
    <rect class=${framed || shape === "pits" ? "frame" : "field"} x=${-left} y=${-top} width=${wide} height=${high} rx="22"></rect>
    ${framed ? svg`<rect class="field" x=${-inset} y=${-inset} width=${width + 2 * inset} height=${height + 2 * inset} rx=${inset * 2}></rect>` : nothing}
    ${ground}
    ${rows.map((row, r) => svg`<g role="row" aria-rowindex=${r + 1}>${cells(row, r)}</g>`)}
    ${tints(dotted)} ${over}
    ${columns ? columns.map((name, c) => edge(name, middleOf(placeOf(game, rows.length - 1, c, turned))[0], height + names / 2 + (game.board?.borders ? 15 : 9))) : nothing}
    ${ranks ? ranks.map((name, r) => edge(name, leftOf(game, r) - names / 2 - (game.board?.borders ? 7 : 1), middleOf(placeOf(game, r, 0, turned))[1] + 8)) : nothing}
    ${falls && drawing.mover ? ghost(game, drawing.mover, rows.length) : nothing}
  </svg>`;
}

/**
 * Where a row begins: those of hexagons are indented.
 * @param {GameInfo} game
 * @param {number} r
 */
const leftOf = (game, r) => (shapeOf(game) === "hexagons" ? placeOf(game, r, 0).x : 0);

/**
 * The height and the width of a board with its frame, as one is to the other.
 * @param {GameInfo} game
 */
export function ratioOf(game) {
  const { columns, rows } = edgesOf(game);
  const [width, height] = sizeOf(game);
  const names = namesOf(game.layout[0].length);
  return (width + (rows ? names : MARGIN) + (shapeOf(game) === "edges" ? CHIPS : MARGIN)) / (height + MARGIN + (columns ? names : MARGIN));
}

/**
 * Where a disc would land, in the column that the pointer or the focus is in.
 * @param {GameInfo} game
 * @param {Side} mover
 * @param {number} count of rows
 */
function ghost(game, mover, count) {
  const classes = `piece ${mover} ${tone(game, mover)}`;
  return svg`<g class="ghost"><rect x="2" y="-4" width="96" height=${count * CELL + 8} rx="44"></rect>${disc(classes, 50, 50, 42)}</g>`;
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
  const classes = ["still", drawing.last?.includes(name) ? "last" : "", drawing.line?.includes(name) ? "in-line" : ""];
  const ground = shape === "pits" || shape === "hexagons" ? groundOf(drawing.game, r, c, place) : nothing;
  if (symbol === "." && ground === nothing && look !== "holes") return nothing;
  return svg`<g class=${classes.join(" ")}>${ground}${piece(drawing, look, symbol, r, c)}</g>`;
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
  const [dx, dy] = w > h ? [-7, 8] : [8, -7];
  return svg`<rect class=${name} x=${x + dx} y=${y + dy} width=${w - 2 * dx} height=${h - 2 * dy} rx="6"></rect>`;
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
 * @param {Dots} dotted gets the dot of this cell, if it has one
 */
function square(drawing, look, symbol, r, c, dotted) {
  const { game, options, path, rows } = drawing;
  const name = cellName(game, r, c);
  const part = game.layout[r][c];
  const { falls, columns } = edgesOf(game);
  const lands = !falls || isLanding(rows, r, c);
  const open = options !== undefined && (options.has(part) || options.has(name));
  const worth = (symbol === "." || drawing.counts || (open && path?.length)) && lands ? drawing.worth?.get(part) ?? drawing.worth?.get(name) : undefined;
  const tinted = worth && (drawing.numbers ? rows[0].length >= DENSE && drawing.chosen !== name && !worth.few : worth.rank === 0);
  const place = placeOf(game, r, c, drawing.turned);
  const { x, y, w, h } = place;
  const shape = shapeOf(game);
  let classes = shape === "edges" && r % 2 && c % 2 ? "cell area" : "cell";
  if (open) classes += falls && lands ? " open landing" : " open";
  if (symbol !== "." && (options?.get(part) ?? options?.get(name))?.more) classes += " movable";
  if (path?.includes(part) || path?.includes(name) || drawing.chosen === name) classes += " picked";
  if (drawing.last?.includes(name)) classes += " last";
  if (drawing.line?.includes(name)) classes += " in-line";
  if (drawing.threatened === name) classes += " threatened";
  if (drawing.pending === name) classes += " pending";
  if (tinted) {
    const [middle, level, scale] = spotOf(shape, place);
    const radius = Math.round(scale * (8 + 12 * worth.size));
    dotted[worth.kind] += `M${middle - radius} ${level}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }
  if (worth) classes += drawing.numbers && worth.few ? " worth few" : " worth";
  const unnamed = columns === null && ((shape === "squares" && symbol === "." && !worth) || (shape === "pits" && h < 2 * w));
  const count = drawing.counts?.[r]?.[c];
  const content = count === undefined ? contentOf(game, symbol) : text.stones(count);
  const aimed = open && symbol === "." && !path?.length && !worth && isAimed(drawing);
  return svg`<g
    class=${classes} data-cell=${name} data-row=${r} data-column=${c}
    role="gridcell" tabindex=${drawing.focus === name ? 0 : -1} aria-colindex=${c + 1}
    aria-label=${text.cell(name, r + 1, c + 1, content, drawing.stale ? undefined : worth?.spoken)}
    aria-disabled=${open ? nothing : "true"}
  >
    ${groundOf(game, r, c, place)}
    ${unnamed ? svg`<text class="name" x=${x + 20} y=${y + (shape === "pits" && y > 0 ? h - 10 : 30)} aria-hidden="true">${name}</text>` : nothing}
    <g class="stand">${piece(drawing, look, symbol, r, c)}</g>
    ${aimed ? svg`<circle class="target" cx=${x + w / 2} cy=${y + h / 2} r="15"></circle>` : nothing}
    ${open && path?.length ? svg`<circle class=${symbol === "." ? "hint" : "hint taken"} cx=${x + w / 2} cy=${y + h / 2} r=${symbol === "." ? 14 : 44}></circle>` : nothing}
    ${worth && !tinted ? chip(worth, shape, place, drawing, rows[0].length >= DENSE && drawing.chosen !== name) : nothing}
    ${surround(shape, look, place)}
  </g>`;
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
  return [x + w / 2, y + h / 2, shape === "edges" ? 0.5 : shape === "pits" ? 0.85 : 1];
}

/**
 * The dots of all moves without a chip, larger for better ones: a path for each kind, since a board may have hundreds.
 * @param {Dots} dotted
 */
const tints = (dotted) => KINDS.map((kind) => svg`<path class="tint ${kind}" d=${dotted[kind]}></path>`);

/** @typedef {Record<Worth["kind"], string>} Dots */
const KINDS = /** @type {Worth["kind"][]} */ (["good", "even", "bad"]);

/**
 * What a move is worth: its rank if it is one of the best, or the number.
 * @param {Worth} worth
 * @param {string} shape
 * @param {import("./looks.js").Place} place
 * @param {Drawing} drawing
 * @param {boolean} dense
 */
function chip({ label, detail, rank, kind, best }, shape, place, { numbers }, dense) {
  const [middle, level, scale] = spotOf(shape, place);
  const at = `translate(${middle - 50 * scale} ${level - 50 * scale}) scale(${scale})`;
  const classes = `chip ${kind}${best ? " best" : ""}`;
  if (!numbers) {
    return svg`<g class=${classes} transform=${at}>
      <rect x="16" y="16" width="68" height="68" rx="14"></rect><text x="50" y="66" aria-hidden="true">${rank}</text></g>`;
  }
  const alone = dense || !detail;
  const brief = label.replace(/\d{4,}/, (digits) => `${Math.round(Number(digits) / 1000)}k`); // the cell has no room for more
  return svg`<g class=${classes} transform=${at}>
    <rect x="8" y="16" width="84" height="68" rx="14"></rect>
    <text class="value ${brief.length > 3 ? "long" : ""}" x="50" y=${alone ? 62 : 53} aria-hidden="true">${brief}</text>
    ${alone ? nothing : svg`<text class="detail ${detail.length > 8 ? "long" : ""}" x="50" y="75" aria-hidden="true">${detail}</text>`}
  </g>`;
}

/**
 * A round piece with its rim, and the ring that marks the last move.
 * @param {string} classes
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {unknown} [crown]
 */
function disc(classes, x, y, r, crown = nothing) {
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
function piece(drawing, look, symbol, r, c) {
  const { game } = drawing;
  const { first, second } = game.sides;
  const place = placeOf(game, r, c, drawing.turned);
  const [x, y] = middleOf(place);
  if (drawing.counts) return stones(drawing.counts[r][c], place, Boolean(drawing.small));
  const hole = look === "holes" ? svg`<circle class="hole-edge" cx=${x} cy=${y} r="43"></circle><circle class="hole" cx=${x} cy=${y + 2.5} r="40"></circle>` : nothing;
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
    return disc(classes, x, y, 40, crowned ? crown : nothing);
  }
  if (side !== null && (look === "paper" || look === "nested")) return written(classes, side, x, y);
  if (side !== null && /^[a-z]$/.test(symbol)) {
    const name = drawing.small ? "" : cellName(game, r, c);
    const falls = look === "holes" && (drawing.pending === name || (drawing.fresh && drawing.last?.includes(name)));
    const radius = shapeOf(game) === "points" ? 44 : shapeOf(game) === "hexagons" ? 36 : look === "holes" ? 42 : 41;
    return svg`${hole}${disc(`${classes} ${falls ? `fall fall-${r}` : ""}`, x, y, radius)}`;
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
  const name = cellOf(event)?.dataset.cell;
  if (name !== undefined && name !== drawing.focus) drawing.onFocus?.(name);
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
