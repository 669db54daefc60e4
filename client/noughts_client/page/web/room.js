// The view of a room: the board, the players, the moves, and what can be done.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board } from "./board.js";
import { left, shown, control } from "./clock.js";
import { linkBox } from "./link.js";
import { cellNames, next } from "./moves.js";
import { lastCells, seen } from "./table.js";
import { betterLine, markOf, reviewPanel } from "./review.js";
import { reviewText, text } from "./texts.js";
import { share, summary, worths } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/** @type {Side[]} */
const SIDES = ["first", "second"];

/**
 * @param {App} app
 * @param {Table} table
 */
export function mySide(app, table) {
  const { first, second } = table.state.seats;
  const me = app.me?.id;
  if (first?.id === me && second?.id === me) return table.state.to_move;
  return first?.id === me ? "first" : second?.id === me ? "second" : null;
}

/** @param {App} app */
export function roomView(app) {
  const { table } = app;
  const game = table && app.games.get(table.game);
  if (!table || !game) return html`<p class="note" role="status">${app.error ?? text.connecting}</p>`;
  const mine = mySide(app, table);
  const top = mine === "first" ? "second" : "first";
  const bottom = top === "first" ? "second" : "first";
  return html`<div class="room">
    <section class="play" aria-label=${game.title}>
      ${player(app, table, game, top)}
      <div class="stage">${bar(app, table)} ${field(app, table, game, mine)}</div>
      ${player(app, table, game, bottom)}
      <p class="status" role="status">${statusOf(app, table, game, mine)}</p>
      ${betterLine(app, table, game)}
      ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
      ${choices(app, table, game, mine)} ${invitation(app, table)} ${offers(app, table, mine)} ${actions(app, table, mine)}
    </section>
    <aside>
      ${valuesPanel(app, table)} ${moveList(app, table)} ${reviewPanel(app, table, game)} ${chatPanel(app, table)} ${rulesPanel(game)}
    </aside>
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side} side
 */
function player(app, table, game, side) {
  const seat = table.state.seats[side];
  const { clock } = table.state;
  const ms = clock && left(clock, side, app.connection.now());
  const turn = table.state.to_move === side;
  const what = seat === null ? "" : seat.kind === "human" ? "" : seat.kind === "computer" ? text.computer : text.bot;
  return html`<div class="player ${side} ${turn ? "turn" : ""}">
    <span class="mark" aria-hidden="true"></span>
    <span class="who"><bdi>${seat ? seat.name : text.openSeat}</bdi></span>
    <span class="what">
      ${game.sides[side].name}${seat?.id === app.me?.id && seat ? `, ${text.you}` : ""}${what ? `, ${what}` : ""}${seat?.kind ===
      "computer"
        ? ` ${seat.id.slice("computer:".length)}`
        : ""}${seat?.rating !== undefined ? `, ${seat.rating}${seat.provisional ? "?" : ""}` : ""}${seat && !seat.online
        ? `, ${text.away}`
        : ""}
    </span>
    ${ms === null
      ? nothing
      : html`<span class="time ${clock?.running === side ? "running" : ""} ${ms < 10000 ? "short" : ""}" role="timer"
          >${shown(ms)}</span
        >`}
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
  const options = canMove ? next(state.legal_moves, cellNames(game.layout), app.path) : undefined;
  return board({
    game,
    rows: state.rows,
    options,
    path: app.path,
    pending: past ? null : app.pending,
    last: lastCells(table, names),
    line: state.outcome?.cells,
    worth: app.values.on && app.analysis ? worths(app.analysis) : undefined,
    focus: app.focus ?? names[0][0],
    onPick: (r, c) => app.actions.pick(game.layout[r][c], names[r][c]),
  });
}

/**
 * @param {App} app
 * @param {Table} table
 */
function bar(app, table) {
  if (!app.values.on || !app.analysis) return nothing;
  const top = mySide(app, table) === "first" ? 1 - share(app.analysis) : share(app.analysis);
  return html`<svg class="bar" viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-bottom" width="10" height="100"></rect>
    <rect class="bar-top" width="10" height=${top * 100}></rect>
  </svg>`;
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
  if (past) return `${text.atPast} (${text.ply(ply)})`;
  if (state.outcome) return outcomeOf(state, mine);
  if (state.status === "waiting") return text.waiting;
  if (state.to_move === mine && mine !== null) return text.yourTurn;
  const seat = state.to_move && state.seats[state.to_move];
  return text.turnOf(seat ? seat.name : state.to_move ? game.sides[state.to_move].name : "");
}

/**
 * @param {import("./types.js").State} state
 * @param {Side | null} mine
 */
function outcomeOf(state, mine) {
  const outcome = /** @type {import("./types.js").Outcome} */ (state.outcome);
  if (outcome.reason === "aborted") return text.aborted;
  if (outcome.winner === null) return text.drawn[/** @type {"draw"} */ (outcome.reason)] ?? text.drawn.draw;
  const winner = state.seats[outcome.winner];
  const reason = text.reasons[/** @type {"line"} */ (outcome.reason)] ?? "";
  return `${text.won(winner?.name ?? "", outcome.winner === mine)} ${reason}.`;
}

/**
 * Moves that are nowhere on the board, such as a pass, and the second step of a move.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Side | null} mine
 */
