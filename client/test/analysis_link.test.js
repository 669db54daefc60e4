import assert from "node:assert/strict";
import { test } from "node:test";
import { BadLink, fromQuery, grown, LONGEST, toQuery } from "../noughts_client/page/web/analysis_link.js";
import { add, promote, root, written } from "../noughts_client/page/web/branch.js";
import { colourOf, marked } from "../noughts_client/page/web/marks.js";

const CELLS = new Set(["e2", "e4", "d5", "a,b~c%"]);

/** @param {string} query @param {string[]} [played] */
function opened(query, played = []) {
  const tree = root();
  let at = tree;
  for (const move of played) at = add(at, move, true);
  const address = fromQuery(`?${query}`);
  const shown = grown(address, tree, CELLS);
  return { ...address, tree, shown };
}

test("a link leads to what it was made of", () => {
  const made = opened("game=chess&start=8/8/8 w - - 0 1&moves=e4 (d4 d5 (Nf6)) e5&at=0.1.1&marks=g:e2~e4,r:d5&turned=1");
  const { query, whole } = toQuery(made);
  assert.equal(whole, true);
  const again = opened(query);
  assert.equal(written(again.tree), written(made.tree));
  assert.equal(again.shown.move, "d5");
  assert.deepEqual(again.shown.marks, [{ from: "e2", to: "e4", colour: "green" }, { from: "d5", to: "d5", colour: "red" }]);
  assert.equal(again.turned, true);
});

test("a room tells the moves that were played", () => {
  const made = opened("room=abc&moves=@1 c5&at=1.1.0", ["e4", "e5"]);
  assert.equal(toQuery(made).query, "room=abc&moves=@1+c5&at=1.1.0");
  promote(made.shown);
  const { query } = toQuery({ ...made, game: "chess" });
  assert.equal(written(opened(query).tree), "e4 c5 ( e5 )");
});

test("a link that would be too long leaves out branches, then moves", () => {
  const made = opened("game=chess&moves=e4");
  for (let count = 0; count < 500; count++) add(made.tree, `other${count}`);
  const shorter = toQuery({ ...made, shown: made.tree.children[0] });
  assert.deepEqual([shorter.whole, shorter.query], [false, "game=chess&moves=e4&at=1"]);
  let at = made.tree;
  for (let count = 0; count < 900; count++) at = add(at, "e2e4");
  at.position = { rows: [], to_move: null, text: "8/8 w", legal_moves: [], outcome: null };
  assert.equal(toQuery({ ...made, shown: at }).query, "game=chess&start=8/8+w");
  assert.ok(toQuery({ ...made, shown: at }).query.length <= LONGEST);
});

test("whatever somebody writes is a link or BadLink", () => {
  for (const query of ["room=../x", "moves=(", "at=7", "at=x", "marks=g:z9", "marks=q:e2", "marks=g:e2~e4~d5", "marks=g:%25E0", `moves=${"a".repeat(LONGEST)}`]) {
    assert.throws(() => opened(query), BadLink, query);
  }
});

test("a mark is drawn, drawn again in another colour, and taken away", () => {
  const green = { from: "e2", to: "e4", colour: /** @type {"green"} */ ("green") };
  const red = { ...green, colour: /** @type {"red"} */ ("red") };
  assert.deepEqual(marked([], green), [green]);
  assert.deepEqual(marked([green], red), [red]);
  assert.deepEqual(marked([green], green), []);
});

test("colours are those of lichess", () => {
  const none = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
  assert.equal(colourOf(none, "green"), "green");
  assert.equal(colourOf({ ...none, shiftKey: true }, "green"), "red");
  assert.equal(colourOf({ ...none, altKey: true }, "green"), "blue");
  assert.equal(colourOf({ ...none, altKey: true, ctrlKey: true }, "green"), "yellow");
});
