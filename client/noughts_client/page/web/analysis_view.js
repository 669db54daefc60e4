// The analysis board as it is shown: the board with its marks, the values, the tree of moves, what can be set up and shared.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { analysisText as text } from "./analysis_texts.js";
import { drawing, drawn } from "./arrows.js";
import { isTurned, markOf } from "./board.js";
import { isMain, listed } from "./branch.js";
import { dragging } from "./drag.js";
import { edgesOf, ratioOf } from "./grid.js";
import { icon } from "./icons.js";
import { copy, select, shareButton } from "./link.js";
import { COLOURS } from "./marks.js";
import { stepper } from "./panels.js";
import { boardOf, captured, heldBy } from "./room.js";
import { seen } from "./table.js";
import { analysisOf } from "./valued.js";
import { ended, text as words } from "./room_texts.js";
import { worthInWords, worths } from "./values.js";
import { bar, explained } from "./values_panel.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./analysis.js").Board} Board
 * @typedef {import("./analysis.js").Actions} Actions
 * @typedef {import("./analysis.js").Tab} Tab
 * @typedef {import("./branch.js").Branch} Branch
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 */

/**
 * @param {App} app
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Table} table
 * @param {Actions} actions
 */
export function analysisView(app, board, game, table, actions) {
  const usual = game.board?.bottom ?? "first";
  const bottom = board.turned ? (usual === "first" ? "second" : "first") : usual;
  // What is beside a room's board is shown as if this were a room.
  const shown = /** @type {App} */ (Object.assign(Object.create(app), {
    valuesError: board.valuesError, numbers: board.numbers, tab: board.values ? "values" : "moves",
    actions: { ...app.actions, lookAt: actions.lookAt, toggleNumbers: actions.toggleNumbers },
  }));
  const known = board.shown.position !== null;
  return html`<div class="room analysis ${board.values ? "valued" : ""} ${board.marking ? "marking" : ""}" .style=${`--ratio: ${ratioOf(game).toFixed(4)}`}>
    <h1 class="spoken">${text.title}: ${game.title}</h1>
    <div class="stage">${bar(shown, table, game, bottom)} ${field(board, game, table, bottom, actions)}</div>
    <section class="beside" aria-label=${text.beside}>
      <div class="head">
        ${board.names ? html`<strong>${game.title}</strong>` : chooser(app, board, actions)}
        ${sides(board, game, table)}
      </div>
      ${tabs(board, actions)}
      ${board.tab === "set" ? setUp(app, board, game, actions) : board.tab === "share" ? share(board, game, actions) : html`<div class="view">
        ${board.values ? html`<div class="values">${known ? explained(shown, table, game) : nothing}</div>` : nothing}
        ${tree(game, board, actions)}
      </div>`}
      ${stepper(shown, table)}
      <div class="standing">
        <div class="first-line">
          <p class="status" role="status">${statusOf(app, board, game)}</p>
          ${actions.picks.field()}
        </div>
        ${board.error ? html`<p class="error" role="alert">${board.error}</p>` : nothing}
        ${choices(board, game, table, actions)} ${marking(board, actions)}
      </div>
      <div class="actions">
        ${board.room ? html`<a class="button bare" href="/rooms/${board.room}" aria-label=${text.toRoom} title=${text.toRoom}>${icon("undo")}</a>` : nothing}
        <button aria-pressed=${board.values ? "true" : "false"} @click=${actions.switchValues}>${text.values}</button>
        <button aria-pressed=${board.marking ? "true" : "false"} title=${text.markHelp} @click=${actions.switchMarks}>${text.mark}</button>
        ${isMain(board.shown) ? nothing : html`<button aria-label=${text.mainLine} title=${text.mainLine} @click=${actions.main}>${text.main}</button>`}
        <span class="grow"></span>
        <button class="bare" aria-label=${text.remove} title=${text.remove} ?disabled=${board.shown.played} @click=${actions.erase}>
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5"></path></svg>
        </button>
        ${game.board?.bottom
          ? html`<button class="bare" aria-label=${words.flip} title=${words.flip} aria-pressed=${board.turned ? "true" : "false"} @click=${actions.flip}>${icon("flip")}</button>`
          : nothing}
      </div>
    </section>
  </div>`;
}

/**
 * @param {App} app
 * @param {Board} board
 * @param {Actions} actions
 */
