// What the page of a tournament, its projector and its wall have in common. It keeps no state.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { control } from "./clock.js";
import { competeText as own } from "./compete_texts.js";
import { nameOf } from "./games.js";
import { icon } from "./icons.js";
import { liveBoard } from "./liveboards.js";
import { called, formOf, half, hasRounds, person, SQUARE } from "./standings.js";
import { setupText, text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./standings.js").Names} Names
 * @typedef {import("./liveboards.js").LiveBoards} LiveBoards
 * @typedef {import("./tournament.js").Shown} Shown
 * @typedef {import("./tournament.js").Terms} Terms
 * @typedef {import("./tournament.js").Row} Row
 * @typedef {import("./tournament.js").Game} Game
 */

/** So many players a round robin has at most, whatever its terms say. */
const ALL = 64;

/**
 * The rooms of the games under way, the leaders' first; one's own is not among them.
 * @param {Shown} shown
 * @param {string} [me]
 */
export function liveRooms({ tournament: { status }, games, standings }, me) {
  if (status !== "running") return [];
  const place = new Map(standings.map((row) => [row.player.id, row.place]));
  const best = (/** @type {Game} */ { first, second }) => Math.min(place.get(first.id) ?? Infinity, place.get(second.id) ?? Infinity);
  return games
    .filter(({ points, first, second }) => points === null && first.id !== me && second.id !== me)
    .toSorted((one, other) => (one.board ?? best(one)) - (other.board ?? best(other)))
    .map(({ room }) => room);
}

/**
 * @param {App} app
 * @param {Terms} terms
 */
export function inWords(app, terms) {
  const game = app.games.get(terms.game);
  const setup = setupText(game, terms.setup);
  return [
    `${game?.title ?? terms.game}${setup && ` (${setup})`}`,
    own.meet(terms.format, terms.rounds, terms.minutes),
    terms.clock ? control(terms.clock) : text.noClock,
    terms.rated ? own.rated : "",
    own.kinds[terms.kinds],
    terms.registered ? own.registered : "",
    terms.private ? own.private : "",
  ].filter(Boolean).join(" · ");
}

/**
 * How many bots and people there are.
 * @param {Row[]} rows
 * @param {Terms} terms
 */
export function entered(rows, { players }) {
  const bots = rows.filter(({ player, withdrawn }) => player.kind !== "human" && !withdrawn).length;
  return rows.length < players || !bots ? own.players(players) : own.botsAndPeople(bots, players - bots);
}

/**
 * How far it has come, and what comes next.
 * @param {Shown} shown
 */
export function when(shown) {
  const { tournament: { format, status, round, rounds, starts_at, ends_at, players, most }, paused, games, pairs_at } = shown;
  const over = games.filter(({ points }) => points).length;
  const [soft, strong] =
    status === "open"
      ? [own.isOpen(players, format === "round_robin" ? Math.min(most, ALL) : most), starts_at ? html`${own.startsIn} ${countdown(starts_at)}` : own.waits]
      : status === "finished"
        ? [own.over, winners(shown)]
        : paused
          ? [!hasRounds(format) ? "" : own.gamesOver(over, games.length), own.paused]
          : !hasRounds(format)
            ? [own.underWay(games.length - over), ends_at ? html`${own.endsIn} ${countdown(ends_at)}` : ""]
            : !round
              ? ["", own.pairsFirst]
              : [own.gamesOver(over, games.length), pairs_at ? html`${own.next(round + 1)} ${countdown(pairs_at)}` : own.running(round, rounds)];
  return html`<div class="t-when"><span class="note">${soft}</span> <strong role="status">${strong}</strong></div>`;
}

/**
 * The first places of one that is over, in words; none if nobody has played, or too many share them.
 * @param {Shown} shown
 */
export function winners({ tournament: { round }, standings }) {
  return round ? own.won(standings.filter(({ place }) => place === 1).map(({ player }) => nameOf(player))) : "";
}

/** A time that runs down to this one. @param {string | number} at */
export function countdown(at) {
  return html`<span class="until" role="timer" data-until=${typeof at === "string" ? Date.parse(at) : at}></span>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {LiveBoards} boards
 * @param {Game} game
 * @param {{bar?: {first: number} | null, below?: unknown, classes?: string, counted?: boolean}} [more]
 */
export function boardOf(app, { tournament }, names, boards, { room, first, second, points }, more = {}) {
  const [one, other] = [names(first), names(second)];
  void app.boards; // what is drawn anew when a move has come
  return liveBoard(app, boards.live.get(room), {
    room, game: tournament.game, names: { first: called(one), second: called(other) }, spoken: own.boardOf(one, other), points, ...more,
  });
}

/**
 * The games of a round that is over, as the results of the players have them.
 * @param {Shown} shown
 * @param {number} round
 * @returns {Game[]}
 */
export function earlier({ standings: rows }, round) {
  const byNumber = new Map(rows.map((row) => [row.number, row.player]));
  return rows.flatMap(({ player, results = [] }) =>
    results.flatMap(({ round: of, opponent, side, points, played, room }) => {
      const second = opponent === null ? undefined : byNumber.get(opponent);
      if (of !== round || side !== "first" || !second || !room) return [];
      const both = rows.find(({ player }) => player.id === second.id)?.results?.find((result) => result.room === room);
      return [{ room, round, first: player, second, points: points === null || both?.points == null ? null : [points, both.points], played }];
    }),
  );
}

/**
 * The players who got points in a round of Swiss without an opponent: by a bye, or half a point as they came late.
 * @param {Shown} shown
 * @param {number} round
 * @returns {{player: import("./tournament.js").Player, points: number}[]}
 */
export function unopposed({ tournament: { format, round: last }, standings: rows, games }, round) {
  if (format !== "swiss") return [];
  const paired = new Set(games.flatMap(({ first, second }) => [first.id, second.id]));
  return rows.flatMap(({ player, form = "", results }) => {
    const result = results?.[round - 1];
    // A push has no results, but the form ends with the last round.
    const points = result ? (result.opponent === null ? result.points : 0) : round === last && !paired.has(player.id) ? { "+": 1, h: 0.5 }[form.at(-1) ?? ""] : 0;
    return points ? [{ player, points }] : [];
  });
}

/** Whether it is over, and somebody has won it. @param {Shown} shown */
export function crowned({ tournament: { status, round } }) {
  return status === "finished" && round > 0;
}

/**
 * The first places, once it is over, and a player's own.
 * @param {Shown} shown
 * @param {Names} names
 * @param {string} [me]
 * @param {{board?: unknown, acts?: unknown}} [more] the winner's last board, and what can be done
 */
export function podium(shown, names, me, { board = nothing, acts } = {}) {
  if (!crowned(shown)) return nothing;
  const { tournament: { players }, standings: rows, more } = shown;
  const mine = rows.find(({ player, withdrawn }) => player.id === me && !withdrawn);
  const among = (/** @type {number} */ last) => rows.filter(({ place }) => place <= last);
  const best = ([3, 2].map(among).find((some) => some.length <= 4) ?? among(1)).slice(0, 6); // those who share a place all or none
  return html`<section class="panel podium">
    <h2 class="spoken">${winners(shown) || own.firstPlaces(best.length)}</h2>
    ${board}
    <ol>
      ${best.map((row) => html`<li class="p${row.place}" .style=${`--letters: ${names(row.player).length}`}><b class="no">${row.place === 1 ? html`${icon("compete")}<span class="spoken">1</span>` : row.place}</b> <span class="named">${person(row.player, names(row.player))}</span> ${formOf(row.form)} <b>${own.pointsOf(half(row.points))}</b></li>`)}
    </ol>
    ${mine ? html`<p class="own-place">${own.youCame(mine.place, more === undefined ? rows.length : players)}</p>` : nothing} ${acts ?? nothing}
  </section>`;
}

/**
 * The end of a tournament on a screen: the first places, and beside them the winner's last board unless there is something else.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {LiveBoards} boards
 * @param {unknown} [beside]
 */
export function ending(app, shown, names, boards, beside) {
  const last = lastGame(shown);
  return html`<div class="s-over">${podium(shown, names)} ${beside ?? (last ? boardOf(app, shown, names, boards, last) : nothing)}</div>`;
}

/**
 * Watch the board of the end, which stays.
 * @param {Shown} shown
 * @param {LiveBoards} boards
 */
export function wantLast(shown, boards) {
  const room = lastGame(shown)?.room;
  if (room && boards.wanted.join() !== room) boards.want([], 1, { fill: [room], anew: true });
}

/** Whether a wide window tells best by a square who met whom, once it is over. @param {Shown} shown */
export function squared(shown) {
  const { tournament: { format }, standings: rows, more } = shown;
  return crowned(shown) && hasRounds(format) && more === undefined && rows.length > 2 && rows.length <= SQUARE && matchMedia("(min-width: 901px)").matches;
}

/**
 * The last game that the winner played and that counts, once it is over: its board is shown.
 * @param {Shown} shown
 */
export function lastGame({ tournament: { status }, standings: [winner], games }) {
  return status === "finished" && winner ? games.find(({ first, second, played, points }) => points && played !== false && [first.id, second.id].includes(winner.player.id)) : undefined;
}
