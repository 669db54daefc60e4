// The review of a finished game: what each move kept or threw away, and the mistake that decided the game.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { reviewText as text } from "./review_texts.js";
import { isTurned } from "./board.js";
import { courseGraph, expectations } from "./course_graph.js";
import { practiceText } from "./practice_texts.js";
import { endOf, ringed } from "./rings.js";
import { icon } from "./icons.js";
import { called } from "./naming.js";
import { calledAs, mySide, offers, otherOf, statusOf } from "./room.js";
import { ending, marked, text as common } from "./room_texts.js";
import { seen } from "./table.js";
import { isolated } from "./texts.js";
import { lineOf } from "./standing.js";
import { worthInWords } from "./values.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {{room: string, plies: number, moves: Map<number, ReviewedMove>, complete: boolean, decisive: number | null, swing: number,
 *            resignation: import("./types.js").Resignation | null, problem: string | null, shown: number | null}} Review
 *
 * `shown` is the ply of the mistake that is looked at, null for none.
 */

/** The sign of each mark. Signs and words tell them apart; colours only help. */
const SIGNS = /** @type {Record<string, string>} */ ({
  kept: "✓",
  faster_win_missed: "»",
  larger_win_missed: "»",
  win_thrown_away: "??",
  draw_thrown_away: "?",
  probable_mistake: "?!",
  no_mistake_seen: "·",
});
/** @param {ReviewedMove} move */
export function isMistake({ mark }) {
  return MISTAKES.has(mark);
}

/**
 * Whether a win was proved where something else was played of which only an estimate is known.
 * @param {ReviewedMove} move
 */
function isWinMissed({ mark, better }) {
  return mark === "probable_mistake" && better !== undefined && better.worth.exact && better.worth.value > 0;
}

const MISTAKES = new Set(["win_thrown_away", "draw_thrown_away", "probable_mistake"]);

/**
 * What is known of a review after the answer to `review`.
 * @param {any} answer
 * @returns {Review}
 */
export function fromAnswer({ room, plies, moves, complete, decisive, resignation, swing }) {
  const known = new Map(moves.map((/** @type {ReviewedMove} */ move) => [move.ply, move]));
  return { room, plies, moves: known, complete, decisive, swing, resignation: resignation ?? null, problem: null, shown: null };
}

/**
 * The review after more of its moves have come.
 * @param {Review | null} review
 * @param {any} message `reviewed`
 * @returns {Review | null}
 */
export function withMore(review, { room, moves, complete, decisive, resignation, problem }) {
  if (review === null || review.room !== room) return review;
  const known = new Map([...review.moves, ...moves.map((/** @type {ReviewedMove} */ move) => [move.ply, move])]);
  return { ...review, moves: known, complete, decisive, resignation: resignation ?? null, problem: problem ?? null };
}

/**
 * The ply of the move that decided the game, unless the user looks at something else than the end of the game.
 * @param {App} app
 */
export function toShow({ tab, review, table }) {
  const stays = !table || table.room !== review?.room || (table.at !== null && table.at !== table.state.ply);
  return tab === "review" && review?.complete && review.shown === null && !stays ? review.decisive : null;
}

/**
 * The sign of a move in the list, and what it says.
 * @param {App} app
 * @param {Table} table
 * @param {number} ply
 */
export function markOf(app, table, ply) {
  const move = reviewOf(app, table)?.moves.get(ply);
  if (!move) return nothing;
  const words = (move.mark === "kept" && move.after.result && text.kept[move.after.result]) || marked(app.words, move.mark);
  return html`<span class="judged ${kindOf(move)}" title=${words}
    ><span aria-hidden="true">${SIGNS[move.mark]}</span><span class="spoken">${words}</span></span
  >`;
}

/** @param {ReviewedMove} move */
function kindOf({ mark }) {
  return MISTAKES.has(mark) ? "mistake" : SIGNS[mark] === "»" ? "missed" : mark === "kept" ? "kept" : "unproved";
}

/**
 * @param {App} app
 * @param {Table} table
 */
