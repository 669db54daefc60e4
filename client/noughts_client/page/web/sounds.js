// Short, soft sounds as of wood, which the browser makes itself. This module is loaded when sounds are on.

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").State} State
 * @typedef {"own" | "other" | "capture" | "turn" | "won" | "lost" | "drawn" | "low" | "call"} Sound
 */

/** The taps of each sound: the pitch in Hz, when it begins in s, and how loud it is. @type {Record<Sound, [number, number, number][]>} */
const TAPS = {
  own: [[210, 0, 1]],
  other: [[260, 0, 1]],
  capture: [[165, 0, 1], [139, 0.07, 0.8]],
  turn: [[392, 0.15, 0.4]],
  won: [[262, 0, 0.8], [330, 0.12, 0.8], [392, 0.24, 0.8], [523, 0.36, 0.7]],
  lost: [[330, 0, 0.8], [262, 0.14, 0.8], [208, 0.28, 0.8]],
  drawn: [[294, 0, 0.8], [294, 0.14, 0.7]],
  low: [[587, 0, 0.35], [587, 0.16, 0.35]],
  call: [[392, 0, 0.8], [523, 0.12, 0.8], [392, 0.24, 0.8], [523, 0.36, 0.8]],
};

/** How long a tap is heard, in s. */
const FADE_S = 0.18;

/** @type {AudioContext | null} */
let context = null;

/**
 * What is to be heard of an event of a room: the move, or the end as it is for this player. Pure.
 * @param {{kind: string, side?: Side | null}} event
 * @param {State} before
 * @param {State} now
 * @param {GameInfo} game
 * @param {Side | null} mine the side that this player has
 * @returns {Sound[]}
 */
export function heard({ kind, side }, before, now, game, mine) {
  if (now.outcome) {
    if (before.outcome) return [];
    const { winner } = now.outcome;
    return [winner === null ? "drawn" : mine === null || winner === mine ? "won" : "lost"];
  }
  if (kind !== "played" || !side) return [];
  const move = isCapture(before.rows, now.rows, game, side) ? "capture" : side === mine ? "own" : "other";
  return mine !== null && side !== mine && now.to_move === mine ? [move, "turn"] : [move];
}

/**
 * Whether a move took pieces: the other side has fewer, and they have not changed sides.
 * @param {string[]} before
 * @param {string[]} now
 * @param {GameInfo} game
 * @param {Side} side that moved
 */
function isCapture(before, now, game, side) {
  const owner = (/** @type {string} */ symbol) =>
    game.pieces?.[symbol]?.side ?? (symbol === game.sides.first.symbol ? "first" : symbol === game.sides.second.symbol ? "second" : null);
  const has = (/** @type {string[]} */ rows, /** @type {boolean} */ own) =>
    [...rows.join("")].filter((symbol) => owner(symbol) !== null && (owner(symbol) === side) === own).length;
  return has(now, false) < has(before, false) && has(now, true) - has(before, true) <= 1;
}

/**
 * Make these sounds, if the browser allows it: it does once the page has been clicked.
 * @param {Sound[]} sounds
 */
export function sound(sounds) {
  if (!sounds.length || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  const start = context.currentTime;
  for (const [pitch, at, loud] of sounds.flatMap((one) => TAPS[one])) tap(context, pitch, start + at, loud);
}

/**
 * A low tone, and above it the overtone of a wooden bar, which is gone sooner.
 * @param {AudioContext} audio
 * @param {number} pitch
 * @param {number} at
 * @param {number} loud
 */
function tap(audio, pitch, at, loud) {
  for (const [times, share, fade] of [[1, 0.25, FADE_S], [2.76, 0.07, FADE_S / 4]]) {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    oscillator.frequency.value = pitch * times;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(share * loud, at + 0.004); // without a click
    volume.gain.exponentialRampToValueAtTime(0.0001, at + fade);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(at);
    oscillator.stop(at + fade);
  }
}
