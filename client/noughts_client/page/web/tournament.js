// A tournament: its terms, what one can do, the standings as they change, the games and the cross table.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { control } from "./clock.js";
import { competeText as own } from "./compete_texts.js";
import { Lost, Refused } from "./connection.js";
import { nameOf, personOf } from "./games.js";
import { shareButton } from "./link.js";
import { setupText, text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {{id: string, name: string, kind: string, registered?: boolean, rating?: number}} Player
 * @typedef {{tournament: string, name: string, by: Player, format: string, game: string, setup?: import("./types.js").Setup,
 *            clock: import("./types.js").TimeControl | null, rated: boolean, kinds: string, registered: boolean, private: boolean,
 *            status: "open" | "running" | "finished", players: number, most: number, round: number, rounds: number | null,
 *            minutes?: number, starts_at?: string, ends_at?: string}} Terms
 * @typedef {{opponent: number | null, points: number | null, played?: boolean, room?: string}} Result
 * @typedef {{place: number, number: number, player: Player, points: number, won: number, drawn: number, lost: number,
 *            withdrawn?: "left" | "removed", results?: Result[]} & Record<string, any>} Row
 * @typedef {{room: string, round: number, first: Player, second: Player, points: number[] | null}} Game
 * @typedef {{tournament: Terms, version: number, paused: boolean, standings: Row[], games: Game[], more?: number}} Shown
 */

/** @type {Page} */
let page;

const now = {
  /** @type {string | null} */
  id: null,
  /** @type {Shown | null} */
  shown: null,
  unknown: false,
  /** @type {string | null} */
  problem: null,
  /** What is to be confirmed. @type {"withdraw" | "end" | null} */
  asking: null,
  /** How many rows are shown at least; the server sends a hundred at a time. */
  rows: 0,
  /** Whether the cross table is open. */
  cross: false,
};

export const tournament = { show, leave, onPush, title, view };

/** The title of the page. @param {string} id */
function title(id) {
  return now.id === id && now.shown ? now.shown.tournament.name : own.title;
}

/**
 * Show a tournament, or none. It is asked for again when the connection is new.
 * @param {Page} from
 * @param {string | null} id
 */
function show(from, id) {
  page = from;
  if (id !== now.id) {
    leave();
    Object.assign(now, { id, shown: null, unknown: false, problem: null, asking: null, rows: 0, cross: false });
  }
  if (id !== null) load();
}

/** Hear no more of it. */
function leave() {
  if (now.id !== null && page.app.connection.welcomed) page.app.connection.request("tournament", { tournament: now.id }).catch(() => {});
  now.id = null;
}

/** @param {import("./connection.js").Message} message */
function onPush(message) {
  if (message.tournament.tournament !== now.id) return;
  if (now.cross || now.rows) return void load(); // a push has the first rows, without results
  now.shown = /** @type {any} */ (message);
  page.app.actions.redraw();
}

/** Ask for the standings, and hear of changes. */
async function load() {
  const { app } = page;
  const { id } = now;
  try {
    const ask = (/** @type {number} */ after) => app.connection.request("tournament", { tournament: id, watch: true, results: now.cross, after });
    const shown = /** @type {Shown} */ (/** @type {unknown} */ (await ask(0)));
    while (shown.more !== undefined && shown.more <= now.rows) {
      const next = await ask(shown.more);
      shown.standings.push(...next.standings);
      shown.more = next.more;
    }
    if (now.id !== id) return;
    if (!now.shown || shown.version >= now.shown.version) now.shown = shown;
    now.problem = null;
  } catch (error) {
    if (!(error instanceof Refused) || now.id !== id) return; // a new connection asks again
    if (error.retryAfterS !== undefined) setTimeout(() => now.id === id && load(), 1000 * error.retryAfterS);
    now.unknown = error.code === "unknown_tournament";
    now.problem = error.message;
  }
  app.actions.redraw();
}

/**
 * Do something in the tournament; the standings follow by themselves.
 * @param {string} type
 */
async function act(type) {
  const { app } = page;
  now.asking = now.problem = null;
  try {
    await app.connection.request(type, { tournament: now.id });
  } catch (error) {
    now.problem = error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message;
  }
  app.actions.redraw();
}

/** @param {"withdraw" | "end" | null} what */
function confirm(what) {
  now.asking = what;
  page.app.actions.redraw();
}

/**
 * @param {App} app
 * @param {string} id
 */
function view(app, id) {
  const { shown, unknown, problem } = now;
  if (unknown) {
    return html`<section class="panel nothing">
      <h1>${own.unknown}</h1>
      <p>${own.unknownHelp}</p>
      <p><a class="button main" href="/compete">${own.all}</a></p>
    </section>`;
  }
  if (!shown || now.id !== id) return html`<h1 class="spoken">${own.title}</h1><p class="note" role="status">${problem ?? own.loading}</p>`;
  return html`<div class="tournament">
    ${heading(app, shown)} ${standings(shown)} ${games(shown)} ${app.present ? nothing : cross(shown)}
  </div>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 */
function heading(app, { tournament: terms, paused, standings, games }) {
  const mine = games.find(({ first, second, points }) => points === null && (first.id === app.me?.id || second.id === app.me?.id));
  const other = mine && (mine.first.id === app.me?.id ? mine.second : mine.first);
  const quiet = () => page.change({ notice: null });
  return html`<section class="panel">
    <h1><bdi>${terms.name}</bdi></h1>
    <p class="note">${inWords(app, terms)} · ${own.by} ${personOf(terms.by)}</p>
    <p role="status">${state(terms, paused, standings)}</p>
    ${other && !app.present ? html`<p class="yours"><span class="here"></span><strong>${own.youPlay(nameOf(other))}</strong> <a class="button main" href="/rooms/${mine.room}" @click=${quiet}>${own.toBoard}</a></p>` : nothing}
    ${app.present ? nothing : actions(app, terms, paused, standings)}
    ${now.problem ? html`<p class="error" role="alert">${now.problem}</p>` : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {Terms} terms
 */
function inWords(app, terms) {
  const game = app.games.get(terms.game);
  const setup = setupText(game, terms.setup);
  return [
    own.meet(terms.format, terms.rounds, terms.minutes),
    `${game?.title ?? terms.game}${setup && ` (${setup})`}`,
    terms.clock ? control(terms.clock) : text.noClock,
    terms.rated ? own.rated : own.notRated,
    own.kinds[terms.kinds],
    terms.registered ? own.registered : "",
    terms.private ? own.private : "",
  ].filter(Boolean).join(" · ");
}

/**
 * @param {Terms} terms
 * @param {boolean} paused
 * @param {Row[]} standings
 */
function state({ format, status, players, most, round, rounds, starts_at, ends_at }, paused, standings) {
  if (status === "open") {
    const at = starts_at && new Date(starts_at).toLocaleString("en", { weekday: "long", hour: "2-digit", minute: "2-digit", hour12: false });
    return `${own.isOpen(players, most)}${at ? ` ${own.starts(at)}` : ""}`;
  }
  if (status === "finished") return `${own.over} ${round ? own.won(standings.filter(({ place }) => place === 1).map(({ player }) => nameOf(player))) : ""}`;
  const until = ends_at ? ` ${own.ends(new Date(ends_at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false }))}` : "";
  return `${format === "arena" ? own.arena : own.running(round, rounds)}${until}${paused ? ` ${own.paused}` : ""}`;
}

/**
 * @param {App} app
 * @param {Terms} terms
 * @param {boolean} paused
 * @param {Row[]} standings
 */
function actions(app, { status, format, by, name }, paused, standings) {
  const button = (/** @type {string} */ label, /** @type {() => void} */ press, main = false) => html`<button class=${main ? "main" : nothing} @click=${press}>${label}</button>`;
  if (now.asking) {
    const { asking } = now;
    return html`<p>${asking === "end" ? own.endAsk : own.withdrawAsk}</p>
      <div class="acts">${button(text.yes, () => act(asking === "end" ? "end_tournament" : "withdraw"), true)} ${button(text.no, () => confirm(null))}</div>`;
  }
  const row = standings.find(({ player }) => player.id === app.me?.id);
  const entered = row !== undefined && !row.withdrawn;
  const open = status === "open" || (status === "running" && (format === "arena" || format === "swiss"));
  const mayEnter = open && !entered && row?.withdrawn !== "removed" && !app.may;
  const running = status === "running";
  const organises = by.id === app.me?.id && status !== "finished";
  return html`${entered && status !== "finished" ? html`<p class="note">${own.entered}</p>` : nothing}
    <div class="acts">
      ${mayEnter ? button(own.enter, () => act("enter_tournament"), true) : nothing}
      ${organises && !running ? button(own.start, () => act("start_tournament"), !mayEnter) : nothing}
      ${organises && running ? button(paused ? own.resume : own.pause, () => act(paused ? "resume_tournament" : "pause_tournament")) : nothing}
      ${entered && status !== "finished" ? button(own.withdraw, () => (running ? confirm("withdraw") : act("withdraw"))) : nothing}
      ${organises ? button(own.end, () => confirm("end")) : nothing}
      ${shareButton(location.origin + location.pathname, name)}
      <a class="button" href="${location.pathname}?present">${text.projector}</a>
    </div>`;
}

/** @param {number} points */
function half(points) {
  const whole = Math.floor(points);
  return points === whole ? String(whole) : `${whole || ""}½`;
}

/** @param {Shown} shown */
function standings({ tournament: { status }, standings: rows, more }) {
  if (!rows.length) return status === "open" ? nothing : html`<p class="empty">${own.nobody}</p>`;
  const begun = status !== "open";
  const ties = begun ? own.ties.filter(([key]) => rows.some((row) => row[key] !== undefined)) : [];
  const next = () => {
    now.rows = more ?? 0;
    load();
  };
  return html`<section class="panel standings">
    <h2>${begun ? own.standings : own.entrants}</h2>
    <div class="wide" tabindex="0" role="region" aria-label=${begun ? own.standings : own.entrants}>
      <table>
        <tr>
          <th>${begun ? own.place : own.number}</th><th>${own.player}</th>
          ${begun ? html`<th>${own.points}</th><th><abbr title=${own.won3}>+ = −</abbr></th>${ties.map(([, name]) => html`<th class="tie">${name}</th>`)}` : nothing}
        </tr>
        ${repeat(
          rows,
          (row) => row.player.id,
          (row) => html`<tr class=${row.player.id === page.app.me?.id ? "mine" : nothing}>
            <td>${begun ? row.place : row.number}</td>
            <th scope="row">${personOf(row.player)} ${row.player.rating === undefined ? nothing : html`<span class="note">${row.player.rating}</span>`} ${row.withdrawn ? html`<span class="note small">${own[row.withdrawn]}</span>` : nothing}</th>
            ${begun
              ? html`<td class="points">${half(row.points)}</td><td>${row.won} ${row.drawn} ${row.lost}</td>
                  ${ties.map(([key]) => html`<td class="tie">${row[key] === undefined ? "" : key === "performance" ? row[key] : +row[key].toFixed(2)}</td>`)}`
              : nothing}
          </tr>`,
        )}
      </table>
    </div>
    ${more === undefined ? nothing : html`<p><button @click=${next}>${own.more}</button></p>`}
  </section>`;
}

/** @param {Shown} shown */
function games({ tournament: { format, round }, games: all }) {
  if (!all.length) return nothing;
  return html`<section class="panel pairings">
    <h2>${format === "arena" ? own.games : own.gamesOf(round)}</h2>
    <ul>
      ${repeat(
        all,
        (game) => game.room,
        ({ room, first, second, points }) => html`<li>
          <a href="/rooms/${room}"><bdi>${nameOf(first)}</bdi> – <bdi>${nameOf(second)}</bdi></a>
          <span class=${points ? "points" : "note small"}>${points ? `${half(points[0])} : ${half(points[1])}` : own.playing}</span>
        </li>`,
      )}
    </ul>
  </section>`;
}

/** The results of each player, asked for when they are wanted. @param {Shown} shown */
function cross({ tournament: { status, format }, standings: rows }) {
  if (status === "open" || !rows.length) return nothing;
  const toggle = (/** @type {Event} */ event) => {
    const { open } = /** @type {HTMLDetailsElement} */ (event.target);
    if (open === now.cross) return;
    now.cross = open;
    if (open) load();
  };
  const names = new Map(rows.map(({ number, player }) => [number, nameOf(player)]));
  const most = Math.max(...rows.map(({ results }) => results?.length ?? 0));
  return html`<details class="panel cross" .open=${now.cross} @toggle=${toggle}>
    <summary>${own.cross}</summary>
    <p class="note small">${own.crossHelp}</p>
    <div class="wide" tabindex="0" role="region" aria-label=${own.cross}>
      <table>
        <tr>
          <th>${own.number}</th><th>${own.player}</th>
          ${format === "swiss" ? Array.from({ length: most }, (_, index) => html`<th><abbr title=${own.roundNo(index + 1)}>${index + 1}</abbr></th>`) : html`<th colspan=${Math.max(1, most)}>${own.results}</th>`}
        </tr>
        ${rows.toSorted((one, other) => one.number - other.number).map(
          ({ number, player, results = [] }) => html`<tr>
            <td>${number}</td>
            <th scope="row">${personOf(player)}</th>
            ${Array.from({ length: most }, (_, index) => html`<td>${index < results.length ? cell(results[index], names) : nothing}</td>`)}
          </tr>`,
        )}
      </table>
    </div>
  </details>`;
}

/**
 * @param {Result} result
 * @param {Map<number, string>} names by number
 */
function cell({ opponent, points, played, room }, names) {
  const words = points === null ? "…" : played === false && points ? "+" : half(points);
  if (opponent === null || !room) return words;
  const spoken = own.against(names.get(opponent) ?? `${own.number} ${opponent}`, points === null ? own.going : half(points));
  return html`<a href="/rooms/${room}" aria-label=${spoken} title=${spoken}>${words}<sub>${opponent}</sub></a>`;
}
