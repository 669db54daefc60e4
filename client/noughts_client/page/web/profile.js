// A player's page: ratings with their course, results, and the last games as small boards. It shows what is public.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, isTurned } from "./board.js";
import { Lost, Refused } from "./connection.js";
import { nameOf } from "./games.js";
import { levelFor } from "./home.js";
import { shareButton } from "./link.js";
import { formOf, newKey } from "./lobby.js";
import { isMuted, mute } from "./muting.js";
import { profileText as text } from "./profile_texts.js";
import { gameOf } from "./looks.js";
import { ended, text as roomText } from "./room_texts.js";
import { text as common } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").Side} Side
 * @typedef {{game: string, pool: string, rating: number, deviation: number, provisional: boolean, games: number}} Rating
 * @typedef {{room: string, game: string, ended_at: string, rated: boolean, seats: Listing["seats"], outcome: import("./types.js").Outcome}} Past
 * @typedef {{game: string, tried?: number, standing?: {rating: number, deviation: number}}} Puzzled
 * @typedef {{player: import("./muting.js").Player, since?: string, ratings: Rating[], record: {game: string, won: number, drawn: number, lost: number}[],
 *            games: Past[], best?: (Past & {rating: number})[], course: {game: string, pool: string, points: {at: string, rating: number}[]}[]}} Profile
 */

export let title = text.title;

const isWide = () => matchMedia("(min-width: 901px)").matches;

/** How many of the last games are shown at first: as many as there is room for beside the rest. */
const FIRST = isWide() ? 9 : 6;

/** How many games are offered for a first one. */
const OFFERED = 4;

/** From this deviation on a rating by puzzles is not provisional any more, as the server has it. */
const PROVISIONAL = 110;

/** How the scale of a graph may be divided. */
const STEPS = [10, 25, 50, 100, 250, 500];

/** With fewer games of each kind bars of the results say no more than the numbers. */
const BARS = 5;

/** @typedef {import("./tournament.js").Terms} Terms */

const shown = {
  /** The tournaments under way or to enter that a player without games organises. @type {Terms[]} */
  organises: [],
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
  /** The player's own ratings by puzzles, which nobody else sees. @type {Puzzled[]} */
  puzzles: [],
};

let page = /** @type {import("./app.js").Page | null} */ (null);

