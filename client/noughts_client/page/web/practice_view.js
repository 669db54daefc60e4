// How practice on the mistakes of a game is shown: the task, what was said of the last try, and how it went in the end.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { isTurned, markOf } from "./board.js";
import { courseGraph, expectations } from "./course_graph.js";
import { ratioOf } from "./grid.js";
import { icon } from "./icons.js";
import { goalOf, judge, provedOf } from "./judging.js";
import { shareButton } from "./link.js";
import { expected } from "./moves.js";
import { called } from "./naming.js";
import { practiceText as text } from "./practice_texts.js";
import { endOf, ringed } from "./rings.js";
import { choices, field, headingOf, mySide, otherOf, typing } from "./room.js";
import { text as common } from "./room_texts.js";
import { worthInWords } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./practice.js").Practice} Practice
 * @typedef {import("./practice.js").Task} Task
 * @typedef {{hint: () => void, show: () => void, next: () => void, again: (all: boolean) => void, leave: () => void,
 *            along: (step: number) => void, play: () => void, jump: (index: number) => void}} Actions
 */

/**
 * @param {App} app
 * @param {Table} real the room's table
 * @param {GameInfo} game
 * @param {Practice} now
 * @param {Table | null} position that of the task
 * @param {Actions} actions
 */
export function practiceView(app, real, game, now, position, actions) {
  const { side, tasks, index } = now;
  const bottom = app.flipped ? otherOf(side) : side;
  const task = tasks[index];
  const drawn = position && task ? drawnOver(now, task, position, game, bottom) : {};
  return html`<div class="room practice" .style=${`--ratio: ${ratioOf(game).toFixed(4)}`}>
    <div class="stage">${field(app, position ?? { ...real, at: null, line: null }, game, position ? side : null, bottom, drawn)}</div>
    <section class="beside" aria-label=${text.title}>
      <div class="work">
        ${!tasks.length
          ? html`<h1>${text.nothing}</h1>`
          : task
            ? html`${taskView(app, real, game, now, task, actions)} ${position ? choices(app, position, game, side) : nothing}`
            : summary(app, real, game, now, actions)}
      </div>
      ${tasks.length ? graph(app, real, game, now) : nothing} ${foot(app, real, game, now, actions)}
    </section>
  </div>`;
}

/**
 * What is drawn otherwise than in a room: a move that was tried, as long as it stays, and rings.
 * @param {Practice} now
 * @param {Task} task
 * @param {Table} position
 * @param {GameInfo} game
 * @param {Side} bottom
 */
function drawnOver(now, task, position, game, bottom) {
  const { mistake, state } = task;
  const { rows } = position.state;
  const turned = isTurned(game, bottom);
  const { line, tried } = now;
  const right = /** @type {"right" | "best"} */ (state === "found" ? "right" : "best");
  if (line) {
    const last = line.step > 0 ? { last: line.cells[line.step - 1] } : {};
    const cell = line.cells[0].at(-1);
    const first = line.step === 1 && cell ? [{ cell, kind: right }] : [];
    return { ...last, marks: ringed(game, rows, turned, line.step > 0 ? first : answerRings(task, now, rows, game)) };
  }
  const move = now.checked ?? (now.shows ? tried?.move : undefined);
  if (move !== undefined) {
    const ahead = expected(rows, game, move, game.sides[mistake.side].symbol);
    const end = now.checked === null ? endOf(game, rows, move, mistake.side) : null;
    const kind = state === "open" ? "wrong" : right;
    return { rows: ahead.rows, pending: ahead.cell, marks: end === null ? nothing : ringed(game, ahead.rows, turned, [{ cell: end, kind }]) };
  }
  const hints = (now.hint ?? []).map((cell) => ({ cell, kind: /** @type {"hint"} */ ("hint") }));
  return { marks: ringed(game, rows, turned, hints) };
}

/**
 * @param {Task} task
 * @param {Practice} now
 * @param {string[]} rows
 * @param {GameInfo} game
 */
function answerRings({ mistake }, now, rows, game) {
  const you = endOf(game, rows, mistake.move, mistake.side);
  const best = now.tried && endOf(game, rows, now.tried.move, mistake.side);
  return [
    ...(you ? [{ cell: you, kind: /** @type {"you"} */ ("you") }] : []),
    ...(best ? [{ cell: best, kind: /** @type {"best"} */ ("best"), word: text.best }] : []),
  ];
}

/**
 * @param {App} app
 * @param {Table} real
 * @param {GameInfo} game
 * @param {Practice} now
 * @param {Task} task
 * @param {Actions} actions
 */
