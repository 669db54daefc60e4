import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { gamesIn } from "../noughts_client/page/web/files.js";
import { cellsOf, fromRoom, fromUpdate, lacksHistory, lookAt, seen, withAnalysis, withHistory } from "../noughts_client/page/web/table.js";

const GAME = /** @type {any} */ ({ layout: [["1", "2", "3"]] });

/** @param {string[]} moves */
function state(moves) {
  const rows = [[..."123"].map((cell) => (moves.includes(cell) ? "x" : ".")).join("")];
  return /** @type {any} */ ({ status: "playing", turn: moves.length, ply: moves.length, to_move: "first", rows, moves, legal_moves: [], seats: {}, offers: [], outcome: null });
}

/** @param {string[]} moves @param {any} [before] */
const room = (moves, before = null) =>
  fromRoom({ room: "r", game: "g", options: {}, version: moves.length, state: state(moves), presence: { spectators: 0 }, previous: null }, before);
/** @param {number} version @param {string[]} moves @param {string} [kind] */
const update = (version, moves, kind = "played") => ({ version, event: { kind }, state: state(moves) });

test("an update is taken once, and one that is missing is noticed", () => {
  const table = room(["1"]);
  assert.equal(fromUpdate(table, update(1, ["1"])), table);
  assert.equal(fromUpdate(table, update(3, ["1", "2", "3"])), null);
  assert.equal(fromUpdate(table, update(2, ["1", "2"]))?.state.ply, 2);
});

test("what is known of moves that are taken back is forgotten", () => {
  let table = withAnalysis(room(["1", "2"]), ["1", "2"], /** @type {any} */ ({ value: 1 }));
  table = withHistory(table, ["1", "2"], [[], ["1"], ["1", "2"]].map((moves) => state(moves)));
  assert.equal(lacksHistory(table), false);
  const back = fromUpdate(table, update(3, ["1"], "taken_back"));
  assert.deepEqual([back?.positions.length, back?.analyses[2]], [2, undefined]);
  const other = back && fromUpdate(back, update(4, ["1", "3"]));
  assert.deepEqual(other?.positions[2].rows, ["x.x"]);
});

test("an analysis of moves that were not played changes nothing", () => {
  const table = room(["1", "2"]);
  assert.equal(withAnalysis(table, ["3"], /** @type {any} */ ({})), table);
});

test("one looks at known positions alone, and the present is not the past", () => {
  const table = room(["1", "2"]);
  assert.equal(lookAt(table, 0), table);
  const whole = withHistory(table, ["1", "2"], [[], ["1"], ["1", "2"]].map((moves) => state(moves)));
  assert.deepEqual([seen(lookAt(whole, 1)).ply, seen(lookAt(whole, 1)).past], [1, true]);
  assert.deepEqual([lookAt(whole, 9).at, seen(lookAt(whole, 9)).past], [null, false]);
  assert.equal(seen(lookAt(whole, -5)).ply, 0);
});

test("the cells of a move are those in its name, or those where something was placed", () => {
  assert.deepEqual(cellsOf(GAME, "2", ["..."], [".x."]), ["2"]);
  assert.deepEqual(cellsOf(GAME, "drop", ["x.."], ["x.x"]), ["3"]);
  assert.deepEqual(cellsOf(GAME, "swap", ["x.."], ["o.."]), ["1"]);
  assert.deepEqual(cellsOf(GAME, "flip", ["xo."], ["xxx"]), ["3"]);
});

test("games are read from whatever else is in a file", () => {
  const lines = [
    { noughts: "game", format: 1, events: 4 },
    { kind: "opened", room: "r", game: "g", first: { id: "a", name: "Ann" }, second: null, options: { rated: true } },
    { kind: "joined", side: "second", player: { id: "b", name: "Ben", rating: 1500 } },
    { kind: "played", move: "1", note: "my note" },
    { kind: "taken_back", plies: 1, unrated_because: "takeback" },
  ];
  const [game, ...others] = gamesIn(["not a record", ...lines.map((line) => JSON.stringify(line)), '{"noughts":"game","format":1,"events":3}'].join("\n"));
  assert.equal(others.length, 0);
  assert.deepEqual([game.seats.first?.name, game.seats.second?.rating, game.moves, game.options.rated], ["Ann", 1500, [], false]);
});
