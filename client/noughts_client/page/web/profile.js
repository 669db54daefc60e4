// A player's page: ratings with their course, results, and the last games as small boards. It shows what is public.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, isTurned } from "./board.js";
import { Lost, Refused } from "./connection.js";
import { nameOf } from "./games.js";
import { shareButton } from "./link.js";
import { isMuted, mute } from "./muting.js";
import { profileText as text } from "./profile_texts.js";
import { gameOf } from "./looks.js";
import { text as common } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").Side} Side
 * @typedef {{game: string, pool: string, rating: number, deviation: number, provisional: boolean, games: number}} Rating
 * @typedef {{room: string, game: string, ended_at: string, rated: boolean, seats: Listing["seats"], outcome: {winner: Side | null}}} Past
 * @typedef {{player: import("./muting.js").Player, ratings: Rating[], record: {game: string, won: number, drawn: number, lost: number}[],
 *            games: Past[], course: {game: string, pool: string, points: {at: string, rating: number}[]}[]}} Profile
 */

export let title = text.title;

/** How many of the last games are shown at first. */
const FIRST = 6;

/** How the scale of a graph may be divided. */
const STEPS = [10, 25, 50, 100, 250, 500];

const shown = {
  /** The name or id in the address. */
  name: "",
  /** @type {Profile | null} */
  profile: null,
  /** @type {string | null} */
  problem: null,
  unknown: false,
  /** Which rating is looked at. */
  chosen: 0,
  /** The places of the ratings in their leaderboards: text, by game and pool. @type {Map<string, string>} */
  ranks: new Map(),
  /** Whether all games are shown. */
  all: false,
};

/** @param {App} app */
export function view(app) {
  const name = decoded(location.pathname.slice("/players/".length));
  if (name !== shown.name) load(app, name);
  const { profile, problem, unknown } = shown;
  if (unknown) {
    return html`<section class="panel nothing">
      <h1>${text.unknown}</h1>
      <p>${text.unknownHelp}</p>
      <p><a class="button main" href="/">${common.toHome}</a></p>
    </section>`;
  }
  if (!profile) return html`<h1 class="spoken">${text.title}</h1><p class="note" role="status">${problem ?? text.loading}</p>`;
  return html`<div class="profile">
    ${heading(app, profile)} ${ratings(app, profile)} ${recent(app, profile)} ${record(app, profile)}
  </div>`;
}

/** @param {string} part of an address, which anybody can write */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {App} app
 * @param {string} name
 */
async function load(app, name) {
  Object.assign(shown, { name, profile: null, problem: null, unknown: false, chosen: 0, ranks: new Map(), all: false });
  title = text.title;
  try {
    const profile = /** @type {any} */ (await app.connection.request("player", { player: name }));
    if (shown.name !== name) return;
    title = text.of(profile.player.name);
    profile.ratings.sort((/** @type {Rating} */ one, /** @type {Rating} */ other) => other.games - one.games);
    shown.profile = profile;
    rank(app);
    show(app);
  } catch (error) {
    if (shown.name !== name) return;
    if (error instanceof Refused && error.retryAfterS !== undefined) setTimeout(() => shown.name === name && !shown.profile && load(app, name), 1000 * error.retryAfterS);
    if (error instanceof Lost) shown.name = ""; // asked for again when the connection is there
    shown.unknown = error instanceof Refused && error.code === "unknown_player";
    shown.problem = /** @type {Error} */ (error).message;
  }
  app.actions.redraw();
}

/** Look up the place of the rating that is looked at, among the best. @param {App} app */
async function rank(app) {
  const { profile, chosen, ranks } = shown;
  const rating = profile?.ratings[chosen];
  if (!profile || !rating) return;
  const key = `${rating.game} ${rating.pool}`;
  if (ranks.has(key) || rating.provisional) return;
  const answer = await app.connection.request("leaderboard", { game: rating.game, pool: rating.pool }).catch(() => null);
  if (answer === null) return;
  const place = answer.players.findIndex((/** @type {{id: string}} */ one) => one.id === profile.player.id);
  ranks.set(key, place < 0 ? text.belowRank : text.rank(place + 1, answer.players.length));
  app.actions.redraw();
}

/** Ask for the last positions of the games that are shown, one after the other. @param {App} app */
async function show(app) {
  const { profile, all } = shown;
  for (const { room } of (profile?.games ?? []).slice(0, all ? undefined : FIRST)) {
    if (shown.profile !== profile || app.view !== "player") return;
    if (app.boards.has(room)) continue;
    await app.connection.request("watch", { room, preview: true }).catch(() => {}); // then it stays empty
    app.connection.request("leave", { room }).catch(() => {});
  }
}

