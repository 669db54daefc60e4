// The view of a room: the board, the players, and what can be done. The panels beside it are in panels.js.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { board, isTurned, lookOf } from "./board.js";
import { dragging } from "./drag.js";
import { linkBox } from "./link.js";
import { complete, expected, next, partNames, parts } from "./moves.js";
import { chatPanel, gamePanel, movesPanel, valuesPanel } from "./panels.js";
import { betterLine, reviewPanel } from "./review.js";
import { reviewText } from "./review_texts.js";
import { gameOf } from "./setup.js";
import { lastCells, seen } from "./table.js";
import { ended, text } from "./texts.js";
import { analysisOf, share, shareAtEnd, worths } from "./values.js";

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
  return first?.id === me ? "first" : second?.id === me ? "second" : null;
}

/** @param {App} app */
export function roomView(app) {
  const { table } = app;
  const game = table && gameOf(app, table);
  if (!table || !game) return html`<p class="note" role="status">${app.error ?? text.connecting}</p>`;
  const mine = mySide(app, table);
  const bottom = mine ?? game.board?.bottom ?? "first";
  const top = bottom === "second" ? "first" : "second";
  return html`<div class="room">
    <section class="play" aria-label=${game.title}>
      ${invitation(app, table, game)} ${player(app, table, game, top)}
      <div class="stage ${app.values.on ? "valued" : ""}">${bar(app, table, bottom)} ${field(app, table, game, mine)}</div>
      ${player(app, table, game, bottom)}
      <div class="standing"><p class="status">${statusOf(app, table, game, mine)}</p>${present(app, table)}</div>
      ${betterLine(app, table, game)}
      ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
      ${app.remark ? html`<p class="note" role="status">${app.remark}</p>` : nothing} ${unrated(app, table)}
      ${table.state.rules_changed ? html`<p class="note" role="status">${app.words.rules_changed}</p>` : nothing} ${offers(app, table, mine)}
      <div class="controls">${choices(app, table, game, mine)} ${actions(app, table, mine)}</div>
    </section>
    <aside>
      ${valuesPanel(app, table, game)} ${movesPanel(app, table, game)}
      ${app.present || table.notes ? nothing : html`${reviewPanel(app, table, game)} ${chatPanel(app, table, mine)}`}
      ${gamePanel(app, table, game)}
    </aside>
  </div>`;
}

/**
 * The suffixes of other programs' files that the server reads.
 * @param {App} app
 */
function suffixesOf(app) {
  return [...app.games.values()].flatMap(({ record }) => (record ? [`.${record}`] : []));
}

/**
 * A game in a file, and the way to another.
 * @param {App} app
 */
export function recordView(app) {
  const opened = (/** @type {Event} */ event) => {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file) app.actions.openFile(file);
  };
  const names = ({ seats, game } = app.records[0]) =>
    `${app.games.get(game)?.title ?? game}: ${seats.first?.name ?? "–"}, ${seats.second?.name ?? "–"}`;
  return html`${app.table ? roomView(app) : nothing}
    <section class="panel record">
      <h1>${text.replayFile}</h1>
      <p class="note">${text.replayHelp}</p>
      <label>${text.file} <input type="file" accept=${[".jsonl", ...suffixesOf(app)].join(",")} @change=${opened} /></label>
      ${app.records.length > 1
        ? html`<label>${text.game}
            <select @change=${(/** @type {Event} */ event) => app.actions.openRecord(Number(/** @type {HTMLSelectElement} */ (event.target).value))}>
              ${app.records.map((record, index) => html`<option value=${index} ?selected=${index === app.recordShown}>${index + 1}. ${names(record)}</option>`)}
            </select></label>`
        : nothing}
      ${app.recordRoom ? html`<p><a href="/rooms/${app.recordRoom}">${text.openRoom}</a></p>` : nothing}
      ${app.error && !app.table ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
    </section>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} side
 */
function player(app, table, game, side) {
  const { clock, seats, to_move, offers } = table.state;
  const seat = seats[side];
  const rating = seat?.rating === undefined ? "" : `${seat.rating}${seat.provisional ? "?" : ""}`;
  const changed = app.ratings?.[side];
  const score = table.state.score?.[side === "first" ? 0 : 1];
  const held = Object.entries(table.state.held?.[side] ?? {}).filter(([, count]) => count > 0);
  const what = [
    score === undefined ? game.sides[side].name : `${game.sides[side].name} ${score}`,
    held.length ? text.held(held.map(([symbol, count]) => `${count} ${game.pieces?.[symbol]?.name ?? text.men}`).join(", ")) : "",
    seat && seat.id === app.me?.id ? text.you : "",
    seat?.kind === "computer" ? `${text.computer} ${seat.id.slice("computer:".length)}` : seat?.kind === "bot" ? text.bot : "",
    changed ? text.rating(changed.before ?? seat?.rating ?? null, changed.after) : rating,
    seat && !seat.online && table.notes === null ? text.away : "",
    offers.some((offer) => offer.side === side && offer.offer === "draw") ? text.offersDraw : "",
  ].filter(Boolean);
  return html`<div class="player ${side} look-${lookOf(game)} tone-${game.sides[side].name.toLowerCase()} ${to_move === side ? "turn" : ""}">
    <span class="mark" aria-hidden="true"></span>
    <span class="who"><bdi>${seat ? seat.name : text.openSeat}</bdi></span>
    <span class="what">${what.join(", ")}</span>
    ${clock ? html`<span class="time ${clock.running === side ? "running" : ""}" data-side=${side} role="timer"></span>` : nothing}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function field(app, table, game, mine) {
  const { state, past } = seen(table);
  const names = game.cells ?? game.layout;
  const canMove = !past && mine !== null && state.to_move === mine && app.pending === null;
  const begun = app.pending ?? app.path.join("-");
  const ahead = !past && mine !== null && begun ? expected(state.rows, game, begun, game.sides[mine].symbol) : null;
  const values = app.values.on && app.valuesError === null ? analysisOf(table) : null;
  const options = canMove ? next(state.legal_moves, partNames(game), app.path) : undefined;
  const best = values && !values.stale ? parts(values.analysis.best[0] ?? "", partNames(game)) : [];
  return board({
    game,
    rows: ahead?.rows ?? state.rows,
    counts: state.counts,
    turned: isTurned(game, mine),
    options,
    path: app.path,
    chosen: app.chosen?.name,
    pending: app.pending === null ? null : ahead?.cell,
    last: lastCells(table, game),
    fresh: table.forward,
    line: state.outcome?.cells,
    worth: values ? worthsAt(worths(values.analysis), options) : undefined,
    way: best.length > 1 ? best.filter((part) => names.flat().includes(part)) : undefined,
    stale: values?.stale,
    over: state.outcome !== null,
    focus: app.focus ?? names[0][0],
    mover: state.to_move,
    onPick: app.actions.pick,
    onPress: dragging,
    onFocus: app.actions.focusOn,
  });
}

