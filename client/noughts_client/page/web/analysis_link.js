// The address of an analysis: a game and how it is set up, or a finished room; where it starts, the moves with their
// branches, where one is, and what is marked there. Pure. What is in an address may come from anybody.

import { BadTree, branchAt, placeOf, read, wayTo, written } from "./branch.js";
import { BadMarks, marksFrom, marksTo } from "./marks.js";

/**
 * @typedef {import("./branch.js").Branch} Branch
 * @typedef {{room: string | null, game: string, setup: Record<string, string>, start: string, moves: string, at: string, marks: string, turned: boolean}} Address
 */

/** The longest query of an address that is made, and that is read, in characters. */
export const LONGEST = 2000;

/** An address that does not say what to show. */
export class BadLink extends Error {}

/**
 * Raises BadLink.
 * @param {string} search the query of the address
 * @returns {Address}
 */
export function fromQuery(search) {
  if (search.length > LONGEST + 1) throw new BadLink();
  const query = new URLSearchParams(search);
  const room = query.get("room");
  if (room !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(room)) throw new BadLink();
  const [game, start, moves, at, marks] = ["game", "start", "moves", "at", "marks"].map((name) => query.get(name) ?? "");
  return { room, game, setup: Object.fromEntries(new URLSearchParams(query.get("setup") ?? "")), start, moves, at, marks, turned: query.has("turned") };
}

/**
 * The branches and the marks of an address, added to a tree that has only the moves that were played. Raises BadLink.
 * @param {Address} address
 * @param {Branch} start
 * @param {Set<string>} cells
 * @returns {Branch} the one that is shown
 */
export function grown({ moves, at, marks }, start, cells) {
  try {
    read(start, moves);
    const shown = at === "" ? start : branchAt(start, at);
    shown.marks = marksFrom(marks, cells);
    return shown;
  } catch (error) {
    if (error instanceof BadTree || error instanceof BadMarks) throw new BadLink();
    throw error;
  }
}

/**
 * The query that leads to what is shown. One that would be too long has only the line that leads there, without branches,
 * or only the position.
 * @param {{room: string | null, game: string, setup: Record<string, string | number>, start: string, tree: Branch, shown: Branch, turned: boolean}} what
 * @returns {{query: string, whole: boolean}} and whether nothing is left out
 */
export function toQuery({ room, game, setup, start, tree, shown, turned }) {
  const options = new URLSearchParams(Object.entries(setup).map(([key, value]) => [key, String(value)])).toString();
  const own = { game, setup: options };
  const rest = { marks: marksTo(shown.marks), turned: turned ? "1" : "" };
  const asPlayed = room !== null && isAsPlayed(tree);
  const line = wayTo(shown);
  const queries = [
    queryOf({ ...(asPlayed ? { room } : { ...own, start }), moves: written(tree, !asPlayed), at: placeOf(shown), ...rest }),
    queryOf({ ...own, start, moves: line.slice(1).map(({ move }) => move).join(" "), at: String(line.length - 1), ...rest }),
    queryOf({ ...own, start: shown.position?.text ?? "", moves: "", at: "", ...rest }),
  ];
  const index = queries.findIndex((query) => query.length <= LONGEST);
  return { query: queries[index] ?? queryOf(own), whole: index === 0 };
}

/**
 * Whether the moves that were played are the first line of the tree.
 * @param {Branch} tree
 */
function isAsPlayed(tree) {
  for (let at = tree; at; at = at.children[0]) if (at.children.slice(1).some(({ played }) => played)) return false;
  return true;
}

/** @param {Record<string, string | null>} fields */
function queryOf(fields) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value && !(name === "at" && value === "0")) query.set(name, value);
  return query.toString().replace(/%28/g, "(").replace(/%29/g, ")").replace(/%40/g, "@").replace(/%2C/g, ",").replace(/%2F/g, "/").replace(/%3A/g, ":");
}
