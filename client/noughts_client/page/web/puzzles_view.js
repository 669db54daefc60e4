// How puzzles are shown: the board, the task and what was said of the last try; then the proof, the next, today's others, and
// sets for a class.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, isTurned, markOf } from "./board.js";
import { dragging } from "./drag.js";
import { ratioOf } from "./grid.js";
import { icon } from "./icons.js";
import { shareButton } from "./link.js";
import { linkBox } from "./link_box.js";
import { expected } from "./moves.js";
import { running } from "./puzzle_record.js";
import { puzzleText as text } from "./puzzles_texts.js";
import { endOf, ringed } from "./rings.js";
import { boardOf } from "./room.js";
import { text as words } from "./room_texts.js";
import { text as common } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./puzzles.js").Now} Now
 * @typedef {import("./puzzles.js").Puzzle} Puzzle
 * @typedef {typeof import("./puzzles.js").actions} Actions
 * @typedef {import("./puzzles.js").PuzzleSet} PuzzleSet
 * @typedef {import("./picking.js").Picked} Picked
 * @typedef {{game: import("./types.js").GameInfo, puzzle: Puzzle, table: import("./table.js").Table}} Shown
 */

/** The most puzzles of a set that is made here. */
const MOST = 50;

/**
 * @param {App} app
 * @param {Now} now
 * @param {Picked} picked
 * @param {Shown | null} shown
 * @param {Actions} actions
 */
export function puzzleView(app, now, picked, shown, actions) {
  if (!shown) {
    return html`<div class="practice-wait"><h1>${text.title}</h1>
      <p role="status">${now.problem ?? text.loading}</p>
      ${now.problem ? html`<p><a class="button main" href="/puzzles">${text.title}</a></p>` : nothing}
    </div>`;
  }
  const { game, puzzle } = shown;
  return html`<div class="room practice puzzle" .style=${`--ratio: ${ratioOf(game).toFixed(4)}`}>
    <div class="stage">${field(now, picked, shown, actions)}</div>
    <section class="beside" aria-label=${text.beside}>
      <div class="parts"><div class="work">
        ${task(now, shown, actions)}
        <div class="said" role="status">${said(now)}${picked.pending !== null && now.wrong === null && !now.said ? html`<p class="note waits">${text.judging}</p>` : nothing}${picked.error ? html`<p class="error">${picked.error}</p>` : nothing}</div>
        ${now.state === "open" ? html`${actions.picks.choices()}` : lineView(now, actions)}
      </div>
      <div class="work rest">
        ${proof(now)} ${now.set ? html`${facts(now, puzzle, actions)} ${setView(app, now, now.set, puzzle, actions)}` : html`${further(app, now, puzzle, actions)} ${more(app, now)} ${facts(now, puzzle, actions)} ${days(now, actions)} ${ownSets(app, now, puzzle, actions)}`}
      </div></div>
      ${foot(now, shown, actions)}
    </section>
  </div>`;
}

/**
 * @param {Now} now
 * @param {Picked} picked
 * @param {Shown} shown
 * @param {Actions} actions
 */
function field(now, picked, { game, puzzle, table }, actions) {
  const usual = game.board?.bottom ? puzzle.side : "first";
  const bottom = now.turned ? (usual === "first" ? "second" : "first") : usual;
  const turned = isTurned(game, bottom);
  const { rows } = now.places[now.at];
  return boardOf(table, game, bottom, picked, { side: puzzle.side, options: actions.picks.options() }, {
    onPick: actions.picks.pick,
    onPress: dragging,
    onFocus: actions.focusOn,
    ...over(now, game, puzzle, rows, turned),
  });
}

/**
 * What is drawn over the position: a wrong move, as long as it stays, or the moves that a hint names.
 * @param {Now} now
 * @param {import("./types.js").GameInfo} game
 * @param {Puzzle} puzzle
 * @param {string[]} rows
 * @param {boolean} turned
 */