function choices(app, table, game, mine) {
  const { state, past } = seen(table);
  if (past || mine === null || state.to_move !== mine) return nothing;
  const cells = cellNames(game.layout);
  const others = [...next(state.legal_moves, cells, app.path).keys()].filter((option) => !cells.has(option));
  return html`<div class="choices">
    ${others.map((option) => html`<button class="main" @click=${() => app.actions.pick(option, option)}>${option}</button>`)}
    ${app.path.length ? html`<button @click=${app.actions.unpick}>${text.cancel}</button>` : nothing}
    ${app.chosen
      ? html`<button class="main" @click=${app.actions.confirm}>${text.confirm}: ${app.chosen.name}</button>
          <button @click=${app.actions.unpick}>${text.cancel}</button>`
      : nothing}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 */
function invitation(app, table) {
  const { first, second } = table.state.seats;
  if (table.state.status !== "waiting" || (first && second)) return nothing;
  if (mySide(app, table) === null) {
    return html`<button class="main" @click=${app.actions.join}>${text.takeSeat}</button>`;
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
          <p>${text.offers[offer]}</p>
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
  if (mine === null) return nothing;
  const other = state.seats[mine === "first" ? "second" : "first"];
  const button = (/** @type {string} */ type, /** @type {string} */ label) =>
    html`<button @click=${() => app.actions.table(type)}>${label}</button>`;
  if (state.status === "over") {
    const offered = state.offers.some(({ offer }) => offer === "rematch") || state.next !== null;
    return html`<div class="actions">
      ${offered || !other ? nothing : html`<button class="main" @click=${() => app.actions.table("offer_rematch")}>${text.rematch}</button>`}
      <a class="button" href="/games/${table.room}.jsonl" download>${text.download}</a>
    </div>`;
  }
  const begun = state.moves.length > 1;
  const claimable = other?.claimable_at && Date.parse(other.claimable_at) <= app.connection.now();
  return html`<div class="actions">
    ${claimable
      ? html`<button class="main" @click=${() => app.actions.claim("win")}>${text.claimWin}</button>
          <button @click=${() => app.actions.claim("draw")}>${text.claimDraw}</button>`
      : nothing}
    ${app.asking
      ? html`<span>${text.resignAsk}</span> <button class="main" @click=${() => app.actions.table("resign")}>${text.yes}</button>
          <button @click=${app.actions.dontResign}>${text.no}</button>`
      : html`${begun ? html`<button @click=${app.actions.askToResign}>${text.resign}</button>` : button("abort", text.abort)}
        ${begun && !state.offers.length ? button("offer_draw", text.draw) : nothing}
        ${!table.options.rated && state.moves.length && !state.offers.length ? button("offer_takeback", text.takeback) : nothing}`}
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} table
 */
function valuesPanel(app, table) {
  const refused = table.options.rated && table.state.status !== "over";
  return html`<section class="panel values">
    <label class="switch" title=${text.valuesHelp}>
      <input type="checkbox" .checked=${app.values.on} ?disabled=${refused} @change=${app.actions.toggleValues} />
      ${text.values}
    </label>
    <p class="best-line">
      ${refused ? text.ratedNoValues : !app.values.on || table.line ? nothing : app.analysis ? summary(app.analysis) : text.computing}
    </p>
  </section>`;
}

/**
 * @param {App} app
 * @param {Table} table
 */
function moveList(app, table) {
  const { moves } = table.state;
  const { ply } = seen(table);
  const go = (/** @type {number} */ to) => () => app.actions.lookAt(to);
  const count = text.spectators(table.spectators);
  return html`<section class="panel">
    <h2>${text.moves}</h2>
    <ol class="moves">
      ${repeat(
        moves.map((move, index) => ({ move, index })),
        ({ index }) => index,
        ({ move, index }) => html`<li>
          <button
            class="move ${ply === index + 1 ? "now" : ""}"
            aria-current=${ply === index + 1 ? "true" : nothing}
            ?disabled=${!table.positions[index + 1]}
            @click=${go(index + 1)}
          >
            ${move}${markOf(app, table, index)}
          </button>
        </li>`,
      )}
    </ol>
    <div class="replay">
      <button aria-label=${text.first} title=${text.first} @click=${go(0)}>|◀</button>
      <button aria-label=${text.back} title=${text.back} @click=${go(ply - 1)}>◀</button>
      <input
        type="range" min="0" max=${moves.length} .value=${String(ply)} aria-label=${text.moves}
        @input=${(/** @type {Event} */ event) => app.actions.lookAt(Number(/** @type {HTMLInputElement} */ (event.target).value))}
      />
      <button aria-label=${text.forward} title=${text.forward} @click=${go(ply + 1)}>▶</button>
      <button aria-label=${text.present} title=${text.present} @click=${go(moves.length)}>▶|</button>
    </div>
    <p class="note">
      ${count}${count && table.options.clock ? " · " : ""}${table.options.clock ? control(table.options.clock) : ""}
      ${table.options.rated ? ` · ${text.rated}` : ""}
    </p>
  </section>`;
}

/**
 * @param {App} app
 * @param {Table} table
 */
function chatPanel(app, table) {
  const lines = app.chat.filter((line) => line.room === table.room);
  return html`<details class="panel chat" ?open=${lines.length > 0}>
    <summary>${text.chat}</summary>
    <ul aria-live="polite">
      ${lines.map((line) => html`<li><bdi class="who">${line.from}</bdi> <bdi>${line.text}</bdi></li>`)}
    </ul>
    <form @submit=${app.actions.say}>
      <input name="line" maxlength="280" autocomplete="off" aria-label=${text.say} placeholder=${text.say} />
      <button>${text.send}</button>
    </form>
  </details>`;
}

/** @param {GameInfo} game */
function rulesPanel(game) {
  if (!game.rules) return nothing;
  return html`<details class="panel">
    <summary>${text.rules}</summary>
    ${game.rules.map((line) => html`<p>${line}</p>`)}
  </details>`;
}

export { SIDES };
