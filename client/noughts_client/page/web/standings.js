// What the standings of a tournament are shown with: names, points, form, ranks that have changed. Pure.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { competeText as own } from "./compete_texts.js";
import { nameOf } from "./games.js";

/**
 * @typedef {import("./tournament.js").Shown} Shown
 * @typedef {import("./tournament.js").Row} Row
 * @typedef {import("./tournament.js").Player} Player
 * @typedef {import("./tournament.js").Result} Result
 * @typedef {(player: Player) => string} Names
 */

/** From so many rounds on there is one ring for all. */
const RINGS = 9;

/** Whether somebody has another place than after the round before. @param {{was?: number, place: number}[]} rows */
export const haveMoved = (rows) => rows.some(({ was, place }) => was !== undefined && was !== place);

/** Of so many players at most the cross table has a column for each. */
export const SQUARE = 20;

/** How many results a form shows. */
const FORM = 6;

/**
 * What to call each player: by the name and, where two names look alike, by the number as well.
 * @param {Row[]} rows
 * @returns {Names}
 */
export function namesOf(rows) {
  const alike = (/** @type {string} */ name) => name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { player } of rows) counts.set(alike(nameOf(player)), (counts.get(alike(nameOf(player))) ?? 0) + 1);
  const numbers = new Map(rows.map(({ player, number }) => [player.id, number]));
  return (player) => {
    const name = nameOf(player);
    return (counts.get(alike(name)) ?? 0) > 1 && numbers.has(player.id) ? own.alike(name, numbers.get(player.id) ?? 0) : name;
  };
}

/**
 * A name in a line, with what all guests have in common in the background.
 * @param {string} name
 */
export function called(name) {
  const guest = name.startsWith("guest-");
  return html`<bdi>${guest ? html`<span class="guest">guest-</span>${name.slice("guest-".length)}` : name}</bdi>`;
}

/**
 * A name that leads to the player's page.
 * @param {Player} player
 * @param {string} name
 */
export function person(player, name) {
  if (player.id.startsWith("computer:")) return called(name);
  return html`<a class="person-link" href="/players/${encodeURIComponent(player.registered ? player.name : player.id)}">${called(name)}</a>`;
}

/** @type {Record<string, string>} */
const KINDS = {
  human: "M12 5a3.6 3.6 0 1 0 .01 0zM5 20c.8-3.8 3.2-5.6 7-5.6s6.2 1.8 7 5.6",
  bot: "M7 9h10a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM12 9V5M9.5 13.5v.01M14.5 13.5v.01M9.5 16.5h5",
};

/** @param {Player} player */
export function kindOf({ kind }) {
  return html`<svg class="icon kind" viewBox="0 0 24 24" role="img" aria-label=${own.kindNames[kind] ?? kind}>${svg`<path d=${KINDS[kind] ?? KINDS.bot}></path>`}</svg>`;
}

/** Points in words, such as 2½; a tie-break may have quarters. @param {number} points */
export function half(points) {
  const whole = Math.floor(points);
  const part = /** @type {Record<number, string>} */ ({ 0.25: "¼", 0.5: "½", 0.75: "¾" })[points - whole];
  return points === whole ? String(whole) : part ? `${whole || ""}${part}` : points.toFixed(2);
}

/** Points whose whole digits stand below each other. @param {number} points */
export function hung(points) {
  const whole = Math.floor(points);
  return html`<span class="hung">${points !== whole && !whole ? nothing : whole}<span class="half">${points === whole ? nothing : "½"}</span></span>`;
}

/** The last results as ticks above, on and below a line. @param {string} [form] */
export function formOf(form = "") {
  const last = [...form].slice(-FORM);
  /** @type {Record<string, string>} */
  const kinds = { 1: "won", "=": "drawn", 0: "lost", "+": "won bye", h: "drawn bye", "-": "lost bye", ".": "playing" };
  return html`<svg class="form" viewBox="0 0 ${FORM * 11} 24" role="img" aria-label=${last.length ? last.map((sign) => own.signs[sign]).join(", ") : own.noForm}>
    <path class="base" d="M0 12h${FORM * 11}"></path>
    ${last.map((sign, index) => {
      const x = index * 11 + 3;
      const kind = kinds[sign] ?? "";
      if (sign === ".") return svg`<circle class="playing" cx=${x + 2.5} cy="12" r="3.4"></circle>`;
      const [y, height] = sign === "1" || sign === "+" ? [2, 10] : sign === "0" || sign === "-" ? [12, 10] : [10, 4];
      return svg`<rect class=${kind} x=${kind.startsWith("drawn") ? x - 1.5 : x} y=${y} width=${kind.startsWith("drawn") ? 8 : 5} height=${height}></rect>`;
    })}
  </svg>`;
}

/**
 * How many places a player has won or lost since the round before.
 * @param {Row} row
 */
export function moved({ was, place }) {
  if (was === undefined) return nothing;
  const by = was - place;
  if (by === 0) return html`<span class="same" aria-label=${own.same}>–</span>`;
  return html`<span class=${by > 0 ? "rose" : "fell"} role="img" aria-label=${own.moved(by)}>${by > 0 ? "▲" : "▼"}${Math.abs(by)}</span>`;
}

