// The view of a lecture.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board } from "./board.js";
import { choose, example, go, last, pause, play, SEARCHES, setSpeed, state, submit, togglePresent } from "./lecture.js";
import { rowsOf, treeView, words } from "./lecture_tree.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./lecture_tree.js").Trace} Trace
 */

const SPEEDS = [0.5, 1, 2, 4, 10];

export { enterLecture, leaveLecture } from "./lecture.js";
export const title = text.title;

/** @param {App} app */
export function lectureView(app) {
  return html`<div class="lecture ${state.present ? "present" : ""}">
    ${controls()}
    <div class="searches ${state.traces.length > 1 ? "several" : ""}">${state.traces.map((trace, index) => searchView(app, trace, index))}</div>
    ${state.error ? html`<p class="error" role="alert">${state.error}</p>` : nothing}
    ${!state.traces.length && !state.error ? html`<p class="note" role="status">${text.computing}</p>` : nothing}
    ${form(app)} ${help()}
  </div>`;
}

function controls() {
  const { step, playing } = state;
  const end = last();
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ act, off = false) =>
    html`<button aria-label=${label} title=${label} ?disabled=${off} @click=${act}>${sign}</button>`;
  const stop = (/** @type {number} */ to) => () => {
    pause();
    go(to);
  };
  return html`<section class="panel steps" aria-label=${text.steps}>
    ${button(text.first, "|◀", stop(0))} ${button(text.back, "‹", stop(step - 1))}
    <button class="main" aria-label=${playing ? text.pause : text.play} title=${playing ? text.pause : text.play} @click=${play}>
      ${playing ? "❚❚" : "▶"}
    </button>
    ${button(text.forward, "›", stop(step + 1))} ${button(text.last, "▶|", stop(end))}
    <input
      type="range" min="0" max=${end} .value=${String(step)} aria-label=${text.step}
      @input=${(/** @type {Event} */ event) => stop(Number(/** @type {HTMLInputElement} */ (event.target).value))()}
    />
    <output class="count">${text.stepOf(step, end)}</output>
    <label class="speed"
      >${text.speed}
      <select
        @change=${(/** @type {Event} */ event) => setSpeed(Number(/** @type {HTMLSelectElement} */ (event.target).value))}
      >
        ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === state.speed}>${text.perSecond(speed)}</option>`)}
      </select></label
    >
    <button @click=${togglePresent} aria-pressed=${state.present ? "true" : "false"}>${text.present}</button>
  </section>`;
}

/**
 * @param {App} app
 * @param {Trace} trace
 * @param {number} index
 */
function searchView(app, trace, index) {
  const count = Math.min(state.step, trace.steps.length);
  const visited = trace.steps.slice(0, count).filter(({ step }) => step === "enter").length;
  const ended = count === trace.steps.length; // until then the figures would give the answer away
  const columns = state.traces.length > 1 && innerWidth > 1100 ? 2 : 1;
  const room = Math.min(innerWidth, state.present ? innerWidth : 1800) / columns - 64;
  return html`<section class="panel search" aria-label=${text.searches[trace.search]}>
    <h2>
      ${text.searches[trace.search]}
      <span class="figures">${text.visited(visited, trace.visited)}${ended ? ` · ${text.leaves(trace.ends)}` : ""}${ended && trace.value !== null ? ` · ${text.value(trace.value)}` : ""}</span>
    </h2>
    <p class="words" aria-live=${state.playing ? "off" : "polite"}>${words(trace, count)}</p>
    ${trace.notes.map((note) => html`<p class="note">${note}</p>`)}
    ${position(app, trace, count)}
    <div class="frame" tabindex="0" role="region" aria-label=${text.treeOf(text.searches[trace.search])}>
      ${trace.nodes.length ? treeView(trace, count, room, index) : nothing}
    </div>
  </section>`;
}

/**
 * The board where the search is, if it is too large to stand in the tree.
 * @param {App} app
 * @param {Trace} trace
 * @param {number} count
 */
function position(app, trace, count) {
  const game = trace.game === undefined ? undefined : app.games.get(trace.game);
  const rows = rowsOf(trace.nodes[count ? trace.steps[count - 1].node : 0]);
  if (!game || rows.length <= 4) return nothing;
  return html`<div class="position">${board({ game, rows, small: true, label: text.position })}</div>`;
}

/** @param {App} app */
function form(app) {
  const tree = state.subject === "tree";
  return html`<details class="panel subject" ?open=${!state.present}>
    <summary>${text.subject}</summary>
    <form @submit=${submit} @change=${choose}>
      <div class="fields">
        <label
          >${text.of}
          <select name="subject">
            <option value="tree" ?selected=${tree}>${text.tree}</option>
            ${[...app.games.values()].map(
              (game) => html`<option value=${game.key} ?selected=${game.key === state.subject}>${game.title}</option>`,
            )}
          </select></label
        >
        ${tree
          ? html`<label class="wide">${text.leavesOf} <input name="tree" .value=${state.tree} maxlength="4000" autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`
          : html`<label class="wide">${text.moves} <input name="moves" .value=${state.moves} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`}
        <label>${text.depth} <input name="depth" type="number" min="1" max="20" placeholder=${text.toTheEnd} .value=${state.depth} /></label>
        <label
          >${text.cutRule}
          <select name="cut">
            <option value="equal" ?selected=${!state.strict}>alpha ≥ beta</option>
            <option value="strict" ?selected=${state.strict}>alpha &gt; beta</option>
          </select></label
        >
        <button class="main">${text.show}</button>
      </div>
      <fieldset>
        <legend>${text.compare}</legend>
        ${SEARCHES.map(
          (search) => html`<label class="check"
            ><input type="checkbox" name="search" value=${search} .checked=${state.searches.includes(search)} /> ${text.searches[search]}</label
          >`,
        )}
      </fieldset>
    </form>
    ${tree
      ? html`<p class="examples">
          ${text.examples}
          ${text.figures.map(({ name, tree: of }) => html`<button @click=${() => example(of)}>${name}</button>`)}
        </p>`
      : nothing}
    <label>${text.link} <input readonly .value=${location.href} @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()} /></label>
  </details>`;
}

function help() {
  return html`<details class="panel">
    <summary>${text.notation}</summary>
    ${text.help.map((line) => html`<p>${line}</p>`)}
  </details>`;
}
