import "./lit.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { keep, makeStore, part } = await import("../noughts_client/page/web/store.js");

/** A place of a page in which views are shown, as lit-html's directives see it. */
function place() {
  const here = {
    shown: /** @type {any} */ (undefined),
    _$AI(/** @type {any} */ value) {
      here.shown = value;
    },
    show(/** @type {any} */ result) {
      const made = (here.made ??= new result._$litDirective$({ type: 2 }));
      made.update(here, result.values);
      return here.shown;
    },
    made: /** @type {any} */ (null),
  };
  return here;
}

test("the state is a value that only change replaces", () => {
  const { app, change } = makeStore({ tab: "moves", path: ["e2"] });
  const { path } = app;
  change({ tab: "chat" });
  assert.deepEqual([app.tab, app.path], ["chat", path]);
  assert.throws(() => Object.assign(app, { tab: "rules" }), TypeError);
  assert.equal(app.tab, "chat");
});

test("subscribers hear of changes, and of nothing else", () => {
  const { change, renew, subscribe } = makeStore({ tab: "moves", chat: 0 });
  let heard = 0;
  subscribe(() => heard++);
  change({ tab: "moves" });
  assert.equal(heard, 0);
  change({ tab: "chat", chat: 1 });
  assert.equal(heard, 1);
  renew();
  assert.equal(heard, 2);
});

test("a part is drawn anew if what it read has changed, or what it is given", () => {
  const { app, change, renew } = makeStore({ rooms: 1, table: 1 });
  let drawn = 0;
  const board = (/** @type {typeof app} */ state, /** @type {string} */ side) => (drawn++, `${state.table} ${side}`);
  const here = place();
  assert.equal(here.show(part(board, app, "first")), "1 first");
  change({ rooms: 2 });
  here.show(part(board, app, "first"));
  assert.equal(drawn, 1);
  change({ table: 2 });
  assert.equal(here.show(part(board, app, "first")), "2 first");
  assert.equal(here.show(part(board, app, "second")), "2 second");
  assert.equal(drawn, 3);
  renew();
  here.show(part(board, app, "second"));
  assert.equal(drawn, 4);
});

test("a part depends on what the parts within it have read", () => {
  const { app, change } = makeStore({ rooms: 1, now: 1 });
  const inner = place();
  const card = (/** @type {typeof app} */ state) => state.now;
  const outer = place();
  const list = (/** @type {typeof app} */ state) => (state.rooms, inner.show(part(card, state)));
  assert.equal(outer.show(part(list, app)), 1);
  assert.equal(outer.show(part(list, app)), 1);
  change({ now: 2 });
  assert.equal(outer.show(part(list, app)), 2);
});

test("a part whose view fails is drawn again", () => {
  const { app } = makeStore({ now: 1 });
  let fails = true;
  const view = () => {
    if (fails) throw new Error("not yet");
    return "there";
  };
  const here = place();
  assert.throws(() => here.show(part(view, app)), /not yet/);
  fails = false;
  assert.equal(here.show(part(view, app)), "there");
});

test("what is kept is drawn anew for another key, and for another thing", () => {
  const [one, other] = [{}, {}];
  const kept = new /** @type {any} */ (keep(one, "a", () => 0))._$litDirective$({ type: 2 });
  let drawn = 0;
  for (const [of, key] of [[one, "a"], [one, "a"], [one, "b"], [other, "b"], [other, "b"]]) kept.render(of, key, () => drawn++);
  assert.equal(drawn, 3);
});