/**
 * A ring of which a part is filled.
 * @param {number} share from 0 to 1
 * @param {unknown} [within]
 * @param {string} [classes]
 */
export function ring(share, within = nothing, classes = "") {
  return html`<svg class="ring ${classes}" viewBox="0 0 36 36" aria-hidden="true">
    <circle class="track" cx="18" cy="18" r="14"></circle>
    ${share > 0 ? svg`<circle class="arc" cx="18" cy="18" r="14" pathLength="100" stroke-dasharray="${(100 * share).toFixed(1)} 100" transform="rotate(-90 18 18)"></circle>` : nothing}
    ${within}
  </svg>`;
}

/**
 * The rounds as rings: those that are over, the present one as far as it has come, those to come.
 * @param {Shown} shown
 * @param {boolean} within whether the numbers are within the rings
 */
export function roundRings({ tournament: { round, rounds, status }, games }, within) {
  if (rounds === null || round === 0) return nothing;
  const over = games.length ? games.filter(({ points }) => points).length / games.length : 1;
  const share = (/** @type {number} */ number) => (number < round || (number === round && status === "finished") ? 1 : number === round ? over : 0);
  const now = (/** @type {number} */ number) => (number === round && status !== "finished" ? "now" : number <= round ? "done" : "");
  if (rounds > RINGS) {
    return html`<div class="rings one" role="img" aria-label=${own.ringed(round, rounds)}>${ring((round - 1 + over) / rounds, nothing, "now")}<span aria-hidden="true">${round}/${rounds}</span></div>`;
  }
  return html`<ol class="rings ${within ? "within" : ""}" aria-label=${own.ringed(round, rounds)}>
    ${Array.from({ length: rounds }, (_, index) => {
      const number = index + 1;
      return html`<li class=${now(number)}>${ring(share(number), within ? svg`<text x="18" y="22.5">${number}</text>` : nothing, now(number))}${within ? nothing : html`<span aria-hidden="true">${number}</span>`}</li>`;
    })}
  </ol>`;
}

/**
 * Whether players are paired in rounds, and not as soon as they are free.
 * @param {string} format
 */
export const hasRounds = (format) => format !== "arena" && format !== "ladder";

/**
 * Who met whom with which result: by the opponents where all can be shown, otherwise by rounds.
 * @param {Shown} shown
 * @param {Names} names
 * @param {string | undefined} me
 */
export function crossTable({ tournament: { format }, standings: rows }, names, me) {
  const square = rows.length <= SQUARE && hasRounds(format);
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const most = Math.max(1, ...rows.map(({ results }) => results?.length ?? 0));
  const head = square ? rows.map((row, index) => html`<th title=${names(row.player)}>${index + 1}</th>`) : Array.from({ length: most }, (_, index) => html`<th title=${own.roundNo(index + 1)}>${index + 1}</th>`);
  const place = new Map(rows.map((row, index) => [row.number, index]));
  const alone = (/** @type {Row} */ { results = [] }) => (square ? results.filter(({ opponent, points }) => opponent === null && points) : []);
  const byes = rows.some((row) => alone(row).length);
  return html`<div class="wide" tabindex="0" role="region" aria-label=${own.cross}>
    <table class="cross ${square ? "square" : "byround"}">
      <thead><tr><th class="no">#</th><th class="entrant">${own.player}</th>${head}${byes ? html`<th class="byes">${own.bye}</th>` : nothing}<th class="points"><span class="spoken">${own.points}</span></th></tr></thead>
      <tbody>
        ${repeat(rows, (row) => row.player.id, (row, index) => {
          const cells = square ? rows.map((other) => (other === row ? html`<td class="self"></td>` : html`<td>${(row.results ?? []).filter(({ opponent }) => opponent === other.number).map((result) => cell(result, other, names))}</td>`))
            : Array.from({ length: most }, (_, at) => {
                const result = row.results?.[at];
                const other = result?.opponent == null ? undefined : byNumber.get(result.opponent);
                return html`<td>${result ? cell(result, other, names) : nothing}${other ? html`<sub>${(place.get(other.number) ?? 0) + 1}</sub>` : nothing}</td>`;
              });
          return html`<tr class=${row.player.id === me ? "mine" : nothing}><td class="no">${index + 1}</td><th scope="row" class="entrant">${person(row.player, names(row.player))}</th>${cells}${byes ? html`<td class="byes">${alone(row).map((result) => cell(result, undefined, names))}</td>` : nothing}<td class="points">${half(row.points)}</td></tr>`;
        })}
      </tbody>
    </table>
  </div>
  <p class="note small cross-legend">${own.crossLegend(square)}</p>`;
}

/**
 * @param {Result} result
 * @param {Row | undefined} other
 * @param {Names} names
 */
function cell({ points, played, room }, other, names) {
  const kind = points === null ? "playing" : points === 1 ? "won" : points === 0 ? "lost" : "drawn";
  const words = points === null ? "○" : played === false && points ? "+" : half(points);
  if (!room || !other) return html`<span class="cell ${kind} bye" title=${points ? own.bye : nothing}>${words}</span>`;
  const spoken = own.against(names(other.player), points === null ? own.going : half(points));
  return html`<a class="cell ${kind} ${played === false ? "bye" : ""}" href="/rooms/${room}" aria-label=${spoken} title=${spoken}>${words}</a>`;
}