/**
 * The worth of moves by the cells with which they end, after those that are picked; the others have their own names.
 * @param {ReturnType<typeof worths>} all
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
 * How the two sides stand, from the bottom of the board.
 * @param {App} app
 * @param {Table} table
 * @param {Side} bottom
 */
function bar(app, table, bottom) {
  if (!app.values.on) return nothing;
  const analysis = analysisOf(table)?.analysis;
  const { outcome } = seen(table).state;
  const first = analysis ? share(analysis, gameOf(app, table)) : shareAtEnd(outcome?.winner ?? null);
  const height = (bottom === "first" ? 1 - first : first) * 100;
  return html`<svg class="bar" viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-bottom" width="10" height="100"></rect>
    <rect class="bar-top" width="10" height=${height}></rect>
    <path class="bar-middle" d="M0 50H10"></path>
  </svg>`;
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
  if (table.line) return reviewText.inLine(table.line.step);
  if (past) return (table.notes ? text.atMove : text.atPast)(ply, table.state.ply);
  if (state.outcome) return outcomeOf(app, state, mine, game);
  if (state.status === "waiting") return text.waiting;
  if (state.rules_changed) return text.stopped;
  if (state.to_move === mine && mine !== null) return text.yourTurn;
  const seat = state.to_move && state.seats[state.to_move];
  if (seat?.kind === "computer" && table.notes === null) return text.thinks(seat.name);
  return text.turnOf(seat ? seat.name : state.to_move ? game.sides[state.to_move].name : "");
}

/**
 * @param {App} app
 * @param {import("./types.js").State} state
 * @param {Side | null} mine
 * @param {GameInfo} game
 */