function chooser(app, board, actions) {
  return html`<select aria-label=${text.game} @change=${(/** @type {Event} */ event) => actions.choose(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${[...app.games.values()].map(({ key, title }) => html`<option value=${key} .selected=${key === board.game}>${title}</option>`)}
  </select>`;
}

/**
 * Both sides: who played, what they have taken or hold, and the score.
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Table} table
 */
function sides(board, game, table) {
  const { state } = seen(table);
  return html`<ul class="sides">
    ${/** @type {Side[]} */ (["first", "second"]).map((side, index) => {
      const what = [
        heldBy(game, side, state.held?.[side]),
        captured(table, game, side),
      ].filter(Boolean).join(", ");
      return html`<li class=${state.to_move === side ? "turn" : ""}>
        ${markOf(game, side)}<span class="who"><bdi>${board.names?.[side] ?? game.sides[side].name}</bdi>${what ? html` <span class="what">${what}</span>` : nothing}</span>
        ${state.score ? html`<b>${state.score[index]}</b>` : nothing}
      </li>`;
    })}
  </ul>`;
}

/**
 * @param {Board} board
 * @param {Actions} actions
 */
function tabs(board, actions) {
  return html`<div class="tabs" role="radiogroup" aria-label=${text.beside}>
    ${/** @type {Tab[]} */ (["line", "set", "share"]).map(
      (tab) => html`<label><input type="radio" name="tab" value=${tab} .checked=${tab === board.tab} @change=${() => actions.openTab(tab)} />${text.tabs[tab]}</label>`,
    )}
  </div>`;
}

/**
 * @param {App} app
 * @param {Board} board
 * @param {GameInfo} game
 */
function statusOf(app, board, game) {
  const { position } = board.shown;
  if (board.waiting) return text.busy;
  if (position === null) return words.connecting;
  if (position.outcome) {
    const { winner } = position.outcome;
    return ended(app.words, winner === null ? null : words.won(game.sides[winner].name), position.outcome, position, game.block);
  }
  return position.to_move ? text.opened(game.sides[position.to_move].name) : "";
}

/**
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Table} table
 * @param {Side} bottom
 * @param {Actions} actions
 */
function field(board, game, table, bottom, actions) {
  const now = { side: seen(table).state.to_move, options: board.marking ? undefined : actions.picks.options(), worths: board.values && board.valuesError === null ? worths : undefined };
  return boardOf(table, game, bottom, board, now, {
    numbers: board.numbers,
    onPick: actions.pick,
    onPress: (press, made) => void (drawing(press, { on: board.marking, colour: board.colour }, actions.onMark) || dragging(press, made)),
    onFocus: actions.focusOn,
    marks: drawn(game, board.shown.marks, isTurned(game, bottom), board.begun),
  });
}

/**
 * Moves that are nowhere on the board, and what is to be confirmed.
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Table} table
 * @param {Actions} actions
 */
function choices(board, game, table, actions) {
  const { position } = board.shown;
  if (!position?.to_move || board.pending !== null || board.marking) return nothing;
  const found = board.values ? analysisOf(table) : null;
  return actions.picks.choices((move) => {
    const value = found && !found.stale && found.analysis.moves[move];
    return value ? ` (${worthInWords(value, game, table)})` : "";
  });
}

/**
 * @param {Board} board
 * @param {Actions} actions
 */
function marking(board, actions) {
  if (!board.marking) return nothing;
  return html`<div class="marking-tools">
    <div class="colours" role="radiogroup" aria-label=${text.colour}>
      ${COLOURS.map(
        (colour) => html`<label class=${colour} title=${text.colours[colour]}><input type="radio" name="colour" aria-label=${text.colours[colour]} .checked=${board.colour === colour} @change=${() => actions.useColour(colour)} /></label>`,
      )}
    </div>
    <button ?disabled=${!board.shown.marks.length} @click=${actions.clear}>${text.clear}</button>
    <p class="note small">${text.markHelp}</p>
  </div>`;
}

/**
 * The moves, with the variations in brackets.
 * @param {GameInfo} game
 * @param {Board} board
 * @param {Actions} actions
 */
