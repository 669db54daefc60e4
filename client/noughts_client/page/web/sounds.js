// Short sounds like taps on wood, which the browser makes itself; they are off until somebody turns them on in this browser.

import { store, stored } from "./storage.js";

const SOUND = "noughts.sound";

/** @typedef {"own" | "other" | "end"} Occasion */

/** The pitches of the taps, in Hz: low, as of wood. @type {Record<Occasion, number[]>} */
const TAPS = { own: [210], other: [260], end: [262, 330, 392] };

/** From one tap to the next, and until a tap has died away, in seconds. */
const [STEP_S, FADE_S] = [0.12, 0.16];

/** @type {AudioContext | null} */
let context = null;

/** Whether sounds are on. */
export function soundIsOn() {
  return stored(SOUND) === "on";
}

/** @param {boolean} on */
export function turnSound(on) {
  store(SOUND, on ? "on" : "off");
  if (on) sound("own");
}

/**
 * Make the sound for `occasion`, if sounds are on and the browser allows it: it does once the page has been clicked.
 * @param {Occasion} occasion
 */
export function sound(occasion) {
  if (!soundIsOn() || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  const start = context.currentTime;
  TAPS[occasion].forEach((pitch, index) => tap(/** @type {AudioContext} */ (context), pitch, start + index * STEP_S));
}

/**
 * A low tone, and above it the overtone of a wooden bar, which is gone sooner.
 * @param {AudioContext} audio
 * @param {number} pitch
 * @param {number} at
 */
function tap(audio, pitch, at) {
  for (const [times, loud, fade] of [[1, 0.3, FADE_S], [2.76, 0.1, FADE_S / 4]]) {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    oscillator.frequency.value = pitch * times;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(loud, at + 0.003); // without a click
    volume.gain.exponentialRampToValueAtTime(0.0001, at + fade);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(at);
    oscillator.stop(at + fade);
  }
}
