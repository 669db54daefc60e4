// Arrows and marked cells that somebody draws on a board, as text. Pure.

/**
 * @typedef {"green" | "red" | "blue" | "yellow"} Colour
 * @typedef {{from: string, to: string, colour: Colour}} Mark
 *
 * An arrow between two cells or, if they are the same, a marked cell.
 */

/** @type {Colour[]} */
export const COLOURS = ["green", "red", "blue", "yellow"];

/** The most marks on one position. */
export const MOST = 64;

/** What is written are no marks. */
export class BadMarks extends Error {}

/**
 * The marks with one more; the same one again takes it away, and one in another colour replaces it.
 * @param {Mark[]} marks
 * @param {Mark} mark
 * @returns {Mark[]}
 */
export function marked(marks, mark) {
  const others = marks.filter(({ from, to }) => from !== mark.from || to !== mark.to);
  const same = marks.some(({ from, to, colour }) => from === mark.from && to === mark.to && colour === mark.colour);
  return same || others.length >= MOST ? others : [...others, mark];
}

/**
 * The colour that the keys choose which are held down.
 * @param {{shiftKey: boolean, ctrlKey: boolean, altKey: boolean, metaKey: boolean}} keys
 * @param {Colour} usual
 * @returns {Colour}
 */
export function colourOf({ shiftKey, ctrlKey, altKey, metaKey }, usual) {
  const [one, other] = [shiftKey || ctrlKey, altKey || metaKey];
  return one && other ? "yellow" : one ? "red" : other ? "blue" : usual;
}

/**
 * Such as `g:e2~e4,r:d5`.
 * @param {Mark[]} marks
 */
export function marksTo(marks) {
  const name = (/** @type {string} */ cell) => cell.replace(/[%,~]/g, (sign) => (sign === "~" ? "%7e" : encodeURIComponent(sign)));
  return marks.map(({ from, to, colour }) => `${colour[0]}:${name(from)}${from === to ? "" : `~${name(to)}`}`).join(",");
}

/**
 * Raises BadMarks.
 * @param {string} text
 * @param {Set<string>} cells the names that there are
 * @returns {Mark[]}
 */
export function marksFrom(text, cells) {
  if (text === "") return [];
  const words = text.split(",");
  if (words.length > MOST) throw new BadMarks();
  return words.map((word) => {
    const colour = COLOURS.find((one) => word.startsWith(`${one[0]}:`));
    const [from, to = from, ...more] = word.slice(2).split("~").map(unescaped);
    if (colour === undefined || more.length || !cells.has(from) || !cells.has(to)) throw new BadMarks();
    return { from, to, colour };
  });
}

/** @param {string} word */
function unescaped(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new BadMarks();
  }
}
