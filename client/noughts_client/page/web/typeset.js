// How the server's sentences are set. Pure.

/**
 * A sentence of the server's, which has the apostrophes of a keyboard.
 * @param {string} sentence
 */
export function typeset(sentence) {
  return sentence.replace(/(?<=\p{L})'(?=\p{L})/gu, "’");
}
