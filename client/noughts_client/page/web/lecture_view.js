// The view of a lecture: the search that is chosen or several, with the code, the questions and the bar of steps.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board } from "./board.js";
import {
  chooseSearch, predict, predictAgain, SEARCHES, state, toggleEditing, togglePredicting, togglePresent, toggleSeveral, waiting,
} from "./lecture.js";
import { codeOf, linesAt, waitingAt } from "./lecture_code.js";
import { controls } from "./lecture_controls.js";
import { formView } from "./lecture_form.js";
import { isSmall, rowsOf } from "./lecture_layout.js";
import { playoutAt, resultOf } from "./lecture_playouts.js";
import { answerAt, moreAfter, questionAt } from "./lecture_predict.js";
import { closing, comparison, shown, treeView, whoIs, words } from "./lecture_tree.js";
import { windowView } from "./lecture_window.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./lecture_layout.js").Trace} Trace
 */

/** The smallest letters of a tree on a projector, in pixels. */
const PRESENT_PX = 29;

export { enterLecture, leaveLecture } from "./lecture.js";
export const title = text.title;

/** @param {App} app */
export function lectureView(app) {
  const { traces, present, predicting } = state;
  const alone = traces.length === 1;
  const plays = traces.find(({ search }) => search === "mcts");
  // on a projector the boards of a game take the width, and the line of the code that runs stands above them
  const wide = present && alone && !predicting && !plays && traces[0].tree === undefined;
  return html`<div class="lecture ${present ? "present" : ""}">
    ${head()} ${state.editing ? formView(app) : nothing}
    ${state.error ? html`<p class="error" role="alert">${state.error}</p>` : nothing}
    ${!traces.length && !state.error ? html`<p class="note" role="status">${text.computing}</p>` : nothing}
    <div class="searches ${wide ? "wide" : ""}" data-count=${traces.length}>
      ${traces.map((trace, index) => searchView(app, trace, index, wide))}
      ${alone && !wide ? html`<div class="aside">${codeView(traces[0])} ${plays ? playoutView(app, plays) : nothing} ${predicting ? predictView() : nothing}</div>` : nothing}
    </div>
    ${!alone && predicting ? predictView() : nothing}
    ${controls()}
  </div>`;
}

/** What is shown, and what else could be. */
function head() {
  const { searches, several } = state;
  const toggle = (/** @type {string} */ label, /** @type {boolean} */ on, /** @type {() => void} */ act, help = "", kind = "") =>
    html`<button class=${kind} title=${help || nothing} aria-pressed=${on ? "true" : "false"} @click=${act}>${label}</button>`;
  // The searches are no radio buttons: the arrow keys are for steps.
  return html`<div class="head">
    <h1>${searches.length === 1 ? (state.present ? text.short : text.searches)[searches[0]] : text.more(searches.length)}</h1>
    <div class="segments" role="group" aria-label=${text.compare}>
      ${SEARCHES.map(
        (search) => html`<button aria-pressed=${searches.includes(search) ? "true" : "false"} @click=${() => chooseSearch(search)}>${text.short[search]}</button>`,
      )}
    </div>
    <div class="tools">
      ${toggle(text.several, several, toggleSeveral)} ${toggle(text.predict, state.predicting, togglePredicting, text.predictHelp)}
      ${toggle(text.another, state.editing, toggleEditing, "", "subject-button")} ${toggle(text.present, state.present, togglePresent)}
    </div>
  </div>`;
}

/**
 * How much is searched so far: in the end also how many leaves, which would give the answer away before.
 * @param {Trace} trace
 * @param {number} step
 */
function figures(trace, step) {
  const count = Math.min(step, trace.steps.length);
  const done = (/** @type {string} */ kind) => trace.steps.slice(0, count).filter((each) => each.step === kind).length;
  if (trace.search === "mcts") return text.sampling(done("back_up"), trace.ends);
  const ended = count === trace.steps.length;
  return `${text.visited(done("enter"), trace.visited)}${ended ? ` · ${text.leaves(trace.ends)}` : ""}`;
}

/**
 * @param {App} app
 * @param {Trace} trace
 * @param {number} index
 * @param {boolean} wide
 */