function taskView(app, real, game, now, task, actions) {
  const { mistake } = task;
  const { first, second } = real.state.seats;
  const mine = mySide(app, real) === now.side;
  const analysis = real.analyses[mistake.ply];
  const name = game.sides[now.side].name;
  const rival = real.state.seats[otherOf(now.side)]?.name ?? game.sides[otherOf(now.side)].name;
  const source = mine ? text.yours(rival, mistake.ply + 1) : text.theirs(first?.name ?? game.sides.first.name, second?.name ?? game.sides.second.name, mistake.ply + 1);
  const goal = goalOf(mistake);
  const several = analysis ? Object.keys(analysis.moves).filter((move) => judge(move, mistake, analysis, game, app.review?.swing ?? 0).right).length > 1 : false;
  return html`<p class="source">${markOf(game, now.side)} <span>${source}</span></p>
    <h1><span>${text.played(mine ? null : name, called(game, mistake.name ?? mistake.move))}</span> ${text.find[goal][Number(several)]}</h1>
    ${progress(now, actions, task.state === "open" ? typing(app.actions.typed) : nothing)}
    <div class="said" role="status">
      ${now.problem ? html`<p class="error">${now.problem}</p>` : !analysis ? html`<p class="note">${text.thinking}</p>` : nothing}
      ${now.tried ? verdict(real, game, now.tried, mistake, mine ? null : name) : nothing}
      ${now.said ? html`<p class="told hinted"><b>${now.said}</b></p>` : nothing}
      ${app.error ? html`<p class="error">${app.error}</p>` : nothing}
    </div>
    ${task.state === "open" ? html`<p class="note">${goal === "better" ? (now.tried ? nothing : text.counts.better) : several ? text.counts[goal] : text.byBoard}</p>` : lineView(now, actions)}`;
}

/**
 * A ring for each mistake: found, shown, or still to be found.
 * @param {Practice} now
 * @param {Actions} actions
 * @param {unknown} beside
 */
function progress({ tasks, index }, actions, beside = nothing) {
  return html`<div class="progress">
    <ol aria-label=${text.mistakes}>
      ${tasks.map((task, at) => {
        const label = text.state(task.mistake.ply + 1, text.states[task.state]);
        return html`<li>
          <button class="dot ${task.state}" aria-label=${label} title=${label} aria-current=${at === index ? "step" : nothing} @click=${() => actions.jump(at)}></button>
        </li>`;
      })}
    </ol>
    <span>${text.mistake(index + 1, tasks.length)}</span> ${beside}
  </div>`;
}

/**
 * What is to be said of the last move that was tried, or of the one that is shown.
 * @param {Table} real
 * @param {GameInfo} game
 * @param {import("./practice.js").Tried} tried
 * @param {import("./types.js").ReviewedMove} mistake
 * @param {string | null} who plays it; null for the user
 */
function verdict(real, game, { move, judgement, worth }, mistake, who) {
  const name = called(game, worth.names?.[0] ?? move);
  const proof = provenWords(worth, game, real);
  const words = proof ?? worthInWords(worth, game, real);
  const sure = proof ? text.proved : text.estimate;
  if (judgement === null || judgement.right) {
    const told = judgement === null ? text.shown : text.right;
    return html`<div class="told right"><p><b>${proof ? told.proved(name, proof) : told.estimated(name, who, words)}</b></p><p>${sure}</p></div>`;
  }
  const again = move === mistake.move;
  const told = again ? text.again(name, who) : proof ? text.wrong.proved(name, proof) : text.wrong.estimated(name, who, words);
  const answer = (worth.names ?? worth.line)[1];
  const reply = answer === undefined ? "" : text.reply(game.sides[otherOf(mistake.side)].name, called(game, answer));
  const why = again ? (proof ? text.it.proved(proof) : text.it.estimated(who, words)) : "";
  return html`<div class="told wrong"><p><b>${told}</b></p><p>${why} ${reply} ${sure}</p></div>`;
}

/**
 * What a move is proved to do, such as "wins in 3 moves"; null if nothing is proved of it.
 * @param {import("./types.js").MoveWorth} worth
 * @param {GameInfo} game
 * @param {Table} table
 */
function provenWords(worth, game, table) {
  if (worth.exact) return worthInWords(worth, game, table);
  const [low, high] = provedOf(worth);
  return low === 1 ? text.does.win : high === -1 ? text.does.lose : low === 0 ? text.does.notLose : high === 0 ? text.does.notWin : null;
}