function over(now, game, puzzle, rows, turned) {
  const { wrong } = now;
  if (wrong !== null) {
    const ahead = expected(rows, game, wrong, game.sides[puzzle.side].symbol);
    const cell = endOf(game, rows, wrong, puzzle.side);
    return { rows: ahead.rows, pending: ahead.cell, marks: cell === null ? nothing : ringed(game, ahead.rows, turned, [{ cell, kind: "wrong" }]) };
  }
  const cells = new Set(now.named.map((move) => endOf(game, rows, move, puzzle.side)));
  const hints = [...cells].flatMap((cell) => (cell ? [{ cell, kind: /** @type {"hint"} */ ("hint") }] : []));
  const refused = now.refused && now.refuting === null && endOf(game, rows, now.refused, puzzle.side);
  const won = now.state === "solved" && now.at === now.places.length - 1 && now.at % 2 ? endCell(now, game) : null;
  return { marks: ringed(game, rows, turned, [
    ...hints, ...(refused ? [{ cell: refused, kind: /** @type {"wrong"} */ ("wrong") }] : []), ...(won ? [{ cell: won, kind: /** @type {"right"} */ ("right") }] : []),
  ]) };
}

/**
 * Where the last move of a solution ended.
 * @param {Now} now
 * @param {import("./types.js").GameInfo} game
 */
function endCell({ places, moves, at }, game) {
  const before = places[at - 1];
  return before.to_move ? endOf(game, before.rows, moves[at - 1], before.to_move) : null;
}

/** In so many puzzles of a game it is said what the first try counts. */
const TOLD = 3;

/**
 * @param {Now} now
 * @param {Shown} shown
 * @param {Actions} actions
 */
function task(now, { game, puzzle }, actions) {
  const [ask, ...rest] = puzzle.text.split(/(?<=\.) /);
  const isToday = now.list?.games.some(({ today }) => today === puzzle.puzzle);
  const tried = now.score === null && actions.scoreOf(puzzle.puzzle) !== null;
  const done = now.places.slice(0, now.refuting ?? now.at).filter(({ to_move }) => to_move === puzzle.side).length;
  const title = now.set ? html`<bdi>${now.set.title}</bdi>, ${game.title}` : isToday ? text.today(game.title) : text.one(game.title);
  const steps = Math.max(puzzle.moves, now.state === "open" ? done + 1 : done);
  return html`<p class="source">${markOf(game, puzzle.side)} <span>${title}</span></p>
    <h1>${now.refuting === null ? ask : text.answered(game.sides[puzzle.side === "first" ? "second" : "first"].name)}</h1>
    ${now.state === "shown" ? nothing : html`<div class="way">
      ${Array.from({ length: steps }, (_, step) => html`<i class="dot ${step < done ? "found" : step === done && now.state === "open" ? "now" : ""}" aria-hidden="true"></i>`)}
      <span>${text.move(done + 1, steps)}</span>
      ${now.state === "open" ? actions.picks.field() : nothing}
    </div>`}
    ${now.state === "open" ? html`<p class="note">${rest.join(" ")} ${tried ? text.before : actions.triedIn(puzzle.game) < TOLD ? text.counts : nothing}</p>` : nothing}`;
}

/** @param {Now} now */
function said(now) {
  const { state, said: last, score, change } = now;
  if (state === "open") {
    if (!last) return nothing;
    return html`<div class="told ${last.kind}"><p><b>${last.words}</b></p>${last.kind === "wrong" && score === 0 && change !== null ? html`<p>${text.changed(change)}</p>` : nothing}</div>`;
  }
  const words = state === "shown" ? text.shown : text.solved[/** @type {0 | 0.5 | 1} */ (score ?? 1)];
  return html`<div class="told ${state === "solved" ? "right" : "hinted"}"><p><b>${words}</b></p>${change === null ? nothing : html`<p>${text.changed(change)}</p>`}</div>`;
}

/**
 * The moves that were played, or those of the solution, one by one.
 * @param {Now} now
 * @param {Actions} actions
 */
