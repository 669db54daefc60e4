// What a lecture searches: the form, examples, a link, and how to write a tree.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { choose, example, PLAYOUTS, state, submit } from "./lecture.js";
import { lecture as text } from "./lecture_texts.js";

/** @param {import("./app.js").App} app */
export function formView(app) {
  const tree = state.subject === "tree";
  const plays = state.searches.includes("mcts");
  const field = (/** @type {string} */ label, /** @type {"tree" | "start" | "moves"} */ name, length = 2000, hint = "") =>
    html`<label class="wide">${label}
      <input name=${name} .value=${state[name]} maxlength=${length} placeholder=${hint} autocomplete="off" autocapitalize="off" spellcheck="false" /></label>`;
  const number = (/** @type {string} */ label, /** @type {"depth" | "playouts" | "seed"} */ name, /** @type {number} */ least, /** @type {number} */ most, hint = "") =>
    html`<label>${label} <input name=${name} type="number" min=${least} max=${most} placeholder=${hint} .value=${state[name]} /></label>`;
  return html`<section class="panel subject" aria-label=${text.another}>
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
        ${tree ? field(text.leavesOf, "tree", 4000) : html`${field(text.start, "start", 500, text.fromStart)} ${field(text.moves, "moves")}`}
        ${number(text.depth, "depth", 1, 20, text.toTheEnd)}
        ${plays ? html`${number(text.playouts, "playouts", 1, 200, String(PLAYOUTS))} ${number(text.seed, "seed", 0, 999999, "0")}` : nothing}
        <label
          >${text.cutRule}
          <select name="cut">
            <option value="equal" ?selected=${!state.strict}>α ≥ β</option>
            <option value="strict" ?selected=${state.strict}>α &gt; β</option>
          </select></label
        >
        <button class="main">${text.show}</button>
      </div>
    </form>
    ${tree
      ? html`<p class="examples">
          ${text.examples}
          ${text.figures.map(({ name, tree: of }) => html`<button @click=${() => example(of)}>${name}</button>`)}
        </p>`
      : nothing}
    <label>${text.link} <input readonly .value=${location.href} @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()} /></label>
    <details>
      <summary>${text.notation}</summary>
      ${text.help.map((line) => html`<p>${line}</p>`)}
    </details>
  </section>`;
}