/**
 * @param {App} app
 * @param {Profile} profile
 */
function heading(app, { player, record }) {
  const mine = player.id === app.me?.id;
  const kind = mine ? text.you : player.registered || player.kind === "bot" ? text.kinds[player.kind] : text.guest;
  const sum = (/** @type {"won" | "drawn" | "lost"} */ what) => record.reduce((all, one) => all + one[what], 0);
  const [won, drawn, lost] = [sum("won"), sum("drawn"), sum("lost")];
  const silent = !mine && isMuted(app, player.id);
  const turn = async () => {
    shown.problem = await mute(app, player, !silent);
    app.actions.redraw();
  };
  return html`<section class="panel person-head">
    <div class="person-name">
      <h1><bdi>${nameOf(player)}</bdi></h1>
      <p class="note">${kind} · ${won + drawn + lost ? text.totals(won + drawn + lost, won, drawn, lost) : text.noGames}</p>
      ${won + drawn + lost ? resultBar(won, drawn, lost) : nothing}
      ${silent ? html`<p class="note" role="status">${text.muted}</p>` : nothing} ${shown.problem ? html`<p class="error" role="alert">${shown.problem}</p>` : nothing}
    </div>
    <div class="person-actions">
      ${shareButton(location.href, nameOf(player))}
      ${mine || player.kind === "computer" ? nothing : html`<button @click=${turn}>${silent ? text.unmute : text.mute}</button>`}
    </div>
  </section>`;
}

/**
 * @param {App} app
 * @param {Profile} profile
 */
function ratings(app, { player, ratings: all, course }) {
  if (!all.length) {
    return html`<section class="empty">
      <p>${player.id === app.me?.id ? text.noRatingsMine : text.noRatings}</p>
      <a class="button main" href="/">${text.toGames}</a>
    </section>`;
  }
  const rating = all[Math.min(shown.chosen, all.length - 1)];
  const game = app.games.get(rating.game)?.title ?? rating.game;
  const points = course.find((one) => one.game === rating.game && one.pool === rating.pool)?.points ?? [];
  const choose = (/** @type {number} */ index) => {
    shown.chosen = index;
    rank(app);
    app.actions.redraw();
  };
  const fact = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {unknown} */ more = nothing) =>
    html`<div><dt>${name}</dt><dd>${value}</dd>${more === nothing ? nothing : html`<dd class="note small">${more}</dd>`}</div>`;
  return html`<section class="panel ratings">
    <h2>${text.ratings}</h2>
    ${all.length === 1 ? html`<p class="note">${game} · ${rating.pool}</p>` : html`<div class="pools" role="radiogroup" aria-label=${text.ratings}>
      ${all.map(
        (one, index) => html`<label
          ><input type="radio" name="pool" .checked=${one === rating} @change=${() => choose(index)} />
          <span class="name">${app.games.get(one.game)?.title ?? one.game}</span><span class="note small">${one.pool}</span>
          <b>${one.rating}${one.provisional ? "?" : ""}</b></label
        >`,
      )}
    </div>`}
    <div class="pool">
      <dl>
        ${fact(text.rating, `${rating.rating}${rating.provisional ? "?" : ""}`, `${text.within(rating.deviation)}${rating.provisional ? `, ${text.provisional}` : ""}`)}
        ${rating.provisional ? fact(text.rankTitle, "–", text.noRank) : fact(text.rankTitle, shown.ranks.get(`${rating.game} ${rating.pool}`) ?? "…", text.rankHelp)}
        ${fact(text.games, rating.games)} ${points.length ? fact(text.best, Math.max(...points.map((point) => point.rating))) : nothing}
      </dl>
      ${points.length < 2 ? html`<p class="note">${text.oneGame}</p>` : graph(game, rating.pool, points)}
    </div>
  </section>`;
}