function lineView({ places, moves, at }, actions) {
  return html`<div class="better">
    <ol class="line" aria-label=${text.line}>
      ${moves.map((move, index) => html`<li>
        <button class=${at === index + 1 ? "now" : ""} aria-current=${at === index + 1 ? "step" : nothing} @click=${() => actions.along(index + 1)}>${places[index + 1]?.name ?? move}</button>
      </li>`)}
    </ol>
    <div class="replay">
      <button aria-label=${text.lineBack} title=${text.lineBack} ?disabled=${at === 0} @click=${() => actions.along(at - 1)}>${icon("previous")}</button>
      <button aria-label=${text.lineOn} title=${text.lineOn} ?disabled=${at === moves.length} @click=${() => actions.along(at + 1)}>${icon("next")}</button>
    </div>
  </div>`;
}

/**
 * What every other first move leads to: moves that lead to the same are told together.
 * @param {Now} now
 */
function proof({ state, proof: found, places }) {
  if (state === "open" || !found) return nothing;
  /** @type {Map<string, string[]>} */
  const by = new Map();
  for (const { name, text: words } of found.others) by.set(words, [...(by.get(words) ?? []), name]);
  const missing = places[0].legal_moves.length - 1 - found.others.length;
  return html`<section class="proof">
    <h2>${text.proof}</h2>
    <dl>
      ${[...by].map(([words, names]) => html`<div><dt>${names.join(", ")}</dt><dd>${words}</dd></div>`)}
    </dl>
    ${missing ? html`<p class="note small">${text.unproved(missing)}</p>` : nothing}
  </section>`;
}

/**
 * @param {Now} now
 * @param {Puzzle} puzzle
 * @param {Actions} actions
 */
function facts({ list, change }, puzzle, actions) {
  const standing = actions.standingOf(puzzle.game) ?? list?.beginner;
  const count = list?.games.find(({ game }) => game === puzzle.game)?.count ?? 0;
  const moved = change === null ? nothing : html` <span class=${change < 0 ? "down" : "up"}>${change < 0 ? "−" : "+"}${Math.abs(Math.round(change))}</span>`;
  return html`<dl class="facts">
    <div><dt>${text.difficulty}</dt><dd>${puzzle.rating}</dd></div>
    <div><dt>${text.you}</dt><dd>${standing && actions.isUncertain(standing) ? html`<span aria-hidden="true">–</span><span class="spoken">${text.uncertain}</span>` : html`${Math.round(standing?.rating ?? 0)}${moved}`}</dd></div>
    <div><dt>${text.tried}</dt><dd>${text.triedOf(actions.triedIn(puzzle.game), count)}</dd></div>
  </dl>`;
}

/**
 * The choice of the next puzzle.
 * @param {App} app
 * @param {Now} now
 * @param {Puzzle} puzzle
 * @param {Actions} actions
 */
function further(app, now, puzzle, actions) {
  const chosen = (/** @type {Event} */ event) => /** @type {HTMLSelectElement} */ (event.target).value;
  return html`<form class="further" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <select aria-label=${text.nextGame} @change=${(/** @type {Event} */ event) => actions.next(chosen(event))}>
      ${(now.list?.games ?? []).map(({ game }) => html`<option value=${game} .selected=${game === puzzle.game}>${app.games.get(game)?.title}</option>`)}
    </select>
    <select aria-label=${text.nextLevel} @change=${(/** @type {Event} */ event) => actions.setLevel(/** @type {import("./puzzles.js").Level} */ (chosen(event)))}>
      ${/** @type {import("./puzzles.js").Level[]} */ (["easier", "mine", "harder"]).map((level) => html`<option value=${level} .selected=${level === now.level}>${text.levels[level]}</option>`)}
    </select>
  </form>`;
}

/**
 * @param {App} app
 * @param {Now} now
 */
function more(app, { more: others }) {
  if (!others.length) return nothing;
  return html`<section class="also">
    <h2>${text.moreToday}</h2>
    <ul>
      ${repeat(others, ({ puzzle }) => puzzle.puzzle, ({ puzzle, place }) => {
        const game = app.games.get(puzzle.game);
        if (!game) return nothing;
        const picture = puzzle.setup ? nothing : board({ game, rows: place.rows, counts: place.counts, small: true });
        return html`<li><a href="/puzzles?puzzle=${puzzle.puzzle}">
          <span class="picture" aria-hidden="true">${picture}</span>
          <span><b>${game.title}</b><br /><span class="note small">${puzzle.text.split(/(?<=\.) /)[0].replace(/\.$/, "")}</span></span>
          <span class="rated">${puzzle.rating}</span>
        </a></li>`;
      })}
    </ul>
  </section>`;
}