function reviewOf(app, table) {
  return app.review?.room === table.room ? app.review : null;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
export function reviewPanel(app, table, game) {
  if (table.state.status !== "over" || table.state.ply === 0) return nothing;
  const review = reviewOf(app, table);
  return html`<section class="review" aria-label=${text.title}>
    ${review === null ? html`<p class="note" role="status">${app.error ? text.help : text.begins}</p>` : found(app, table, game, review)}
  </section>`;
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Review} review
 */
function found(app, table, game, review) {
  const moves = [...review.moves.values()].sort((one, other) => one.ply - other.ply);
  const decisive = review.decisive === null ? undefined : review.moves.get(review.decisive);
  const others = moves.filter((move) => SIGNS[move.mark] === "»" || MISTAKES.has(move.mark));
  return html`<p class="note small source">${source(app, table, game)}</p>
    ${review.complete
      ? html`<p class="verdict" role="status">${verdict(app, table, game, review.resignation, decisive, moves)}</p>`
      : html`<label class="note">
          ${text.progress(moves.length, review.plies)}
          <progress max=${review.plies} .value=${moves.length}></progress>
        </label>`}
    ${review.problem
      ? html`<p class="error" role="alert">${review.problem}</p>
          <button @click=${app.actions.review}>${text.again}</button>`
      : nothing}
    ${graph(app, table, game, moves, others)} ${review.complete ? throughMistakes(app, table, review, others) : nothing}
    ${sidesOf(app, table).map((side) => list(app, table, game, review, side, others.filter((move) => move.side === side)))}
    ${review.complete ? practice(app, table, game, moves, sidesOf(app, table)[1], "button") : nothing}
    ${legend(app, moves)}`;
}

/**
 * The sides in the order in which their mistakes are told: the user's own first.
 * @param {App} app
 * @param {Table} table
 * @returns {[import("./types.js").Side, import("./types.js").Side]}
 */
function sidesOf(app, table) {
  const own = mySide(app, table) ?? "first";
  return [own, otherOf(own)];
}

/**
 * What one side could have done better. Below the one that is looked at is the better line.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {Review} review
 * @param {import("./types.js").Side} side
 * @param {ReviewedMove[]} moves
 */
function list(app, table, game, review, side, moves) {
  if (!moves.length) return nothing;
  return html`<h2>${side === mySide(app, table) ? text.yours : text.of(playerOf(app, table, game, side))}</h2>
    <ol class="mistakes">
      ${repeat(
        moves,
        ({ ply }) => ply,
        (/** @type {ReviewedMove} */ move) => {
          const shown = review.shown === move.ply && table.at === move.ply;
          const better = move.better && called(game, move.better.worth.names?.[0] ?? move.better.move);
          return html`<li>
            <button
              class=${shown ? "now" : ""} aria-pressed=${shown}
              ?disabled=${!table.positions[move.ply]} @click=${() => app.actions.showMistake(move.ply, 0)}
            >
              <span class="judged ${kindOf(move)}">${move.ply + 1}</span>
              <span class="name">${text.played(playerOf(app, table, game, side), called(game, move.name ?? move.move))}</span>
              <span class="note small">${better && isWinMissed(move) ? text.winMissed(better, worthInWords(/** @type {NonNullable<ReviewedMove["better"]>} */ (move.better).worth, game, table)) : html`${marked(app.words, move.mark)}${better ? text.better(better, move.mark !== "probable_mistake") : nothing}`}</span>
            </button>
            ${shown ? betterLine(app, table, game, move, [...review.moves.values()].some((other) => other !== move && other.better)) : nothing}
          </li>`;
        },
      )}
    </ol>`;
}

/**
 * Which game it was, and how it ended.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 */
function source(app, table, game) {
  const mine = mySide(app, table);
  const name = (/** @type {import("./types.js").Side} */ side) => table.state.seats[side]?.name ?? game.sides[side].name;
  if (mine === null) return text.between(name("first"), name("second"));
  const winner = table.state.outcome?.winner ?? null;
  return text.against(name(otherOf(mine)), game.sides[mine].name, winner === null ? "drew" : winner === mine ? "won" : "lost");
}

/**
 * "You", or the name of who had a side.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Side} side
 */
function playerOf(app, table, game, side) {
  const seat = table.state.seats[side];
  return mySide(app, table) === side ? text.you : seat ? calledAs(seat) : game.sides[side].name;
}

/**
 * How the game went, for the user's side or the first.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {ReviewedMove[]} moves
 * @param {ReviewedMove[]} others
 */
function graph(app, table, game, moves, others) {
  const mine = mySide(app, table);
  const side = mine ?? "first";
  return courseGraph(expectations(moves, side), table.state.ply, {
    game, side, label: practiceText.graph,
    says: [practiceText.ahead(mine ? null : game.sides[side].name), practiceText.moves(moves.length)],
    mistakes: others.filter(isMistake),
    at: table.at,
    go: app.actions.lookAt,
  });
}

/** Go to the next mistake (1) or the one before (-1), of the review that is shown. @type {((step: 1 | -1) => void) | null} */
let toMistake = null;

document.addEventListener("keydown", (event) => {
  const step = event.key === ">" ? 1 : event.key === "<" ? -1 : 0;
  const target = /** @type {Element | null} */ (event.target);
  if (step && toMistake && document.querySelector(".review") && !target?.closest?.("input, textarea, select")) toMistake(step);
});

/**
 * The way from one mistake to the next, of both sides.
 * @param {App} app
 * @param {Table} table
 * @param {Review} review
 * @param {ReviewedMove[]} others
 */
function throughMistakes(app, table, review, others) {
  const known = others.filter(({ ply, better }) => better && table.positions[ply]);
  const at = table.at ?? table.state.ply;
  toMistake = (step) => {
    const next = step > 0 ? (known.find(({ ply }) => ply > at) ?? known[0]) : (known.findLast(({ ply }) => ply < at) ?? known.at(-1));
    if (next) app.actions.showMistake(next.ply, 0);
  };
  if (known.length < 2) return nothing;
  const index = known.findIndex(({ ply }) => ply === at && ply === review.shown);
  const button = (/** @type {1 | -1} */ step, /** @type {string} */ label, /** @type {"previous" | "next"} */ sign) =>
    html`<button class="bare" aria-label=${label} title=${label} @click=${() => toMistake?.(step)}>${icon(sign)}</button>`;
  return html`<div class="through">
    ${button(-1, text.mistakeBefore, "previous")} <span role="status">${text.mistake(index + 1, known.length, new Set(known.map(({ side }) => side)).size > 1)}</span> ${button(1, text.mistakeAfter, "next")}
  </div>`;
}

/**
 * The way to practice on the mistakes of a side.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {ReviewedMove[]} moves
 * @param {import("./types.js").Side} side
 * @param {string} looks its classes
 */
function practice(app, table, game, moves, side, looks) {
  const count = moves.filter((move) => move.side === side && isMistake(move) && move.better).length;
  if (!count) return nothing;
  const words = side === mySide(app, table) ? practiceText.start(count) : practiceText.startAs(game.sides[side].name, count);
  return html`<a class=${looks} href="/rooms/${table.room}?practice=${side}">${words}</a>`;
}

/**
 * What stays below the review: practice, the way through the moves, and whatever has to be answered.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Side | null} mine
 */
export function foot(app, table, game, mine) {
  const review = reviewOf(app, table);
  const { ply } = seen(table);
  const step = (/** @type {number} */ to, /** @type {string} */ label, /** @type {"previous" | "next"} */ sign, /** @type {boolean} */ off) =>
    html`<button aria-label=${label} title=${label} ?disabled=${off} @click=${() => app.actions.lookAt(to)}>${icon(sign)}</button>`;
  return html`<div class="asked">
      ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing} ${offers(app, table, mine)}
      ${table.state.next ? html`<a class="button main" href="/rooms/${table.state.next}">${common.toRematch}</a>` : nothing}
    </div>
    <div class="actions">
      <p class="status spoken" role="status">${statusOf(app, table, game, mine)}</p>
      ${review?.complete ? practice(app, table, game, [...review.moves.values()], sidesOf(app, table)[0], "button main") : nothing}
      <span class="grow"></span>
      ${step(ply - 1, common.back, "previous", ply === 0)} ${step(ply + 1, common.forward, "next", ply === table.state.ply)}
      <a class="button bare" href="/analysis?room=${table.room}&at=${ply}" aria-label=${common.analyse} title=${common.analyse}>${icon("study")}</a>
      <button class="bare leave" aria-label=${text.leave} title=${text.leave} @click=${() => app.actions.openTab("moves")}>${icon("close")}</button>
    </div>`;
}

/**
 * Rings on the mistake that is looked at, and on what was better.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Side} bottom
 */
export function rings(app, table, game, bottom) {
  const review = reviewOf(app, table);
  const mistake = review === null || review.shown === null ? undefined : review.moves.get(review.shown);
  const rows = mistake && table.positions[mistake.ply]?.rows;
  if (!mistake?.better || !rows || app.tab !== "review" || table.at !== mistake.ply || table.line) return nothing;
  const [was, better] = [mistake.move, mistake.better.move].map((move) => endOf(game, rows, move, mistake.side));
  const word = mySide(app, table) === mistake.side ? practiceText.you : practiceText.was;
  return ringed(game, rows, isTurned(game, bottom), [
    ...(was ? [{ cell: was, kind: /** @type {const} */ ("you"), word }] : []),
    ...(better && better !== was ? [{ cell: better, kind: /** @type {const} */ ("best"), word: practiceText.best }] : []),
  ]);
}

/**
 * What decided the game. Only what is proved is said without "probably".
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {import("./types.js").Resignation | null} resignation
 * @param {ReviewedMove | undefined} decisive
 * @param {ReviewedMove[]} moves
 */
function verdict(app, table, game, resignation, decisive, moves) {
  const { how, board } = ending(app.words, /** @type {import("./types.js").Outcome} */ (table.state.outcome).reason);
  const mine = mySide(app, table);
  const nameOf = (/** @type {"first" | "second"} */ side) => (table.state.seats[side]?.kind === "computer" ? text.computer : table.state.seats[side]?.name ?? game.sides[side].name);
  const whoIn = (/** @type {"first" | "second"} */ side) => (side === mine ? text.youWithin : text.as(nameOf(side), game.sides[side].name));
  const quit = resignation && (resignation.side === mine ? text.youWithin : isolated(nameOf(resignation.side)));
  const givenUp = resignation && text.givenUp[/** @type {"win_thrown_away"} */ (resignation.mark)];
  if (!decisive && resignation && givenUp) return text.resigned(resignation.side === mine ? text.you : text.as(playerOf(app, table, game, resignation.side), game.sides[resignation.side].name), givenUp);
  if (!decisive) return how && !board ? text.endedBy(how) : text.noDecisive;
  const { side, ply, mark, move, name = move, worth } = decisive;
  const before = moves.findLast((each) => each.side === side && each.ply < ply && each.mark === "win_thrown_away");
  const win = mark === "draw_thrown_away" && before ? ` ${text.earlierWin(before.ply + 1)}` : "";
  const isLost = mark === "probable_mistake" && worth.exact && worth.value < 0;
  const decided = (isLost ? text.lost : text.decisive[/** @type {"win_thrown_away"} */ (mark)])(whoIn(side), ply + 1, called(game, name)) + win;
  return resignation && givenUp ? `${decided} ${text.inTheEnd(quit ?? "", givenUp)}` : decided;
}

/**
 * The better line instead of a mistake, move by move.
 * @param {App} app
 * @param {Table} table
 * @param {GameInfo} game
 * @param {ReviewedMove} mistake
 * @param {boolean} more whether there are other mistakes
 */
function betterLine(app, table, game, mistake, more) {
  if (!mistake.better) return nothing;
  const { ply, side, better } = mistake;
  const proved = mistake.mark !== "probable_mistake" || isWinMissed(mistake);
  const inWords = (/** @type {import("./types.js").MoveWorth} */ worth) => worthInWords(worth, game, table);
  const moves = lineOf(better.worth, mistake.number, side).slice(0, better.rows.length);
  const step = table.line?.ply === ply ? table.line.step : 0;
  const go = (/** @type {number} */ to) => () => app.actions.showMistake(ply, to);
  return html`<section class="better" aria-label=${text.line}>
    <p>${text.instead(called(game, mistake.name ?? mistake.move), inWords(mistake.worth), inWords(better.worth), proved)}</p>
    <ol class="line" aria-label=${text.line}>
      ${moves.map(
        (move, index) => html`<li>
          <button class=${step === index + 1 ? "now" : ""} aria-current=${step === index + 1 ? "step" : nothing} @click=${go(index + 1)}>
            ${move}
          </button>
        </li>`,
      )}
    </ol>
    <div class="replay">
      <button aria-label=${text.lineBack} title=${text.lineBack} ?disabled=${step === 0} @click=${go(step - 1)}>◀</button>
      <button aria-label=${text.lineOn} title=${text.lineOn} ?disabled=${step === moves.length} @click=${go(step + 1)}>▶</button>
      <button @click=${() => app.actions.lookAt(ply + 1)}>${text.asPlayed}</button>
      ${more ? html`<button class="on" @click=${() => toMistake?.(1)}>${text.nextMistake}</button>` : nothing}
    </div>
  </section>`;
}

/**
 * @param {App} app
 * @param {ReviewedMove[]} moves
 */
function legend(app, moves) {
  const marks = Object.keys(SIGNS).filter((mark) => moves.some((move) => move.mark === mark));
  if (!marks.length) return nothing;
  return html`<ul class="legend">
    ${marks.map((mark) => {
      const of = moves.filter((move) => move.mark === mark);
      return html`<li>
        <span class="judged ${kindOf(of[0])}" aria-hidden="true">${SIGNS[mark]}</span>
        ${marked(app.words, mark)}: ${of.length}
      </li>`;
    })}
  </ul>`;
}