function searchView(app, trace, index, wide) {
  const count = Math.min(state.step, trace.steps.length);
  const alone = state.traces.length === 1;
  const asked = waiting() === index;
  const lines = linesAt(trace, count, asked);
  const end = closing(trace, count, state.plain ? [state.plain] : state.traces);
  return html`<section class="panel search" aria-label=${text.searches[trace.search]}>
    <div class="top">
      ${alone ? nothing : html`<h2>${text.short[trace.search]}</h2>`}
      ${end
        ? html`<p class="closing" role="status">${end}</p>`
        : html`<p class="words" aria-live=${state.playing ? "off" : "polite"}>${words(trace, count)}</p>`}
      <span class="figures">${figures(trace, state.step)}</span>
    </div>
    <p class="present-line">${(lines.length ? lines : [0]).map((line) => html`<code>${codeOf(trace)[line].words}</code> `)}</p>
    <div class="notes">${trace.notes.map((note) => html`<p class="note">${note}</p>`)}</div>
    <div class="picture">
      ${trace.search === "mcts" && !alone ? lastBoard(app, trace) : position(app, trace, count)}
      <div class="frame" tabindex="0" role="region" aria-label=${text.treeOf(text.searches[trace.search])}>
        ${trace.nodes.length ? treeView(trace, count, index, state.present ? PRESENT_PX : null, asked, !alone) : nothing}
      </div>
    </div>
    ${alone ? windowView(trace, count) : nothing}
  </section>`;
}

/** @param {Trace} trace */
function codeView(trace) {
  const count = Math.min(state.step, trace.steps.length);
  const present = linesAt(trace, count, waiting() === 0);
  const above = waitingAt(trace, count);
  return html`<section class="panel code" aria-label=${text.code}>
    <ol>
      ${codeOf(trace).map(({ words, indent }, index) => {
        const names = above.get(index);
        return html`<li class="${present.includes(index) ? "now" : ""} ${names ? "waiting" : ""}" aria-current=${index === present[0] ? "step" : nothing}>
          <span class="waits" aria-label=${names ? text.waiting(names) : nothing} role=${names ? "img" : nothing}>${names ? html`<i>${text.waits(names)}</i>` : nothing}</span>
          <code .style=${`--indent: ${indent}`}>${words}</code>
        </li>`;
      })}
    </ol>
  </section>`;
}

/**
 * The end of the present playout: its board, and the moves that led there.
 * @param {App} app
 * @param {Trace} trace
 */
function playoutView(app, trace) {
  const playout = playoutAt(trace, Math.min(state.step, trace.steps.length));
  return html`<section class="panel playout" aria-label=${text.playout}>
    <h2>${text.playout}</h2>
    ${playout === null
      ? html`<p class="note">${text.noPlayout}</p>`
      : html`${lastBoard(app, trace)}
          <p><b>${resultOf(playout)}</b><br />${playout.moves?.slice(0, 40).join(" ")}${(playout.moves?.length ?? 0) > 40 ? " …" : ""}</p>`}
  </section>`;
}

/**
 * The board at the end of the present playout.
 * @param {App} app
 * @param {Trace} trace
 */
function lastBoard(app, trace) {
  const game = app.games.get(trace.game ?? "");
  const rows = playoutAt(trace, Math.min(state.step, trace.steps.length))?.rows;
  return html`<div class="position">${game && rows ? board({ game, rows, label: text.playout }) : nothing}</div>`;
}

/** The question, what the answer was worth, and the score. */
function predictView() {
  const { traces, step, score } = state;
  const index = waiting();
  const results = [...score.asked.values()];
  const judged = traces.findIndex((_, each) => answerAt(each, step, score) !== null);
  return html`<section class="panel predict" aria-label=${text.predict}>
    ${index >= 0 ? questionView(traces[index], step, traces.length > 1) : judged >= 0 ? verdictView(traces[judged], judged) : html`<p class="note">${moreAfter(traces, 0) ? (moreAfter(traces, step) ? text.noneYet : text.noMore) : text.noQuestions}</p>`}
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
  return html`<div class="position">${board({ game, rows, counts: place.counts, label: text.position })}</div>`;
}