/**
 * @param {Now} now
 * @param {Actions} actions
 */
function days({ list }, actions) {
  if (!list) return nothing;
  const solved = actions.days();
  const week = Array.from({ length: 7 }, (_, ago) => new Date(Date.parse(list.day) - (6 - ago) * 86_400_000));
  const isSolved = (/** @type {Date} */ day) => solved.includes(day.toISOString().slice(0, 10));
  const name = (/** @type {Date} */ day, /** @type {"short" | "long"} */ weekday) => day.toLocaleDateString("en", { weekday, timeZone: "UTC" });
  return html`<section class="week">
    <p><b>${text.running(running(solved, list.day), solved[0] === list.day)}</b></p>
    <ol aria-label=${text.week}>
      ${week.map((day, index) => html`<li class=${index === 6 ? "today" : ""}>
        <span class="dot ${isSolved(day) ? "found" : ""}" aria-hidden="true"></span><span aria-hidden="true">${name(day, "short")}</span>
        <span class="spoken">${text.dayState(name(day, "long"), isSolved(day))}</span>
      </li>`)}
    </ol>
    ${actions.isGuest() ? html`<p class="note small">${text.guest}</p>` : nothing}
  </section>`;
}

/**
 * @param {number | null | undefined} score
 * @returns {keyof typeof text.states}
 */
function stateOf(score) {
  return score === 1 ? "found" : score === 0.5 ? "hinted" : score === 0 ? "shown" : "open";
}

/**
 * The set to which the puzzle belongs: its puzzles and, for its maker, who has solved them.
 * @param {App} app
 * @param {Now} now
 * @param {PuzzleSet} puzzleSet
 * @param {Puzzle} puzzle
 * @param {Actions} actions
 */
function setView(app, now, puzzleSet, puzzle, actions) {
  const { set: id, by, puzzles, solvers } = puzzleSet;
  const scores = puzzles.map((one) => actions.scoreOf(one.puzzle));
  const mine = solvers !== undefined;
  const done = scores.every((score) => score !== null);
  return html`<section class="set">
    <div class="progress">
      <ol aria-label=${text.inSet}>
        ${puzzles.map((one, index) => {
          const label = text.setState(index + 1, text.states[stateOf(scores[index])]);
          return html`<li><a class="dot ${stateOf(scores[index])}" href="/puzzles?set=${id}&puzzle=${one.puzzle}" aria-label=${label} title=${label}
            aria-current=${one.puzzle === puzzle.puzzle ? "step" : nothing}></a></li>`;
        })}
      </ol>
    </div>
    ${done ? html`<p role="status"><b>${text.setDone(scores.filter(Boolean).length, scores.length)}</b></p>` : nothing}
    ${mine
      ? nothing
      : html`<p class="note small">${actions.isGuest() ? text.registerFor(by.name) : text.seen(by.name)}
          ${actions.isGuest() ? html`<button @click=${app.actions.account}>${common.account}</button>` : nothing}</p>`}
    ${mine ? solversView(app, now, puzzleSet, solvers, actions) : nothing}
    <p><a href="/puzzles">${text.title}</a></p>
  </section>`;
}

/**
 * @param {App} app
 * @param {Now} now
 * @param {PuzzleSet} puzzleSet
 * @param {NonNullable<PuzzleSet["solvers"]>} solvers
 * @param {Actions} actions
 */
