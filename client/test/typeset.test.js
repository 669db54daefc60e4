import assert from "node:assert/strict";
import { test } from "node:test";
import { typeset } from "../noughts_client/page/web/typeset.js";

test("a sentence of the server's has apostrophes as in print, and other quotes as they are", () => {
  assert.equal(typeset("It is the other side's turn: a seat is 'me', the players' choice."), "It is the other side’s turn: a seat is 'me', the players' choice.");
});
