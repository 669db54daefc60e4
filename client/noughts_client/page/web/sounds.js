// Short sounds, which the browser makes itself; they are off until somebody turns them on in this browser.

import { store, stored } from "./storage.js";

const SOUND = "noughts.sound";

/** @typedef {"own" | "other" | "end"} Occasion */

/** @type {Record<Occasion, number[]>} */
const TONES = { own: [440], other: [587], end: [587, 440, 294] };
const TONE_S = 0.09;

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
  TONES[occasion].forEach((frequency, index) => tone(/** @type {AudioContext} */ (context), frequency, start + index * TONE_S));
}

/**
 * @param {AudioContext} audio
 * @param {number} frequency
 * @param {number} at
 */
function tone(audio, frequency, at) {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.type = "triangle";
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0.15, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + TONE_S);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + TONE_S);
}
