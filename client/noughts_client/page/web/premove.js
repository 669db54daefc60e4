// Moves picked before one's turn: played as soon as they are legal, else dropped. Nobody else sees them. Pure.

import { parts } from "./moves.js";

export const premoveText = {
  /** @param {string[]} premove @param {boolean} touched whether moves are picked by a finger */
  kept: (premove, touched) => `Premove: ${premove.join(" ")}. ${touched ? "Tap" : "Click"} to take it back.`,
  /** @param {string[]} premove */
  begun: (premove) => `Premove from ${premove.join(" ")} …`,
  /** @param {string[]} premove */
  dropped: (premove) => `The premove ${premove.join(" ")} is not possible any more.`,
  notBegun: "The game begins when somebody takes the other seat.",
};

/**
 * Of how many parts most moves consist: so many picks make a premove.
 * @param {string[]} moves
 * @param {Set<string>} cells
 */
export function usualParts(moves, cells) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const move of moves) {
    const { length } = parts(move, cells);
    counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? 1;
}

/**
 * The premove after a pick. One that is complete is taken back by it, and so is one of which a part is picked again.
 * @param {string[]} premove
 * @param {string} part
 * @param {number} size of how many parts it consists
 */
export function picked(premove, part, size) {
  return premove.length >= size || premove.includes(part) ? [] : [...premove, part];
}

/**
 * What a premove comes to at one's turn: the move that it is, or null if more has to be picked; undefined if it is not legal.
 * @param {string[]} premove
 * @param {string[]} legal
 * @param {Set<string>} cells
 * @returns {string | null | undefined}
 */
export function due(premove, legal, cells) {
  const fits = legal.filter((move) => {
    const way = parts(move, cells);
    return premove.every((part, index) => way[index] === part);
  });
  if (!fits.length) return undefined;
  return fits.length === 1 ? fits[0] : (fits.find((move) => parts(move, cells).length === premove.length) ?? null);
}
