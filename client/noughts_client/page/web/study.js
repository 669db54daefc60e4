// The view of those who learn: lectures, games in files, and one's own games to review.

import { html } from "./vendor/lit-html/lit-html.js";
import { analysisText as analysis } from "./analysis_texts.js";
import { pastView } from "./games.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

export const title = text.study;

/** @param {App} app */
export function view(app) {
  return html`<div class="study">
    <div class="head"><h1>${text.study}</h1></div>
    <section class="panel">
      <h2>${text.lobby.lecture}</h2>
      <p>${text.lectureHelp}</p>
      <p><a class="button main" href="/lecture">${text.openLecture}</a></p>
    </section>
    <section class="panel">
      <h2>${analysis.title}</h2>
      <p>${analysis.help}</p>
      <p><a class="button main" href="/analysis">${analysis.open}</a></p>
    </section>
    <section class="panel">
      <h2>${text.replayFile}</h2>
      <p>${text.replayHelp}</p>
      <p><a class="button" href="/?replay">${text.openFile}</a></p>
    </section>
    ${app.mine.over?.length ? pastView(app) : html`<section class="panel"><h2>${text.reviewYours}</h2><p>${text.reviewHelp}</p></section>`}
  </div>`;
}
