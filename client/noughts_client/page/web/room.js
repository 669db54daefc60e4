// The view of a room: the board, the players, and what can be done. What the tabs beside it show is in panels.js.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { isTurned, markOf } from "./board.js";
import { dragging } from "./drag.js";
import { isAmongComputers, nameOf, personOf } from "./games.js";
import { grid, ratioOf } from "./grid.js";
import { icon } from "./icons.js";
import { complete, expected, next, partNames, parts } from "./moves.js";
import { premoveText, usualParts } from "./premove.js";
import { menu, playedFor, stepper, tabOf, tabs, tabView } from "./panels.js";
import { gameOf } from "./looks.js";
import { keep, part } from "./store.js";
import { lastCells, seen, taken, threatenedKing } from "./table.js";
import { analysisOf, isValued } from "./valued.js";
import { ended, text } from "./room_texts.js";
import { isolated, levelName } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/**
 * @param {App} app
 * @param {Table} table
 */
export function mySide(app, table) {
  const { first, second } = table.state.seats;
  const me = app.me?.id;
  if (table.notes !== null) return null; // a file, in which this player may have played
  return table.plays ?? (first?.id === me ? "first" : second?.id === me ? "second" : null);
}

/** @param {App} app */
export function roomView(app) {
  const { table } = app;
  const game = table && gameOf(app, table);
  if (!table || !game) return html`<p class="note" role="status">${app.error ?? text.connecting}</p>`;
  const mine = mySide(app, table);
  const usual = mine ?? (hasOpenSeat(table.state) ? otherOf(table.state.seats.first ? "first" : "second") : game.board?.bottom ?? "first");
  const bottom = app.flipped ? otherOf(usual) : usual;
  const { state, past } = seen(table);
  const reviewed = tabOf(app, table) === "review";
  const valued = isValued(app, table);
  const invited = invitation(app, table, game);
  const classes = ["room", game.upright && game.board?.borders ? "upright" : "", app.chosen ? "confirms" : "", invited === nothing || mine !== null ? "" : "free", state.offers.some(({ side }) => side !== mine) ? "offered" : "", valued ? "valued" : "", table.premove?.length ? "ahead" : "", past ? "earlier" : "", reviewed ? "reviewing" : "", state.outcome ? `decided ${resultOf(state.outcome, mine)}${table.ends ? " ends" : ""}` : `${table.state.outcome ? "" : "going"} ${state.to_move === mine ? "mine" : ""}`];
  return html`<div class=${classes.join(" ")} .style=${`--ratio: ${ratioOf(game).toFixed(4)}`}>
    <h1 class="spoken">${headingOf(app, table, game)}</h1>
    <div class="stage">${app.explains?.bar(app, table, game, bottom)} ${part(field, app, table, game, mine, bottom)}</div>
    <section class="beside" aria-label=${game.title}>
      ${reviewed ? html`${tabs(app, table)} ${part(tabView, app, table, game, mine)} ${app.reviews?.foot(app, table, game, mine)}` : html`${part(player, app, table, game, otherOf(bottom), "top")}
      ${invited === nothing ? html`${tabs(app, table)} ${part(tabView, app, table, game, mine)} ${stepper(app, table)}` : invited}
      ${standing(app, table, game, mine)} ${part(player, app, table, game, bottom, "bottom")} ${actions(app, table, game, mine)}`}
    </section>
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function headingOf(app, table, game) {
  const { first, second } = table.state.seats;
  const name = (/** @type {import("./types.js").Seat | null} */ seat) => (!seat ? text.openSeat : seat.id === app.me?.id ? text.youSubject : seat.name);
  return text.heading(game.title, name(first), name(second));
}

/**
 * The name of a player, to begin a sentence with.
 * @param {import("./types.js").Seat} seat
 */
export function calledAs(seat) {
  return seat.kind === "computer" ? text.theComputer : seat.name;
}

/** @param {Side} side @returns {Side} */
export function otherOf(side) {
  return side === "first" ? "second" : "first";
}

/**
 * A field to type moves in.
 * @param {(event: SubmitEvent) => void} typed
 */
export function typing(typed) {
  return html`<form class="typed" @submit=${typed}>
    <input id="typed" name="move" aria-label=${text.typeMove} placeholder=${text.typeMove} maxlength="64"
      autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" />
  </form>`;
}

/**
 * How the game stands, whatever has to be answered, and the field for typed moves.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function standing(app, table, game, mine) {
  const { state, past } = seen(table);
  const { tournament } = table.options;
  const mayType = mine !== null && table.state.status === "playing";
  const over = !past && state.outcome !== null;
  const asked = premoveOf(table, game) ?? offeredBy(table, mine);
  return html`<div class="standing">
    <div class="first-line">
      ${over || (!past && mine !== null && state.to_move === mine) ? html`<span class="here" aria-hidden="true"></span>` : nothing}
      <p class="status">${over ? told(app, table, game, mine) : named(statusOf(app, table, game, mine), table.state)}</p>
      ${present(app, table)}
      ${over && !app.present && table.notes === null && !tournament ? html`<a class="button" href="/">${text.newGame}</a>` : nothing}
      ${mayType && !app.present ? typing(app.actions.typed) : nothing}
    </div>
    ${table.state.status === "playing" && !app.present ? html`<p class="note small stakes" role=${asked ? "status" : nothing}>${asked ?? html`${tournament ? html`<a href="/tournaments/${tournament}">${text.tournament}</a> · ` : nothing}${playedFor(table.options)}${app.stakes}`}</p>` : nothing}
    <div class="asked">${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
    ${app.remark ? html`<p class="note" role="status">${app.remark}</p>` : nothing} ${unrated(app, table)}
    ${table.state.rules_changed ? html`<p class="note" role="status">${app.words.rules_changed}</p>` : nothing}
    ${firstMove(app, table, mine)} ${offers(app, table, mine)} ${choices(app, table, game, mine)} ${claims(app, table, game, mine)}</div>
  </div>`;
}

/**
 * A sentence that begins with the name of who is to move: where it is too long for its line the name is cut, not the verb. A phone
 * says only that the computer is thinking.
 * @param {string} sentence
 * @param {import("./types.js").State} state
 */
function named(sentence, { seats, to_move }) {
  if (sentence.endsWith(text.thinking)) return html`<span class="doing"><span class="doer">${sentence.slice(0, -text.thinking.length)}</span>${text.thinking}</span>`;
  const name = isolated((to_move && seats[to_move]?.name) ?? "");
  return name && sentence.startsWith(name) ? html`<bdi>${name}</bdi>${sentence.slice(name.length)}` : sentence;
}

/**
 * What is said of a premove, in the place of what is at stake: nothing shifts. Null without one.
 * @param {Table} table
 * @param {GameInfo} game
 */
function premoveOf({ premove, state }, game) {
  if (!premove?.length) return null;
  const whole = premove.length >= usualParts(state.legal_moves, partNames(game));
  return whole ? premoveText.kept(premove, matchMedia("(pointer: coarse)").matches) : premoveText.begun(premove);
}

/**
 * What this player has offered, in the same place. Null without an offer.
 * @param {Table} table
 * @param {Side | null} mine
 */
function offeredBy({ state }, mine) {
  const one = state.offers.find(({ side }) => side === mine);
  return one ? text.offered[one.offer] : null;
}

/**
 * What a side has beside the board: pieces with names, its own that are to be placed, or captured ones.
 * @param {GameInfo} game
 * @param {Side} side
 * @param {Record<string, number>} [held]
 */
export function heldBy(game, side, held) {
  const has = Object.entries(held ?? {}).filter(([, count]) => count > 0);
  const kind = (/** @type {string} */ symbol) =>
    game.pieces?.[symbol]?.name ?? (symbol === game.sides[side].symbol ? text.men : text.taken);
  return has.length ? text.held(has.map(([symbol, count]) => `${count} ${kind(symbol)}`).join(", ")) : "";
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} side
 * @param {"top" | "bottom"} place
 */
function player(app, table, game, side, place) {
  const { clock, seats, to_move, offers } = table.state;
  const { score, held } = seen(table).state;
  const seat = seats[side];
  const rating = seat?.rating === undefined ? "" : `${seat.rating}${seat.provisional ? "?" : ""}`;
  const changed = app.ratings?.[side];
  const points = score?.[side === "first" ? 0 : 1];
  const pupil = app.pupils.get(seat?.id ?? "");
  const what = [
    pupil && seat ? seat.name : "",
    game.sides[side].name,
    heldBy(game, side, held?.[side]),
    seat && seat.id === app.me?.id ? text.you : "",
    seat?.kind === "computer" ? levelName(seat.id) : seat?.kind === "bot" ? text.bot : "",
    captured(table, game, side),
    changed ? text.rating(changed.before ?? seat?.rating ?? null, changed.after) : rating,
    seat && !seat.online && table.notes === null ? text.away : "",
    offers.some((offer) => offer.side === side && offer.offer === "draw") ? text.offersDraw : "",
  ].filter(Boolean);
  return html`<div class="player ${side} ${place} ${to_move === side ? "turn" : ""}">
    ${markOf(game, side)}
    <div class="person">
      <span class="who">${seat && seat.kind !== "computer" && table.notes === null ? personOf(seat, pupil) : html`<bdi>${seat ? seat.name : text.openSeat}</bdi>`}</span>
      <span class="what">${what.join(", ")}</span>
    </div>
    ${points === undefined ? nothing : html`<span class="score"><span class="spoken">${text.score}</span>${points}</span>`}
    ${clock ? html`<span class="time ${clock.running === side ? "running" : ""} ${table.options.clock?.per_move_s ? "days" : ""}" data-side=${side} role="timer"></span>` : nothing}
  </div>`;
}

/**
 * What a side has taken: a glyph for each piece where there are many kinds, otherwise the number.
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} side
 */
export function captured(table, game, side) {
  const pieces = taken(table, game, side);
  if (!pieces.length) return "";
  const kinds = Object.keys(game.pieces ?? {}).length / 2;
  const each = (/** @type {[string, number]} */ [symbol, count]) => `${game.pieces?.[symbol].glyph}\ufe0e`.repeat(count);
  return text.captured(kinds > 2 ? pieces.map(each).join("") : String(pieces.reduce((sum, [, count]) => sum + count, 0)));
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 * @param {Side} bottom
 * @param {Partial<import("./board.js").Drawing>} [more] what is drawn otherwise
 */
export function field(app, table, game, mine, bottom, more) {
  const { state, past } = seen(table);
  const side = past ? null : mine;
  const options = side === null || state.status !== "playing" ? undefined : openCells(app, table, game, side);
  return boardOf(table, game, bottom, app, { side, options, worths: isValued(app, table) ? app.explains?.worths : undefined }, {
    path: table.premove?.length ? table.premove : app.path,
    numbers: app.numbers,
    onPick: app.actions.pick,
    onPress: dragging,
    onFocus: app.actions.focusOn,
    marks: app.reviews?.rings(app, table, game, bottom),
    ...more,
  });
}

/**
 * What can be picked: a move of mine or, where each empty cell is one, a premove. So hundreds of cells need not change twice a move.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} mine
 */
function openCells(app, { premove, state }, game, mine) {
  const turn = state.to_move === mine && app.pending === null;
  const options = next(state.legal_moves, partNames(game), turn ? app.path : []);
  if (turn) return options;
  const empty = state.rows.join("").split(".").length - 1;
  return !premove?.length && options.size === empty && [...options.values()].every(({ move, more }) => move !== null && !more) ? options : undefined;
}

/**
 * The board of a table on which moves are picked: a room's, or that of an analysis.
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} bottom
 * @param {{pending: string | null, path: string[], chosen: {name: string} | null, focus: string | null}} picked
 * @param {{side: Side | null, options: Map<string, import("./moves.js").Option> | undefined, worths?: typeof import("./values.js").worths}} now
 *   the side whose move is shown before it is played, what can be picked, and what tells the worth of moves, if that is shown
 * @param {Partial<import("./board.js").Drawing>} more
 */
export function boardOf(table, game, bottom, picked, { side, options, worths }, more) {
  const { state } = seen(table);
  const names = (game.cells ?? game.layout).flat();
  const begun = picked.pending ?? picked.path.join("-");
  const ahead = side !== null && begun ? expected(state.rows, game, begun, game.sides[side].symbol) : null;
  const values = worths ? analysisOf(table) : null;
  const best = values && !values.stale ? parts(values.analysis.best[0] ?? "", partNames(game)) : [];
  return grid({
    game,
    rows: ahead?.rows ?? state.rows,
    counts: state.counts,
    turned: isTurned(game, bottom),
    options,
    path: picked.path,
    chosen: picked.chosen?.name,
    pending: picked.pending === null ? null : ahead?.cell,
    last: lastCells(table, game),
    fresh: table.forward,
    threatened: threatenedKing(table, game),
    line: state.outcome?.cells,
    worth: values && worths ? worthsAt(worths(values.analysis, game, table), options) : undefined,
    way: best.length > 1 ? best.filter((part) => names.includes(part)) : undefined,
    stale: values?.stale,
    over: state.outcome !== null,
    focus: picked.focus ?? names.find(Boolean),
    mover: state.to_move,
    keep,
    ...more,
  });
}

/**
 * The worth of moves by the cells with which they end, after those that are picked; the others have their own names.
 * @param {Map<string, import("./values.js").Worth>} all
 * @param {Map<string, import("./moves.js").Option> | undefined} options
 */
function worthsAt(all, options) {
  const found = new Map(all);
  for (const [part, { move }] of options ?? []) {
    const worth = move === null ? undefined : all.get(move);
    if (worth) found.set(part, worth);
  }
  return found;
}

/**
 * Why a game is not rated that was to be.
 * @param {App} app
 * @param {Table} table
 */
function unrated(app, { options, state }) {
  const why = options.unrated_because;
  if (why === undefined || state.status === "over") return nothing;
  return html`<p class="note" role="status">${app.words.unrated[why] ?? text.unrated}</p>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
export function statusOf(app, table, game, mine) {
  const { state, past, ply } = seen(table);
  if (table.line) return text.inLine(table.line.step);
  if (past) return (table.notes || table.state.status === "over" ? text.atMove : text.atPast)(ply, table.state.ply);
  if (state.outcome) return outcomeOf(app, state, mine, game);
  if (state.status === "waiting") return mine === null && hasOpenSeat(state) ? invites(state, game) : text.waiting;
  if (state.rules_changed) return text.stopped;
  if (state.to_move === mine && mine !== null) return state.legal_moves.every((move) => move === PASS) ? text.mustPass : text.yourTurn;
  const seat = !isAmongComputers(state) && state.to_move && state.seats[state.to_move];
  if (seat && seat.kind === "computer" && table.notes === null) return text.thinks(calledAs(seat));
  return text.turnOf(seat ? seat.name : state.to_move ? game.sides[state.to_move].name : "");
}

/** A move that leaves the board as it is. Where there are others, its button is beside those for the whole game. */
const PASS = "pass";

/** A move that takes over what the other side has placed. */
const SWAP = "swap";

/** @param {import("./types.js").State} state */
function hasOpenSeat({ status, seats }) {
  return status === "waiting" && !(seats.first && seats.second);
}

/**
 * Who waits for an opponent, for somebody who could be one.
 * @param {import("./types.js").State} state
 * @param {GameInfo} game
 */
function invites({ seats }, game) {
  const host = seats.first ?? seats.second;
  return host ? text.invited(host.name, game.title) : text.free(game.title);
}

/**
 * @param {App} app
 * @param {import("./types.js").State} state
 * @param {Side | null} mine
 * @param {GameInfo} game
 */
function outcomeOf({ words, ruling }, state, mine, game) {
  return ruling ?? ended(words, winnerOf(state, mine, game), /** @type {import("./types.js").Outcome} */ (state.outcome), state, game.block);
}

/**
 * Who won, in words; null if nobody has.
 * @param {import("./types.js").State} state
 * @param {Side | null} mine
 * @param {GameInfo} game
 */
function winnerOf(state, mine, game) {
  const winner = state.outcome?.winner ?? null;
  if (winner === null) return null;
  const { first, second } = state.seats;
  const name = state.seats[winner]?.name ?? game.sides[winner].name;
  return mine === null ? text.won(first && second?.name === first.name ? `${nameOf(winner === "first" ? first : second)} as ${game.sides[winner].name}` : name) : winner === mine ? text.youWon : text.youLost;
}

/**
 * The end of a game: the result large, and how it came about below.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function told(app, { state }, game, mine) {
  const all = outcomeOf(app, state, mine, game);
  const result = winnerOf(state, mine, game) ?? text.drawn;
  if (!all.startsWith(`${result} `)) return all;
  const [, joins, how] = /^(with |to |)(.*)/.exec(all.slice(result.length + 1)) ?? [];
  return html`${result} <span class="spoken">${joins}</span><span class="how">${how}</span>`;
}

/**
 * What an outcome is for this player, or for who only watches.
 * @param {import("./types.js").Outcome} outcome
 * @param {Side | null} mine
 */
function resultOf({ winner }, mine) {
  return winner === null || mine === null ? "" : winner === mine ? "won" : "lost";
}

/**
 * The way back to the present.
 * @param {App} app
 * @param {Table} table
 */
function present(app, table) {
  if (!seen(table).past || table.notes) return nothing;
  return html`<button class="main" @click=${() => app.actions.lookAt(Infinity)}>${text.toPresent}</button>`;
}

/**
 * Moves that are nowhere on the board, such as a pass; the second step of a move; what is to be confirmed.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
export function choices(app, table, game, mine) {
  if (mine === null || table.state.status !== "playing") return nothing;
  const { legal_moves } = table.state;
  const turn = !seen(table).past && table.state.to_move === mine && app.pending === null;
  const names = partNames(game);
  const others = turn ? [...next(legal_moves, names, app.path).keys()].filter((option) => !names.has(option) && (option !== PASS || legal_moves.length === 1)) : [];
  const whole = turn ? complete(legal_moves, names, app.path) : null;
  const { chosen } = app;
  const [explains, analysis] = app.tab === "values" && turn ? [app.explains, analysisOf(table)] : [];
  const worth = (/** @type {string} */ option) => {
    const move = complete(legal_moves, names, [...app.path, option]);
    const found = move !== null && analysis && !analysis.stale && analysis.analysis.moves[move];
    return explains && found ? ` (${explains.worthInWords(found, game, table)})` : "";
  };
  const cancel = app.path.length || chosen ? html`<button @click=${app.actions.unpick}>${text.cancel}</button>` : nothing;
  if (cancel === nothing && !others.length) return nothing;
  const also = !app.path.length && others.length < legal_moves.length; // instead of a move on the board
  const taken = (/** @type {string} */ option) => (option === SWAP && table.state.ply === 1 ? text.swap(lastCells(table, game)[0], game.sides[mine].name) : "");
  return html`<div class="choices ${chosen ? "confirm" : also ? "also" : others.length || whole !== null ? "" : "only"}">
    ${choicesOf(game, mine, others).map(([option, label]) => html`<button class="main" @click=${() => app.actions.pickPart(option, option)}>${label}${taken(option)}${worth(option)}</button>`)}
    ${also && !chosen ? html`<span class="note small">${text.orCell}</span>` : nothing}
    ${whole === null ? nothing : html`<button class="main" @click=${() => app.actions.playMove(whole)}>${text.confirm}: ${whole}</button>`}
    ${chosen ? html`<button class="main" @click=${app.actions.confirm}>${text.confirm}: ${chosen.name}</button>` : nothing} ${cancel}
  </div>`;
}

