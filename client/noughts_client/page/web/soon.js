// The tournaments on the first view, in a line: those under way, and those that can be entered. It is loaded when there are any.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { competeText as own } from "./compete_texts.js";
import { icon } from "./icons.js";

/**
 * @param {import("./app.js").App} app
 * @param {import("./tournament.js").Terms[]} some
 */
export function soonView(app, some) {
  return html`<section class="news soon" aria-label=${own.title}>
    ${icon("compete")}
    ${some.map(({ tournament, name, game, status, players, round, rounds, starts_at }) => {
      const how = status === "running" ? (round && rounds !== null ? own.running(round, rounds) : own.groups.running) : starts_at ? own.at(starts_at) : own.waits;
      return html`<span>${status === "running" ? html`<span class="here"></span> ` : nothing}<a class="name" href="/tournaments/${tournament}"><bdi>${name}</bdi></a>
        <span class="note">${app.games.get(game)?.title ?? game} · ${how.charAt(0).toLowerCase()}${how.slice(1)} · ${own.players(players)}</span></span>`;
    })}
    <a href="/compete">${own.all}</a>
  </section>`;
}
