// The bar of a lecture: its steps, and how fast they go.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { forward, go, last, pause, play, setSpeed, state, waiting } from "./lecture.js";
import { lecture as text } from "./lecture_texts.js";

const SPEEDS = [0.5, 1, 2, 4, 10];

const SIGNS = {
  first: "M5 5h3v14H5zM20 5v14L9 12z",
  back: "M17 5v14L6 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M7 5v14l11-7z",
  last: "M16 5h3v14h-3zM4 5v14l11-7z",
};

export function controls() {
  const { step, playing } = state;
  const end = last();
  const stop = (/** @type {number} */ to) => () => {
    pause();
    go(to);
  };
  const button = (/** @type {string} */ label, /** @type {keyof typeof SIGNS} */ sign, /** @type {() => void} */ act, off = false, main = "") =>
    html`<button class=${main} aria-label=${label} title=${label} ?disabled=${off} @click=${act}>
      <svg viewBox="0 0 24 24" aria-hidden="true">${svg`<path d=${SIGNS[sign]}></path>`}</svg>
    </button>`;
  return html`<section class="steps" aria-label=${text.steps}>
    ${button(text.first, "first", stop(0), step === 0)} ${button(text.back, "back", stop(step - 1), step === 0)}
    ${button(playing ? text.pause : text.play, playing ? "pause" : "play", play, false, "main")}
    ${button(text.forward, "forward", () => (pause(), forward()), waiting() >= 0 || step === end)}
    ${button(text.last, "last", stop(end), step === end)}
    <div class="rail" .style=${`--at: ${end ? step / end : 0}`}>
      <input
        type="range" min="0" max=${end} .value=${String(step)} aria-label=${text.step}
        @input=${(/** @type {Event} */ event) => stop(Number(/** @type {HTMLInputElement} */ (event.target).value))()}
      />
      ${marks(end)}
    </div>
    <output class="count">${text.stepOf(step, end)}</output>
    <select
      aria-label=${text.speed}
      @change=${(/** @type {Event} */ event) => setSpeed(Number(/** @type {HTMLSelectElement} */ (event.target).value))}
    >
      ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === state.speed}>${text.perSecond(speed)}</option>`)}
    </select>
  </section>`;
}

/**
 * The cuts so far, and the questions that were answered: what is still to come is not given away.
 * @param {number} end
 */
function marks(end) {
  if (state.traces.length !== 1 || end > 400) return nothing;
  const [{ steps }] = state.traces;
  return steps.slice(0, state.step).map(({ step }, index) => {
    const right = state.score.asked.get(`0 ${index + 1}`);
    const kind = step === "cut" ? "cut" : right === undefined ? "" : right ? "right" : "wrong";
    return kind ? html`<i class=${kind} .style=${`--at: ${(index + 1) / end}`}></i>` : nothing;
  });
}