/**
 * The line after the move that is right, move by move.
 * @param {Practice} now
 * @param {Actions} actions
 */
function lineView({ line }, actions) {
  if (!line) return nothing;
  const { names, step } = line;
  return html`<div class="better">
    <ol class="line" aria-label=${text.line}>
      ${names.map(
        (name, index) => html`<li>
          <button class=${step === index + 1 ? "now" : ""} aria-current=${step === index + 1 ? "step" : nothing} @click=${() => actions.along(index + 1)}>${name}</button>
        </li>`,
      )}
    </ol>
    <div class="replay">
      <button aria-label=${text.lineBack} title=${text.lineBack} ?disabled=${step === 0} @click=${() => actions.along(step - 1)}>${icon("previous")}</button>
      <button aria-label=${text.lineOn} title=${text.lineOn} ?disabled=${step === names.length} @click=${() => actions.along(step + 1)}>${icon("next")}</button>
    </div>
  </div>`;
}

/**
 * @param {App} app
 * @param {Table} real
 * @param {GameInfo} game
 * @param {Practice} now
 * @param {Actions} actions
 */
function summary(app, real, game, { tasks }, actions) {
  const found = tasks.filter(({ state }) => state === "found").length;
  const how = (/** @type {Task} */ task) => (task.state !== "found" ? text.notFound : task.hints ? text.hinted : text.found(task.wrong.length + 1));
  return html`<p class="source">${headingOf(app, real, game)}</p>
    <h1>${text.summary(found, tasks.length)}</h1>
    <p role="status" class="told ${found === tasks.length ? "right" : "hinted"}">${found === tasks.length ? text.allFound : text.missed(tasks.length - found)}</p>
    <ul class="went">
      ${tasks.map(
        (task, index) => html`<li>
          <button @click=${() => actions.jump(index)}>
            <span class="dot ${task.state}" aria-hidden="true"></span>
            <span><b>${text.at(task.mistake.ply + 1, called(game, task.mistake.better?.worth.names?.[0] ?? task.mistake.better?.move ?? ""))}</b> ${how(task)}</span>
          </button>
        </li>`,
      )}
    </ul>`;
}

/**
 * @param {App} app
 * @param {Table} real
 * @param {GameInfo} game
 * @param {Practice} now
 */
function graph(app, real, game, { side, tasks, index }) {
  const mine = mySide(app, real) === side;
  return courseGraph(expectations([...(app.review?.moves.values() ?? [])], side), real.state.ply, {
    game, side, label: text.graph,
    says: [text.ahead(mine ? null : game.sides[side].name), text.moves(real.state.ply)],
    mistakes: tasks.map(({ mistake }) => mistake),
    at: tasks[index]?.mistake.ply ?? null,
  });
}

/**
 * @param {App} app
 * @param {Table} real
 * @param {GameInfo} game
 * @param {Practice} now
 * @param {Actions} actions
 */
function foot(app, real, game, { side, tasks, index, line }, actions) {
  const task = tasks[index];
  const missed = tasks.filter(({ state }) => state !== "found").length;
  const last = index === tasks.length - 1;
  const turn = game.board?.bottom
    ? html`<button class="bare" aria-label=${common.flip} title=${common.flip} aria-pressed=${app.flipped ? "true" : "false"} @click=${app.actions.flip}>${icon("flip")}</button>`
    : nothing;
  return html`<div class="actions">
    ${task
      ? task.state === "open"
        ? html`<button @click=${actions.hint} ?disabled=${!real.analyses[task.mistake.ply] || task.hints > 1}>${task.hints ? text.more : text.hint}</button>
            <button @click=${actions.show}>${text.show}</button>`
        : html`<button ?disabled=${!line} @click=${actions.play}>${text.why}</button>
            <button class="main" @click=${actions.next}>${last ? text.finish : text.next}</button>`
      : missed && missed < tasks.length
        ? html`<button class="main" @click=${() => actions.again(false)}>${text.once(missed)}</button>`
        : tasks.length
          ? html`<button class="main" @click=${() => actions.again(true)}>${text.all}</button>`
          : html`<button class="main" @click=${actions.leave}>${text.leave}</button>`}
    ${task ? turn : tasks.length ? shareButton(`${location.origin}/rooms/${real.room}?practice=${side}`, text.title) : nothing}
    ${tasks.length ? html`<button class="bare" aria-label=${text.leave} title=${text.leave} @click=${actions.leave}>${icon("close")}</button>` : nothing}
  </div>`;
}
