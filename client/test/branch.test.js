import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add, BadTree, below, branchAt, isMain, lineThrough, listed, MOST, placeOf, promote, read, remove, root, wayTo, written,
} from "../noughts_client/page/web/branch.js";

/** @param {string} text @param {string[]} [played] */
function tree(text, played = []) {
  const start = root();
  let at = start;
  for (const move of played) at = add(at, move, true);
  read(start, text);
  return start;
}

const shown = (start) => listed(start).map((entry) => (entry.kind === "move" ? entry.number + entry.branch.move : entry.kind === "open" ? "(" : ")")).join(" ");

test("a tree is written as it was read", () => {
  for (const text of ["", "e4 e5", "e4 e5 ( c5 Nf3 ( Nc3 a6 ) d6 ) Nf3", "e4 ( d4 ) ( c4 e5 ) e5"]) {
    const again = root();
    read(again, written(tree(text)));
    assert.deepEqual(shown(again), shown(tree(text)), text);
  }
});

test("a branch of a game that was played tells where it begins", () => {
  const start = tree("@1 c5 Nf3 ( Nc3 ) @2 d4", ["e4", "e5"]);
  assert.equal(shown(start), "1.e4 e5 ( 1…c5 2.Nf3 ( 2.Nc3 ) ) 2.d4");
  assert.equal(written(start), "@1 c5 Nf3 ( Nc3 ) @2 d4");
  const other = tree(written(start), ["e4", "e5"]);
  assert.equal(shown(other), shown(start));
});

test("variations stand in brackets, deep as they are", () => {
  assert.equal(shown(tree("e4 e5 ( c5 Nf3 ( Nc3 a6 ) d6 ) Nf3")), "1.e4 e5 ( 1…c5 2.Nf3 ( 2.Nc3 a6 ) 2…d6 ) 2.Nf3");
});

test("a branch has a place", () => {
  const start = tree("e4 e5 ( c5 Nf3 ( Nc3 a6 ) d6 ) Nf3");
  for (const branch of below(start)) assert.equal(branchAt(start, placeOf(branch)), branch);
  assert.equal(placeOf(start), "0");
  const deep = [...below(start)].find((branch) => branch.move === "a6");
  assert.equal(placeOf(deep), "1.1.0.1.1");
  for (const place of ["", "x", "9", "1.7.0", "1.1", "-1", "0.0"]) assert.throws(() => branchAt(start, place), BadTree, place);
});

test("a branch becomes the main line, or goes", () => {
  const start = tree("e4 e5 ( c5 Nf3 ) Nf3");
  const c5 = [...below(start)].find((branch) => branch.move === "c5");
  assert.equal(isMain(c5), false);
  promote(c5.children[0]);
  assert.equal(isMain(c5), true);
  assert.equal(shown(start), "1.e4 c5 ( 1…e5 2.Nf3 ) 2.Nf3");
  assert.equal(remove(c5), start.children[0]);
  assert.equal(shown(start), "1.e4 e5 2.Nf3");
});

test("a move of the game itself stays", () => {
  const start = tree("", ["e4"]);
  assert.equal(remove(start.children[0]), start.children[0]);
  assert.equal(remove(start), start);
});

test("the line through a branch goes on with the first children", () => {
  const start = tree("e4 e5 ( c5 Nf3 ) Nf3");
  const c5 = [...below(start)].find((branch) => branch.move === "c5");
  assert.deepEqual(lineThrough(c5).map(({ move }) => move), ["", "e4", "c5", "Nf3"]);
  assert.deepEqual(wayTo(c5).map(({ move }) => move), ["", "e4", "c5"]);
  assert.equal(add(start, "e4"), start.children[0]);
});

test("whatever somebody writes is a tree or BadTree", () => {
  for (const text of ["(", ")", "a ( b", "a )", "( a )", "@1 a", "@9999 a", "%E0%A4%A", "a ".repeat(MOST + 1), "a ( ".repeat(900)]) {
    assert.throws(() => tree(text), BadTree, text.slice(0, 20));
  }
  assert.equal(tree("%28%40").children[0].move, "(@");
  assert.equal(tree(written(tree("%28%40%20%25"))).children[0].move, "(@ %");
});
