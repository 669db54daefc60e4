import assert from "node:assert/strict";
import { test } from "node:test";
import { heard } from "../noughts_client/page/web/sounds.js";

const game = { sides: { first: { symbol: "x" }, second: { symbol: "o" } } };
const state = (rows, to_move, outcome = null) => ({ rows, to_move, outcome });
const played = (side) => ({ kind: "played", side });

test("a move of one's own, of the other side, and the turn that comes with it sound differently", () => {
  const [before, mine, other] = [state(["..."], "first"), state(["x.."], "second"), state(["xo."], "first")];
  assert.deepEqual(heard(played("first"), before, mine, game, "first"), ["own"]);
  assert.deepEqual(heard(played("second"), mine, other, game, "first"), ["other", "turn"]);
  assert.deepEqual(heard(played("second"), mine, other, game, null), ["other"], "a spectator has no turn");
  assert.deepEqual(heard(played("second"), mine, state(["xo."], "second"), game, "first"), ["other"], "it moves again");
  assert.deepEqual(heard({ kind: "offered", side: "second" }, mine, mine, game, "first"), []);
});

test("a capture is heard, and discs that change sides are none", () => {
  const taken = heard(played("first"), state(["xo.o"], "first"), state([".x.o"], "second"), game, "first");
  assert.deepEqual(taken, ["capture"]);
  const surrounded = heard(played("first"), state(["xo."], "first"), state(["x.x"], "second"), game, "second");
  assert.deepEqual(surrounded, ["capture", "turn"]);
  assert.deepEqual(heard(played("first"), state(["xo."], "first"), state(["xxx"], "second"), game, "first"), ["own"]);
});

test("pieces with names are taken, whatever their kind", () => {
  const chess = { ...game, pieces: { P: { side: "first" }, q: { side: "second" }, Q: { side: "first" } } };
  assert.deepEqual(heard(played("first"), state(["Pq"], "first"), state([".Q"], "second"), chess, "first"), ["capture"]);
  assert.deepEqual(heard(played("first"), state(["P."], "first"), state([".Q"], "second"), chess, "first"), ["own"]);
});

test("the end is heard as it is for the player, once", () => {
  const [before, won] = [state(["xx."], "first"), state(["xxx"], null, { winner: "first" })];
  assert.deepEqual(heard(played("first"), before, won, game, "first"), ["won"]);
  assert.deepEqual(heard(played("first"), before, won, game, "second"), ["lost"]);
  assert.deepEqual(heard({ kind: "ended" }, before, state(["xx."], null, { winner: null }), game, "second"), ["drawn"]);
  assert.deepEqual(heard({ kind: "joined" }, won, won, game, "second"), []);
});