/** @param {string} at */
function day(at) {
  return new Date(at).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

/**
 * A rating over its last games.
 * @param {string} game
 * @param {string} pool
 * @param {{at: string, rating: number}[]} points
 */
function graph(game, pool, points) {
  const values = points.map((point) => point.rating);
  const spread = Math.max(...values) - Math.min(...values);
  const step = STEPS.find((one) => spread / one <= 4) ?? 1000;
  const low = Math.floor((Math.min(...values) - step / 4) / step) * step;
  const high = Math.ceil((Math.max(...values) + step / 4) / step) * step;
  const y = (/** @type {number} */ value) => 100 - ((value - low) / (high - low)) * 100;
  const x = (/** @type {number} */ index) => (index / (points.length - 1)) * 100;
  const line = values.map((value, index) => `${x(index).toFixed(2)} ${y(value).toFixed(2)}`).join("L");
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => low + index * step);
  const [from, to] = [day(points[0].at), day(points[points.length - 1].at)];
  return html`<figure class="rating-graph">
      <div class="field">
        ${ticks.map((tick) => html`<span class="tick" aria-hidden="true" .style=${`top: ${y(tick).toFixed(2)}%`}><b>${tick}</b></span>`)}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${text.graph(game, pool, values, from, to)}>
          <path class="area" d="M0 100L${line}L100 100Z"></path>
          <path class="course" d="M${line}"></path>
        </svg>
        <i class="end" .style=${`top: ${y(values[values.length - 1]).toFixed(2)}%`}></i>
      </div>
      <figcaption class="note small"><span>${from}</span><span>${to}</span></figcaption>
    </figure>
    <details>
      <summary>${text.table}</summary>
      <table class="numbers">
        <tr><th>${text.date}</th><th>${text.rating}</th></tr>
        ${[...points].reverse().map((point) => html`<tr><td>${day(point.at)}</td><td>${point.rating}</td></tr>`)}
      </table>
    </details>`;
}

/**
 * The shares of games won, drawn and lost.
 * @param {number} won
 * @param {number} drawn
 * @param {number} lost
 */
function resultBar(won, drawn, lost) {
  return html`<div class="result-bar" aria-hidden="true">
    ${[["won", won], ["drawn", drawn], ["lost", lost]].map(([kind, count]) => (count ? html`<i class=${kind} .style=${`flex: ${count}`}></i>` : nothing))}
  </div>`;
}

/**
 * @param {App} app
 * @param {Profile} profile
 */
function record(app, { record: all }) {
  if (!all.length) return nothing;
  const most = Math.max(...all.map(({ won, drawn, lost }) => won + drawn + lost));
  return html`<section class="panel">
    <h2>${text.record}</h2>
    <table class="numbers results">
      <tr><th>${text.game}</th><th>${text.won}</th><th>${text.drawn}</th><th>${text.lost}</th><td></td></tr>
      ${all.map(
        ({ game, won, drawn, lost }) => html`<tr>
          <th scope="row">${app.games.get(game)?.title ?? game}</th>
          <td>${won}</td><td>${drawn}</td><td>${lost}</td>
          <td aria-hidden="true"><div .style=${`width: ${((won + drawn + lost) / most) * 100}%`}>${resultBar(won, drawn, lost)}</div></td>
        </tr>`,
      )}
    </table>
  </section>`;
}

/**
 * @param {App} app
 * @param {Profile} profile
 */
function recent(app, { player, games }) {
  if (!games.length) return nothing;
  const some = games.slice(0, shown.all ? undefined : FIRST);
  const more = () => {
    shown.all = true;
    show(app);
    app.actions.redraw();
  };
  return html`<section class="live">
    <div class="head">
      <h2>${text.recent}</h2>
      ${some.length < games.length ? html`<button class="bare" @click=${more}>${text.more}</button>` : nothing}
    </div>
    <ul class="cards">
      ${repeat(some, (past) => past.room, (past) => card(app, player.id, past))}
    </ul>
  </section>`;
}

/**
 * @param {App} app
 * @param {string} id the player's
 * @param {Past} past
 */
function card(app, id, { room, game: key, ended_at, rated, seats, outcome }) {
  const side = seats.first?.id === id ? "first" : "second";
  const other = seats[side === "first" ? "second" : "first"];
  const known = app.boards.get(room);
  const game = gameOf(app, { game: key, drawn: known?.drawn });
  const result = outcome.winner === null ? "drawn" : outcome.winner === side ? "won" : "lost";
  return html`<li class="card">
    <a href="/rooms/${room}">
      ${game && known
        ? board({ game, rows: known.rows, counts: known.counts, last: known.last, turned: isTurned(game, side), label: common.board(game.title) })
        : html`<span class="no-board"></span>`}
      <span class="text">
        <span class="names"><span class="result ${result}">${common.lobby.results[result]}</span> ${text.against} <bdi>${other ? nameOf(other) : common.openSeat}</bdi></span>
        <span class="note small">${game?.title ?? key}${rated ? ` · ${text.rated}` : ""}</span>
        <span class="note small">${common.lobby.day(ended_at)}</span>
      </span>
    </a>
  </li>`;
}