/**
 * Choices among moves with the same cells, and how each is put. Those that are pieces of mine have their names, in the
 * order of the game's pieces.
 * @param {GameInfo} game
 * @param {Side} mine
 * @param {string[]} options
 * @returns {[string, string][]}
 */
export function choicesOf(game, mine, options) {
  const own = Object.entries(game.pieces ?? {}).filter(([, { side }]) => side === mine);
  const place = (/** @type {string} */ option) => own.findIndex(([symbol]) => symbol.toLowerCase() === option);
  const sorted = [...options].sort((one, other) => place(one) - place(other));
  return sorted.map((option) => {
    const piece = own[place(option)]?.[1];
    return [option, piece ? `${piece.glyph} ${piece.name}` : option.charAt(0).toUpperCase() + option.slice(1)];
  });
}

/** What a room says until somebody has the other seat, once one has no opponent. @type {typeof import("./invitation.js") | null} */
let inviting = null;

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function invitation(app, table, game) {
  if (!hasOpenSeat(table.state)) return nothing;
  const load = async () => {
    inviting = await import("./invitation.js");
    app.actions.redraw();
  };
  if (!inviting) load();
  return html`<div class="invitation">${inviting?.invitationView(app, table, game, mySide(app, table) === null)}</div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {Side | null} mine
 */
export function offers(app, table, mine) {
  if (mine === null) return nothing;
  return table.state.offers.map(({ side, offer }) =>
    side === mine
      ? table.state.status === "over" ? html`<p class="note">${text.offered[offer]}</p>` : nothing
      : html`<div class="offer">
          <p>${text.offers[offer](table.state.seats[side]?.name ?? "")}</p>
          <button class="main" @click=${() => app.actions.table(`accept_${offer}`)}>${text.accept}</button>
          <button @click=${() => app.actions.table(`decline_${offer}`)}>${text.decline}</button>
        </div>`,
  );
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function actions(app, table, game, mine) {
  return html`<div class="actions ${app.asking ? "asks" : ""}">${deeds(app, table, game, mine)}<span class="grow"></span>${analyse(table)} ${menu(app, table, game)}</div>`;
}

/**
 * The way to the analysis board, from the position that is looked at. A file has it elsewhere.
 * @param {Table} table
 */
function analyse(table) {
  if (table.state.status !== "over" || table.notes) return nothing;
  return html`<a class="button bare" href="/analysis?room=${table.room}&at=${seen(table).ply}" aria-label=${text.analyse} title=${text.analyse}>${icon("study")}</a>`;
}

/**
 * What the players can do.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function deeds(app, table, game, mine) {
  const { state } = table;
  if (table.notes !== null) return nothing;
  const review = state.moves.length && app.tab !== "review" ? html`<button @click=${() => app.actions.openTab("review")}>${text.tabs.review}</button>` : nothing;
  if (state.next) return html`<a class="button main" href="/rooms/${state.next}">${text.toRematch}</a> ${review}`;
  const { tournament } = table.options;
  const back = tournament ? html`<a class="button" href="/tournaments/${tournament}">${text.toTournament}</a>` : nothing;
  if (mine === null) {
    if (hasOpenSeat(state)) return html`<button class="main" @click=${app.actions.join}>${text.takeSeat}</button>`;
    return html`${back} ${state.status === "over" ? review : nothing}`;
  }
  const other = state.seats[otherOf(mine)];
  const button = (/** @type {string} */ type, /** @type {unknown} */ label, kind = "") =>
    html`<button class=${kind} @click=${() => app.actions.table(type)}>${label}</button>`;
  const short = (/** @type {string} */ type, /** @type {unknown} */ label, /** @type {string} */ spoken, kind = "") =>
    html`<button class=${kind} aria-label=${spoken} title=${spoken} @click=${() => app.actions.table(type)}>${label}</button>`;
  const own = state.offers.find(({ side }) => side === mine);
  const withdrawal = own && short(`decline_${own.offer}`, text.withdrawShort, text.withdraw);
  if (state.status === "over") {
    return html`${withdrawal ?? (tournament ? back : state.offers.length || !other ? nothing : button("offer_rematch", text.rematch, "main"))} ${review}`;
  }
  if (state.rules_changed) return button("abort", text.abort);
  if (hasOpenSeat(state)) return button("abort", text.abort);
  const begun = state.moves.length > 1;
  if (app.asking && (begun || tournament)) {
    return html`<span>${begun ? text.resignAsk : text.forfeitAsk}</span> ${button(begun ? "resign" : "abort", text.yes, "main ends")} <button @click=${app.actions.dontResign}>${text.no}</button>`;
  }
  const mayTakeBack = state.moves.length > (mine === "first" ? 0 : 1) && !state.offers.length; // a move of one's own
  const pass = state.legal_moves.length > 1 && state.legal_moves.includes(PASS)
    ? html`<button ?disabled=${state.to_move !== mine || app.pending !== null || seen(table).past} @click=${() => app.actions.playMove(PASS)}>${text.pass}</button>`
    : nothing;
  return html`${pass} ${withdrawal ?? nothing} ${!table.options.rated && mayTakeBack ? short("offer_takeback", html`${icon("undo")}<span class="long">${text.takeback}</span>`, text.takeback) : nothing}
    ${mayDraw(table, game) ? short("offer_draw", text.drawShort, text.draw, "rare") : nothing}
    ${begun
      ? html`<button class="rare" aria-label=${text.resign} title=${text.resign} @click=${app.actions.askToResign}>${icon("flag")}<span class="long">${text.resign}</span></button>`
      : tournament ? html`<button class="rare" @click=${app.actions.askToResign}>${text.forfeit}</button>` : button("abort", text.abort)}`;
}

/**
 * @param {Table} table
 * @param {GameInfo} game
 */
export function mayDraw({ state }, game) {
  return state.moves.length > 1 && !state.offers.length && game.draws !== false;
}

/**
 * In a tournament, how long the first move of the side to move is waited for.
 * @param {App} app
 * @param {Table} table
 * @param {Side | null} mine
 */
function firstMove(app, { options, state }, mine) {
  const until = Date.parse(state.clock?.first_move_by ?? "");
  if (!options.tournament || !state.to_move || !(until > app.now)) return nothing;
  const [before, after] = text.firstMove((state.to_move !== mine && state.seats[state.to_move]?.name) || "");
  return html`<p class="note">${before} <b class="countdown" role="timer" data-until=${until}></b> ${after}</p>`;
}

/**
 * What may be claimed: a draw by the rules, or the game of an opponent who is away, and when.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function claims(app, { state }, game, mine) {
  if (mine === null || state.status !== "playing") return nothing;
  const draw = state.claim_draw && state.to_move === mine
    ? html`<div class="claims"><button class="main" @click=${() => app.actions.table("claim_draw")}>${text.claimByRule}</button></div>`
    : nothing;
  const other = state.seats[otherOf(mine)];
  if (other?.claimable_at === undefined) return draw;
  const until = Date.parse(other.claimable_at);
  if (until > app.now) {
    return html`${draw}<p class="note">${text.isAway(other.name)} <span class="countdown" data-until=${until}></span></p>`;
  }
  return html`${draw}<div class="claims">
    <button class="main" @click=${() => app.actions.claim("win")}>${text.claimWin}</button>
    ${game.draws === false ? nothing : html`<button @click=${() => app.actions.claim("draw")}>${text.claimDraw}</button>`}
  </div>`;
}