function outcomeOf({ words }, state, mine, game) {
  const { winner, reason } = /** @type {import("./types.js").Outcome} */ (state.outcome);
  if (winner === null) return ended(words, null, reason);
  const name = state.seats[winner]?.name ?? game.sides[winner].name;
  return ended(words, mine === null ? text.won(name) : winner === mine ? text.youWon : text.youLost, reason);
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
 * Moves that are nowhere on the board, such as a pass; the second step of a move; what is to be confirmed; typed moves.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function choices(app, table, game, mine) {
  if (mine === null || table.state.status !== "playing") return nothing;
  const { legal_moves } = table.state;
  const turn = !seen(table).past && table.state.to_move === mine && app.pending === null;
  const names = partNames(game);
  const others = turn ? [...next(legal_moves, names, app.path).keys()].filter((option) => !names.has(option)) : [];
  const whole = turn ? complete(legal_moves, names, app.path) : null;
  const analysis = app.values.on && turn ? analysisOf(table) : null;
  const worth = (/** @type {string} */ option) => {
    const move = complete(legal_moves, names, [...app.path, option]);
    const found = move !== null && analysis && !analysis.stale && worths(analysis.analysis).get(move);
    return found ? ` (${found.label})` : "";
  };
  const { chosen } = app;
  return html`<div class="choices ${chosen ? "confirm" : ""}">
    ${choicesOf(game, mine, others).map(([option, label]) => html`<button class="main" @click=${() => app.actions.pickPart(option, option)}>${label}${worth(option)}</button>`)}
    ${whole === null ? nothing : html`<button class="main" @click=${() => app.actions.playMove(whole)}>${text.confirm}: ${whole}</button>`}
    ${chosen ? html`<button class="main" @click=${app.actions.confirm}>${text.confirm}: ${chosen.name}</button>` : nothing}
    ${app.path.length || chosen ? html`<button @click=${app.actions.unpick}>${text.cancel}</button>` : nothing}
    <form class="inline typed" @submit=${app.actions.typed}>
      <input id="typed" name="move" aria-label=${text.typeMove} placeholder=${text.typeMove} maxlength="64"
        autocomplete="off" autocapitalize="off" spellcheck="false" enterkeyhint="go" />
    </form>
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
function choicesOf(game, mine, options) {
  const own = Object.entries(game.pieces ?? {}).filter(([, { side }]) => side === mine);
  const place = (/** @type {string} */ option) => own.findIndex(([symbol]) => symbol.toLowerCase() === option);
  const sorted = [...options].sort((one, other) => place(one) - place(other));
  return sorted.map((option) => {
    const piece = own[place(option)]?.[1];
    return [option, piece ? `${piece.glyph} ${piece.name}` : option];
  });
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function invitation(app, table, game) {
  const { first, second } = table.state.seats;
  if (table.state.status !== "waiting" || (first && second)) return nothing;
  if (mySide(app, table) === null) {
    const host = first ?? second;
    return html`<div class="invitation visitor">
      <p>${host ? text.invited(host.name, game.title) : text.free(game.title)}</p>
      <button class="main" @click=${app.actions.join}>${text.takeSeat}</button>
    </div>`;
  }
  const link = `${location.origin}/rooms/${table.room}`;
  return html`<div class="invitation">
    <p>${text.inviteHelp}</p>
    ${linkBox(app, { link, label: text.invite })}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {Side | null} mine
 */
function offers(app, table, mine) {
  if (mine === null) return nothing;
  return table.state.offers.map(({ side, offer }) =>
    side === mine
      ? html`<p class="note">${text.offered[offer]}</p>`
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
 * @param {Side | null} mine
 */
function actions(app, table, mine) {
  const { state } = table;
  if (state.next) return html`<div class="actions"><a class="button main" href="/rooms/${state.next}">${text.toRematch}</a></div>`;
  if (mine === null) return nothing;
  const other = state.seats[mine === "first" ? "second" : "first"];
  const button = (/** @type {string} */ type, /** @type {string} */ label, kind = "") =>
    html`<button class=${kind} @click=${() => app.actions.table(type)}>${label}</button>`;
  if (state.status === "over") {
    const offered = state.offers.some(({ offer }) => offer === "rematch");
    return html`<div class="actions">${offered || !other ? nothing : button("offer_rematch", text.rematch, "main")}</div>`;
  }
  if (state.rules_changed) return html`<div class="actions">${button("abort", text.abort)}</div>`;
  const begun = state.moves.length > 1;
  const mayOffer = state.moves.length > 0 && !state.offers.length;
  return html`<div class="actions">
    ${other ? claim(app, other) : nothing}
    ${app.asking
      ? html`<span>${text.resignAsk}</span> ${button("resign", text.yes, "main")}
          <button @click=${app.actions.dontResign}>${text.no}</button>`
      : html`${begun ? html`<button @click=${app.actions.askToResign}>${text.resign}</button>` : button("abort", text.abort)}
        ${state.claim_draw && state.to_move === mine ? button("claim_draw", text.claimByRule, "main") : nothing}
        ${begun && mayOffer ? button("offer_draw", text.draw) : nothing}
        ${!table.options.rated && mayOffer ? button("offer_takeback", text.takeback) : nothing}`}
  </div>`;
}

/**
 * The opponent is away: when the game can be claimed, and then the buttons that do.
 * @param {App} app
 * @param {import("./types.js").Seat} other
 */
function claim(app, other) {
  if (other.claimable_at === undefined) return nothing;
  const until = Date.parse(other.claimable_at);
  if (until > app.connection.now()) {
    return html`<p class="note">${text.isAway(other.name)} <span class="countdown" data-until=${until}></span></p>`;
  }
  return html`<button class="main" @click=${() => app.actions.claim("win")}>${text.claimWin}</button>
    <button @click=${() => app.actions.claim("draw")}>${text.claimDraw}</button>`;
}