function solversView(app, now, { set: id, puzzles }, solvers, actions) {
  const cell = (/** @type {number | null} */ score) => html`<td><span class="dot ${stateOf(score)}" aria-hidden="true"></span><span class="spoken">${text.states[stateOf(score)]}</span></td>`;
  return html`${linkBox(app, { link: `${location.origin}/puzzles?set=${id}`, label: text.setLink })}
    <h2>${text.solvers}</h2>
    ${solvers.length
      ? html`<div class="scrolls" tabindex="0" role="region" aria-label=${text.solvers}><table class="solvers">
          <thead><tr><th scope="col">${text.solver}</th><th scope="col">${text.solvedCount}</th>${puzzles.map((_, index) => html`<th scope="col">${index + 1}</th>`)}</tr></thead>
          <tbody>
            ${solvers.map(({ player, scores }) => html`<tr>
              <th scope="row"><a href="/players/${player.id}"><bdi>${player.name}</bdi></a></th><td>${scores.filter(Boolean).length}</td>${scores.map(cell)}
            </tr>`)}
          </tbody>
        </table></div>`
      : html`<p class="note">${text.noSolvers}</p>`}
    ${now.form.problem ? html`<p class="error" role="alert">${now.form.problem}</p>` : nothing}
    <p class="row"><button @click=${actions.reloadSet}>${text.reload}</button> <button @click=${actions.removeSet}>${text.remove}</button></p>`;
}

/**
 * Sets that the player has made, and the form for another.
 * @param {App} app
 * @param {Now} now
 * @param {Puzzle} puzzle
 * @param {Actions} actions
 */
function ownSets(app, now, puzzle, actions) {
  const sets = now.list?.sets ?? [];
  const number = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ value, /** @type {number} */ most) => html`<label>${label}
    <input type="number" name=${name} .defaultValue=${String(value)} min="1" max=${most} required /></label>`;
  return html`<details class="for-class">
    <summary>${text.forClass}</summary>
    ${actions.isGuest()
      ? html`<p>${text.register} <button @click=${app.actions.account}>${common.account}</button></p>`
      : html`<form @submit=${actions.makeSet}>
          <p class="note">${text.forClassHelp}</p>
          <label class="wide">${text.name} <input name="title" required maxlength="32" autocomplete="off" /></label>
          <label class="wide">${common.game}
            <select name="game">
              ${(now.list?.games ?? []).map(({ game }) => html`<option value=${game} .selected=${game === puzzle.game}>${app.games.get(game)?.title}</option>`)}
            </select></label>
          ${number("count", text.howMany, 10, MOST)} ${number("from", text.from, 600, 3000)} ${number("to", text.to, 2200, 3000)}
          ${now.form.problem ? html`<p class="error" role="alert">${now.form.problem}</p>` : nothing}
          <button class="main" ?disabled=${now.form.sending}>${text.make}</button>
        </form>`}
    ${sets.length
      ? html`<h2>${text.yourSets}</h2>
          <ul>${sets.map((one) => html`<li><a href="/puzzles?set=${one.set}"><bdi>${one.title}</bdi></a> <span class="note small">${text.puzzles(one.count)}</span></li>`)}</ul>`
      : nothing}
  </details>`;
}

/**
 * @param {Now} now
 * @param {Shown} shown
 * @param {Actions} actions
 */
function foot(now, { game, puzzle }, actions) {
  const link = `${location.origin}/puzzles?puzzle=${puzzle.puzzle}`;
  const done = now.set !== null && now.set.puzzles.every((one) => actions.scoreOf(one.puzzle) !== null);
  return html`<div class="actions">
    ${now.refuting !== null
      ? html`<button class="main">${text.retry}</button>`
      : now.state === "open"
      ? html`<button @click=${actions.hint} ?disabled=${now.hints > 1} aria-busy=${now.asked === "hint" ? "true" : nothing}>${text.hint}</button>
          ${now.set ? nothing : html`<button @click=${() => actions.next()}>${text.skip}</button>`}
          <button @click=${actions.answer} aria-busy=${now.asked === "answer" ? "true" : nothing}>${text.show}</button>`
      : html`${done ? nothing : html`<button class="main" @click=${() => actions.next()}>${text.next}</button>`} <button @click=${actions.again}>${text.again}</button>`}
    <span class="share">${shareButton(link, text.one(game.title), "bare")}</span>
    ${game.board?.bottom
      ? html`<button class="bare" aria-label=${words.flip} title=${words.flip} aria-pressed=${now.turned ? "true" : "false"} @click=${actions.flip}>${icon("flip")}</button>`
      : nothing}
  </div>`;
}