function tree(game, board, actions) {
  const entries = listed(board.tree);
  if (!entries.length) return html`<p class="note">${text.empty}</p>`;
  const { shown } = board;
  /** @type {{depth: number, entries: typeof entries}[]} */
  const runs = [];
  for (const entry of entries) {
    const depth = Math.min(entry.depth, 1); // deeper ones stand within the others
    if (!runs.length || runs[runs.length - 1].depth !== depth || (entry.kind === "open" && entry.depth === 1)) runs.push({ depth, entries: [] });
    runs[runs.length - 1].entries.push(entry);
  }
  return html`${edgesOf(game).falls ? html`<p class="note small">${text.columns}</p>` : nothing}<div class="tree-moves" role="group" aria-label=${text.moves}>
      ${runs.map(
        (run) => html`<div class="run depth-${run.depth}">${run.entries.map((entry) =>
          entry.kind === "move" ? moveOf(entry, shown, actions) : html`<span class="bracket" aria-label=${entry.kind === "open" ? text.variation : text.end} role="img">${entry.kind === "open" ? "(" : ")"}</span>`,
        )}</div>`,
      )}
    </div>`;
}

/**
 * @param {{branch: Branch, depth: number, number: string}} entry
 * @param {Branch} shown
 * @param {Actions} actions
 */
function moveOf({ branch, depth, number }, shown, actions) {
  const now = branch === shown;
  return html`<span class="ply">${number ? html`<span class="number" aria-hidden="true">${number}</span>` : nothing}<button
    class="tree-move ${now ? "now" : ""} ${depth ? "" : "main-move"} ${branch.played ? "" : "tried"}" aria-current=${now ? "true" : nothing}
    @click=${() => actions.show(branch)}>${branch.position?.name ?? branch.move}</button></span>`;
}

/**
 * @param {App} app
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Actions} actions
 */
function setUp(app, board, game, actions) {
  const invalid = (/** @type {string} */ field) => (board.wrong?.field === field ? "true" : nothing);
  const wrong = (/** @type {string} */ field) => (board.wrong?.field === field ? html`<p class="error" id="wrong" role="alert">${board.wrong.words}</p>` : nothing);
  return html`<form class="view set-up" @submit=${actions.setUp}>
    ${board.names ? html`<label>${text.game} ${chooser(app, board, actions)}</label>` : nothing}
    ${repeat(
      (game.options ?? []).filter(({ choices }) => choices),
      ({ key }) => `${game.key} ${key}`,
      ({ key, title, default: usual, choices = [] }) => html`<label>${title}
        <select name=${`setup ${key}`}>
          ${choices.map((choice) => html`<option value=${choice} .selected=${String(choice) === String(board.setup[key] ?? usual)}>${choice}</option>`)}
        </select></label>`,
    )}
    <label>${text.position} <input name="position" maxlength="500" .value=${board.start} placeholder=${text.positionHelp} autocomplete="off" spellcheck="false"
      aria-invalid=${invalid("position")} aria-describedby="wrong" /></label>
    ${wrong("position")}
    <label>${text.pastedMoves} <textarea name="moves" rows="3" maxlength="12000" placeholder=${text.movesHelp} autocomplete="off" spellcheck="false"
      aria-invalid=${invalid("moves")} aria-describedby="wrong"></textarea></label>
    ${wrong("moves")}
    <button class="main">${text.start}</button>
    <p class="note small">${text.keys}</p>
  </form>`;
}

/**
 * @param {Board} board
 * @param {GameInfo} game
 * @param {Actions} actions
 */
function share(board, game, actions) {
  const { query, whole } = actions.address();
  const copied = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ button) => html`<div class="row">
    <input readonly aria-label=${label} .value=${value} @focus=${select} />
    <button type="button" @click=${(/** @type {Event} */ event) => copy(event, value)}>${button}</button>
  </div>`;
  return html`<div class="view share">
    <h2>${text.link}</h2>
    ${copied(text.link, `${location.origin}/analysis?${query}`, text.copyLink)}
    ${"share" in navigator ? shareButton(`${location.origin}/analysis?${query}`, game.title) : nothing} ${whole ? nothing : html`<p class="note">${text.cut}</p>`}
    <h2>${text.position}</h2>
    ${copied(text.position, board.shown.position?.text ?? "", text.copyPosition)}
    <h2>${text.downloads}</h2>
    <p class="note small">${text.downloadsHelp(game.record === "pgn" || game.record === "pdn")}</p>
    <div class="row">
      ${[game.record, "jsonl"].flatMap((suffix) => (suffix ? [html`<button type="button" @click=${() => actions.download(suffix)}>${text.download(suffix)}</button>`] : []))}
    </div>
  </div>`;
}