/** @param {import("./app.js").Page} of */
export function enter(of) {
  page = of;
}

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
    ${heading(app, profile)} ${ratings(app, profile)}
    ${profile.record.length ? html`<div class="lower">${recent(app, profile)} ${details(app, profile)}</div>` : empty(app, profile)}
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
  Object.assign(shown, { name, profile: null, problem: null, unknown: false, organises: [], chosen: 0, ranks: new Map(), all: false, puzzles: [] });
  title = text.title;
  try {
    const profile = /** @type {any} */ (await app.connection.request("player", { player: name }));
    if (shown.name !== name) return;
    title = text.of(profile.player.name);
    profile.ratings.sort((/** @type {Rating} */ one, /** @type {Rating} */ other) => other.games - one.games);
    shown.profile = profile;
    rank(app);
    show(app);
    if (profile.player.id === app.me?.id) solved(app);
    else if (!profile.games.length) organised(app);
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

/** Ask for the player's own ratings by puzzles. @param {App} app */
async function solved(app) {
  const { profile } = shown;
  const answer = await app.connection.request("puzzles", {}).catch(() => null);
  if (answer === null || shown.profile !== profile) return;
  shown.puzzles = answer.games.filter((/** @type {Puzzled} */ { game, standing }) => standing && app.games.has(game));
  app.actions.redraw();
}

/** Ask for the tournaments that the player organises. @param {App} app */
async function organised(app) {
  const { profile } = shown;
  const answer = await app.connection.request("tournaments", {}).catch(() => null);
  if (answer === null || shown.profile !== profile) return;
  shown.organises = answer.tournaments.filter((/** @type {Terms} */ { by, status }) => by.id === profile?.player.id && status !== "finished");
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
 * The person: the name, since when, how the games ended, and what can be done.
 * @param {App} app
 * @param {Profile} profile
 */
function heading(app, { player, since, record }) {
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
      <p class="note">${kind}${since ? ` · ${text.since(month(since).replace(" ", "\u00a0"))}` : ""}</p>
      ${won + drawn + lost ? html`${[won, drawn, lost].filter(Boolean).length > 1 ? resultBar(won, drawn, lost) : nothing}<p class="note small">${text.totals(won + drawn + lost, won, drawn, lost)}</p>` : nothing}
      ${silent ? html`<p class="note" role="status">${text.muted}</p>` : nothing} ${shown.problem ? html`<p class="error" role="alert">${shown.problem}</p>` : nothing}
    </div>
    <div class="person-actions">
      ${mine
        ? html`<a class="button" href="/settings">${text.settings}</a>`
        : player.kind === "computer" || app.may ? nothing : invitation(app, player, record)}
      ${shareButton(location.href, nameOf(player))}
      ${mine || player.kind === "computer" ? nothing : html`<button @click=${turn}>${silent ? text.unmute : text.mute}</button>`}
    </div>
  </section>`;
}

/**
 * Opens a game with a seat for this player, who hears of it, and whose link the room shows; the games that they play most first.
 * @param {App} app
 * @param {import("./muting.js").Player} player
 * @param {Profile["record"]} record
 */
function invitation(app, player, record) {
  const played = (/** @type {string} */ key) => record.filter(({ game }) => game === key).reduce((all, { won, drawn, lost }) => all + won + drawn + lost, 0);
  const games = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true).sort((one, other) => played(other.key) - played(one.key));
  return html`<form class="invite" @submit=${(/** @type {SubmitEvent} */ event) => invite(app, player, String(formOf(event).get("game")))}>
    <select name="game" aria-label=${common.game}>${games.map(({ key, title: name }) => html`<option value=${key}>${name}</option>`)}</select>
    <button class="main" title=${text.inviteHelp}>${text.invite}</button>
  </form>`;
}

/**
 * @param {App} app
 * @param {import("./muting.js").Player} player
 * @param {string} game
 */
async function invite(app, player, game) {
  const seats = Math.random() < 0.5 ? { first: "me", second: "open" } : { first: "open", second: "me" };
  try {
    const { room } = /** @type {any} */ (await app.connection.request("create", { game, seats, private: true, key: newKey() }));
    app.connection.request("invite", { room, player: player.id }).catch(() => {}); // then the link is sent
    page?.go(`/rooms/${room}`);
  } catch (error) {
    shown.problem = page?.wordsOf(error) ?? null;
    app.actions.redraw();
  }
}

/**
 * A tile for each rating, with its course; the one that is chosen is told of below.
 * @param {App} app
 * @param {Profile} profile
 */
function ratings(app, { ratings: all, course }) {
  if (!all.length && !shown.puzzles.length) return nothing;
  const choose = (/** @type {number} */ index) => {
    shown.chosen = index;
    rank(app);
    app.actions.redraw();
    if (!isWide()) document.querySelector(".pool")?.scrollIntoView({ block: "nearest" }); // where it is below the games
  };
  return html`<section>
    <h2 class="spoken">${text.ratings}</h2>
    <div class="pools">
      <div role="radiogroup" aria-label=${text.ratings}>${all.map((one, index) => {
        const points = pointsOf(course, one);
        return html`<label class="panel">
          <input type="radio" name="pool" .checked=${index === shown.chosen} @change=${() => choose(index)} />
          <span class="name">${app.games.get(one.game)?.title ?? one.game}</span>
          <span class="note small">${one.pool} · ${text.rated(one.games)}${one.provisional ? ` · ${text.provisional}` : ""}</span>
          ${figure(one.rating, one.provisional)}
          ${points.length > 1 ? html`<svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true"><path d="M${lineOf(points, 28, 1)}"></path></svg>` : nothing}
        </label>`;
      })}</div>
      ${puzzled(app)}
    </div>
  </section>`;
}

/**
 * @param {Profile["course"]} course
 * @param {Rating} rating
 */
function pointsOf(course, { game, pool }) {
  return course.find((one) => one.game === game && one.pool === pool)?.points ?? [];
}

/**
 * The way of a rating in a field that is 100 wide, from its lowest to its highest value.
 * @param {{rating: number}[]} points
 * @param {number} height
 * @param {number} top
 */
function lineOf(points, height, top) {
  const values = points.map((point) => point.rating);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value, index) => `${((index / (values.length - 1)) * 100).toFixed(1)} ${(top + height - ((value - low) / (high - low || 1)) * height).toFixed(1)}`).join("L");
}

/**
 * A rating, with what the question mark of an uncertain one means.
 * @param {number} rating
 * @param {boolean} provisional
 */
function figure(rating, provisional) {
  return provisional ? html`<b title=${text.provisionalHelp}>${rating}<span aria-hidden="true">?</span><span class="spoken">, ${text.provisional}</span></b>` : html`<b>${rating}</b>`;
}

/** The player's own ratings by puzzles. @param {App} app */
function puzzled(app) {
  return shown.puzzles.map(({ game, tried, standing }) => html`<a class="panel" href="/puzzles?game=${game}">
    <span class="name">${app.games.get(game)?.title}</span>
    <span class="note small">${text.tried(tried ?? 0)}</span>
    ${figure(Math.round(standing?.rating ?? 0), (standing?.deviation ?? 0) > PROVISIONAL)}
  </a>`);
}

/**
 * The rating that is chosen, and how games ended.
 * @param {App} app
 * @param {Profile} profile
 */
function details(app, profile) {
  const { ratings: all, course } = profile;
  const rating = all[Math.min(shown.chosen, all.length - 1)];
  if (!rating) return html`<div class="details">${record(app, profile)}</div>`;
  const game = app.games.get(rating.game)?.title ?? rating.game;
  const points = pointsOf(course, rating);
  const fact = (/** @type {string} */ name, /** @type {unknown} */ value, /** @type {unknown} */ more = nothing) =>
    html`<div><dt>${name}</dt><dd>${value}</dd>${more === nothing ? nothing : html`<dd class="note small">${more}</dd>`}</div>`;
  return html`<div class="details">
    <section class="panel pool">
      <h2>${game}<span class="note">${rating.pool}</span></h2>
      <dl>
        ${fact(text.rating, `${rating.rating}${rating.provisional ? "?" : ""}`, `${text.within(rating.deviation)}${rating.provisional ? `, ${text.provisional}` : ""}`)}
        ${rating.provisional ? fact(text.rankTitle, "–", text.noRank) : fact(text.rankTitle, shown.ranks.get(`${rating.game} ${rating.pool}`) ?? "…", text.rankHelp)}
        ${fact(text.games, rating.games)} ${points.length ? fact(text.best, Math.max(...points.map((point) => point.rating))) : nothing}
      </dl>
      ${points.length < 2 ? courseless(profile.player.id === app.me?.id) : graph(game, rating.pool, points)}
    </section>
    ${record(app, profile)} ${bestWins(app, profile)}
  </div>`;
}

/**
 * The wins over the strongest opponents.
 * @param {App} app
 * @param {Profile} profile
 */
function bestWins(app, { player, best = [] }) {
  if (!best.length) return nothing;
  return html`<section class="panel">
    <h2>${text.bestWins}</h2>
    <ul class="wins">
      ${best.map(({ room, game, rating, seats, ended_at }) => {
        const other = seats.first?.id === player.id ? seats.second : seats.first;
        return html`<li><b>${rating}</b> <a href="/rooms/${room}"><bdi>${other ? nameOf(other) : common.openSeat}</bdi></a> <span class="note small">${app.games.get(game)?.title ?? game} · ${common.lobby.day(ended_at)}</span></li>`;
      })}
    </ul>
  </section>`;
}

/**
 * The place of a graph that has nothing to show yet.
 * @param {boolean} mine
 */
function courseless(mine) {
  return html`<div class="courseless">
    <svg viewBox="0 0 200 48" aria-hidden="true"><path d="M6 36C40 40 56 18 88 24s56-4 100-14"></path><circle cx="6" cy="36" r="5"></circle></svg>
    <p>${mine ? text.oneGame : text.oneGameOther}</p>
    ${mine ? html`<a class="button" href="/">${text.another}</a>` : nothing}
  </div>`;
}

/**
 * Nothing to see yet: the way to a first game, for somebody else against the player.
 * @param {App} app
 * @param {Profile} profile
 */
function empty(app, { player }) {
  if (app.may || player.kind === "computer") return html`<p class="empty">${text.noGames}</p>`;
  const mine = player.id === app.me?.id;
  const [title, help] = mine ? [text.begin, text.beginHelp] : [text.noGames, text.noGamesHelp];
  const games = [...app.games.values()].filter(({ key }) => app.examples[key] && (app.offered?.includes(key) ?? true)).slice(0, OFFERED);
  return html`<section class="panel beginning">
    <div><h2>${title}</h2><p>${help}</p></div>
    <ul class="cards">
      ${games.map((game) => html`<li class="tile"><button class="go" aria-label=${mine ? common.playAgainst(game.title, levelFor(game, app.level)) : text.inviteTo(game.title)}
        @click=${() => (mine ? app.actions.playComputer(game) : void invite(app, player, game.key))}>
        ${board({ game, ...app.examples[game.key] })}
        <span class="start" aria-hidden="true">${mine ? common.play : text.inviteShort}</span>
        <span class="text"><span class="name">${game.title}</span></span>
      </button></li>`)}
    </ul>
    ${mine ? html`<p class="note">${text.noRatingsMine}</p>` : shown.organises.map(({ tournament, name }) => html`<p>${text.organises} <a href="/tournaments/${tournament}"><bdi>${name}</bdi></a></p>`)}
  </section>`;
}

/** @param {string} at */
function month(at) {
  return new Date(at).toLocaleDateString("en", { month: "long", year: "numeric" });
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
  const bars = most >= BARS;
  return html`<section class="panel">
    <h2>${text.record}</h2>
    <table class="numbers results ${bars ? "" : "plain"}">
      <tr><th>${text.game}</th><th>${text.won}</th><th>${text.drawn}</th><th>${text.lost}</th>${bars ? html`<td></td>` : nothing}</tr>
      ${all.map(
        ({ game, won, drawn, lost }) => html`<tr>
          <th scope="row">${app.games.get(game)?.title ?? game}</th>
          <td>${won}</td><td>${drawn}</td><td>${lost}</td>
          ${bars ? html`<td aria-hidden="true"><div .style=${`width: ${((won + drawn + lost) / most) * 100}%`}>${resultBar(won, drawn, lost)}</div></td>` : nothing}
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
  const who = { won: roomText.youWon, lost: roomText.youLost, drawn: "" }[result];
  const how = ended(app.words, who || null, outcome, {}, game?.block).slice(who ? who.length + 1 : 0, -1);
  return html`<li class="card">
    <a href="/rooms/${room}">
      ${game && known
        ? board({ game, rows: known.rows, counts: known.counts, last: known.last, line: known.state?.outcome?.cells, turned: isTurned(game, side), label: common.board(game.title) })
        : html`<span class="no-board"></span>`}
      <span class="text">
        <span class="names"><span class="result ${result}">${text.results[result]}</span> <bdi>${other ? nameOf(other) : common.openSeat}</bdi>${other?.rating ? html` <span class="note">${other.rating}${other.provisional ? "?" : ""}</span>` : nothing}</span>
        <span class="small">${how}</span>
        <span class="note small">${game?.title ?? key}${rated && !other?.rating ? ` · ${common.lobby.rated}` : ""} · ${common.lobby.day(ended_at)}</span>
      </span>
    </a>
    <a class="to-review" href="/rooms/${room}?review" aria-label=${text.reviewOf(other ? nameOf(other) : common.openSeat)}>${text.review}</a>
  </li>`;
}
