// The view of a lecture.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board } from "./board.js";
import {
  choose, example, forward, go, last, pause, play, predict, predictAgain, SEARCHES, setSpeed, state, submit, togglePredicting, togglePresent, waiting,
} from "./lecture.js";
import { codeOf, linesAt, waitingAt } from "./lecture_code.js";
import { answerAt, questionAt } from "./lecture_predict.js";
import { closing, comparison, isSmall, rowsOf, shown, treeView, whoIs, words } from "./lecture_tree.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./lecture_tree.js").Trace} Trace
 */

const SPEEDS = [0.5, 1, 2, 4, 10];

/** The smallest letters of a tree on a projector, in pixels. */
const PRESENT_PX = 29;

export { enterLecture, leaveLecture } from "./lecture.js";
export const title = text.title;

/** @param {App} app */
export function lectureView(app) {
  return html`<div class="lecture ${state.present ? "present" : ""}">
    ${controls()}
    <div class="searches" data-count=${state.traces.length}>
      ${state.traces.map((trace, index) => searchView(app, trace, index))}
      ${state.traces.length === 1 ? html`<div class="aside">${codeView(state.traces[0])} ${state.predicting ? predictView() : nothing}</div>` : nothing}
    </div>
    ${state.traces.length > 1 && state.predicting ? predictView() : nothing}
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
    ${button(text.forward, "›", () => (pause(), forward()), waiting() >= 0)} ${button(text.last, "▶|", stop(end))}
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
    <button @click=${togglePredicting} title=${text.predictHelp} aria-pressed=${state.predicting ? "true" : "false"}>${text.predict}</button>
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
  const alone = state.traces.length === 1;
  const several = state.traces.length === 4 ? 2 : state.traces.length;
  const wide = innerWidth > 1100;
  const room = wide ? (innerWidth - 32) / several - 64 - (alone ? 0.32 * innerWidth : 0) : innerWidth - 64;
  const bare = !alone && trace.tree !== undefined && trace.nodes.every(({ name }) => name === undefined); // only the values are left
  const lines = alone ? [] : linesAt(trace, count, isAsking(index));
  const end = closing(trace, count, state.plain ? [state.plain] : state.traces);
  return html`<section class="panel search" aria-label=${text.searches[trace.search]}>
    <h2>
      ${text.searches[trace.search]}
      <span class="figures">${text.visited(visited, trace.visited)}${ended ? ` · ${text.leaves(trace.ends)}` : ""}${ended && trace.value !== null ? ` · ${text.value(trace.value)}` : ""}</span>
    </h2>
    <p class="words" aria-live=${state.playing ? "off" : "polite"}>${words(trace, count)}</p>
    ${lines.length ? html`<p class="present-line"><code>${codeOf(trace)[lines[0]].words}</code></p>` : nothing}
    ${end ? html`<p class="closing" role="status">${end}</p>` : nothing} ${trace.notes.map((note) => html`<p class="note">${note}</p>`)}
    ${position(app, trace, count)}
    <div class="frame ${bare ? "bare-tree" : ""}" tabindex="0" role="region" aria-label=${text.treeOf(text.searches[trace.search])}>
      ${trace.nodes.length ? treeView(trace, count, room, index, state.present ? PRESENT_PX / (bare ? 27 : 17) : undefined) : nothing}
    </div>
  </section>`;
}

/**
 * Whether this search waits for an answer.
 * @param {number} index
 */
const isAsking = (index) => waiting() === index;

/** @param {Trace} trace */
function codeView(trace) {
  const count = Math.min(state.step, trace.steps.length);
  const present = linesAt(trace, count, isAsking(0));
  const above = waitingAt(trace, count);
  return html`<section class="panel code" aria-label=${text.code}>
    <ol>
      ${codeOf(trace).map(({ words, indent }, index) => {
        const names = above.get(index);
        return html`<li class=${present.includes(index) ? "now" : ""} aria-current=${index === present[0] ? "step" : nothing}>
          <span class="waits" aria-label=${names ? text.waiting(names) : nothing} role=${names ? "img" : nothing}>${names ? text.waits(names) : nothing}</span>
          <code .style=${`--indent: ${indent}`}>${words}</code>
        </li>`;
      })}
    </ol>
  </section>`;
}

/** The question, what the answer was worth, and the score. */
function predictView() {
  const { traces, step, score } = state;
  const index = waiting();
  const results = [...score.asked.values()];
  const judged = traces.findIndex((_, each) => answerAt(each, step, score) !== null);
  return html`<section class="panel predict" aria-label=${text.predict}>
    ${index >= 0 ? questionView(traces[index], step, traces.length > 1) : judged >= 0 ? verdictView(traces[judged], judged) : html`<p class="note">${traces.every(({ search }) => search === "minimax") ? text.noQuestions : text.noneYet}</p>`}
    ${results.length
      ? html`<p class="score">
          <span class="marks" aria-hidden="true">${results.slice(-24).map((right) => html`<i class=${right ? "right" : "wrong"}>${right ? "✓" : "✕"}</i>`)}</span>
          <span>${text.score(results.filter(Boolean).length, results.length)}</span>
          <button @click=${predictAgain}>${text.again}</button>
        </p>`
      : nothing}
  </section>`;
}

/**
 * @param {Trace} trace
 * @param {number} step
 * @param {boolean} several
 */
function questionView(trace, step, several) {
  const question = questionAt(trace, step);
  if (question === null) return nothing;
  return html`<div role="status">
      <h2>${several ? `${text.searches[trace.search]}, ` : ""}${text.ask(whoIs(trace, question.node))}</h2>
      <p>${text.askWindow(shown(question.alpha, -1), shown(question.beta, 1))}</p>
    </div>
    <p class="answers">
      <button class="main" @click=${() => predict(true)}>${text.cutIt}</button>
      <button class="main" @click=${() => predict(false)}>${text.searchIt}</button>
    </p>`;
}

/**
 * @param {Trace} trace
 * @param {number} index
 */
function verdictView(trace, index) {
  const question = questionAt(trace, state.step);
  const right = answerAt(index, state.step, state.score);
  if (question === null || right === null) return nothing;
  return html`<p class="verdict ${right ? "right" : "wrong"}" role="status">${text.judged(right, question.cut, comparison(trace, question, question.cut))}</p>`;
}

/**
 * The board where the search is, if it is too large to stand in the tree.
 * @param {App} app
 * @param {Trace} trace
 * @param {number} count
 */
function position(app, trace, count) {
  const game = trace.game === undefined ? undefined : app.games.get(trace.game);
  const place = trace.nodes[count ? trace.steps[count - 1].node : 0];
  const rows = rowsOf(place);
  if (!game || !rows.length || isSmall(place)) return nothing;
  return html`<div class="position">${board({ game, rows, counts: place.counts, small: true, label: text.position })}</div>`;
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
