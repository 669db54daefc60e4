// A move picked on a board part by part, where there is no room: on the analysis board, and in puzzles.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { hasSmallCells } from "./drag.js";
import { complete, meant, next, partAt, partNames, step } from "./moves.js";
import { choicesOf, typing } from "./room.js";
import { text } from "./room_texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {{path: string[], chosen: {name: string, move: string} | null, pending: string | null, focus: string | null, error: string | null}} Picked
 * @typedef {{legal_moves: string[], to_move: import("./types.js").Side | null}} Playable
 * @typedef {ReturnType<typeof picking>} Picking
 *
 * `path` are the parts that are picked, `chosen` is a move to be confirmed where cells are small, `pending` one that the
 * server is asked about, and `focus` the cell that has the focus.
 */

/**
 * @param {Picked} picked what is picked now; `change` replaces it
 * @param {{game: () => GameInfo | undefined, position: () => Playable | null, change: (changes: Partial<Picked>) => void, play: (move: string) => void}} on
 */
export function picking(picked, { game: info, position, change, play }) {
  /** What can be picked now; undefined while a move is asked about. */
  function options() {
    const game = info();
    const at = position();
    return game && at && picked.pending === null ? next(at.legal_moves, partNames(game), picked.path) : undefined;
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  function pick(row, column) {
    const game = info();
    if (game) pickPart(partAt(game, row, column, options()), (game.cells ?? game.layout)[row][column]);
  }

  /**
   * @param {string} part
   * @param {string} name the name of the cell
   */
  function pickPart(part, name) {
    const game = info();
    const at = position();
    if (!game || !at || !options()) return change({ focus: name });
    if (picked.chosen?.name === name) {
      change({ focus: name });
      return play(picked.chosen.move);
    }
    const found = step(at.legal_moves, partNames(game), picked.path, part);
    if ("path" in found) return change({ focus: name, path: found.path, chosen: null, error: found.path.length ? null : picked.error });
    if (!found.ends && hasSmallCells(game)) return change({ focus: name, chosen: { name, move: found.move }, error: null });
    change({ focus: name });
    play(found.move);
  }

  /** @param {SubmitEvent} event */
  function typed(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const move = String(new FormData(form).get("move"));
    const at = position();
    if (!move.trim() || picked.pending !== null || !at) return;
    form.reset();
    play(meant(at.legal_moves, move));
  }

  const unpick = () => change({ path: [], chosen: null });

  /**
   * Moves that are nowhere on the board, and what is to be confirmed.
   * @param {(move: string) => string} [worth] what is said of a move
   */
  function choices(worth = () => "") {
    const game = info();
    const at = position();
    if (!game || !at?.to_move || picked.pending !== null) return nothing;
    const names = partNames(game);
    const others = [...next(at.legal_moves, names, picked.path).keys()].filter((option) => !names.has(option));
    const whole = complete(at.legal_moves, names, picked.path);
    const { chosen } = picked;
    const said = (/** @type {string} */ option) => {
      const move = complete(at.legal_moves, names, [...picked.path, option]);
      return move === null ? "" : worth(move);
    };
    if (!others.length && !picked.path.length && !chosen) return nothing;
    return html`<div class="choices ${chosen ? "confirm" : others.length || whole !== null ? "" : "only"}">
      ${choicesOf(game, at.to_move, others).map(([option, label]) => html`<button class="main" @click=${() => pickPart(option, option)}>${label}${said(option)}</button>`)}
      ${whole === null ? nothing : html`<button class="main" @click=${() => play(whole)}>${text.confirm}: ${whole}</button>`}
      ${chosen ? html`<button class="main" @click=${() => play(chosen.move)}>${text.confirm}: ${chosen.name}</button>` : nothing}
      ${picked.path.length || chosen ? html`<button @click=${unpick}>${text.cancel}</button>` : nothing}
    </div>`;
  }

  return { options, pick, pickPart, unpick, choices, field: () => typing(typed) };
}
