// The store: the state is a value that only `change` replaces. A view that is shown as a `part` is drawn anew only if
// something that it has read has changed.

import { noChange } from "./vendor/lit-html/lit-html.js";
import { Directive, directive } from "./vendor/lit-html/directive.js";
import { setChildPartValue } from "./vendor/lit-html/directive-helpers.js";

/** What the part that is being drawn has read of the state. @type {Map<PropertyKey, unknown> | null} */
let reads = null;

/** How often everything was to be drawn anew. */
let drawings = 0;

/**
 * `app` is the state as it is now, for reading alone. `change` tells the subscribers if it changes anything. `renew` is
 * for what is not in the store: all parts are drawn anew.
 * @template {object} State
 * @param {State} state
 */
export function makeStore(state) {
  /** @type {Set<() => void>} */
  const subscribers = new Set();
  const tell = () => subscribers.forEach((subscriber) => subscriber());
  const app = new Proxy(Object.freeze({}), {
    get(_, key) {
      const value = Reflect.get(state, key);
      reads?.set(key, value);
      return value;
    },
  });
  return {
    app: /** @type {Readonly<State>} */ (app),
    /** @param {Partial<State>} changes */
    change(changes) {
      if (Object.entries(changes).every(([key, value]) => Object.is(Reflect.get(state, key), value))) return;
      state = { ...state, ...changes };
      tell();
    },
    renew() {
      drawings++;
      tell();
    },
    /** @param {() => void} subscriber */
    subscribe: (subscriber) => void subscribers.add(subscriber),
  };
}

class Part extends Directive {
  drawing = -1;
  /** @type {unknown[]} */
  given = [];
  /** @type {Map<PropertyKey, unknown>} */
  reads = new Map();

  /**
   * @param {(...given: any[]) => unknown} view
   * @param {any[]} given
   */
  render(view, ...given) {
    return view(...given);
  }

  /**
   * @param {import("lit-html/directive.js").ChildPart} place
   * @param {[(...given: any[]) => unknown, ...any[]]} given a view, the state, and what else the view is a function of
   */
  update(place, given) {
    const outer = reads;
    const known =
      this.drawing === drawings &&
      given.length === this.given.length &&
      given.every((value, index) => value === this.given[index]) &&
      [...this.reads].every(([key, value]) => given[1][key] === value);
    if (!known) {
      this.drawing = -1; // in case that the view fails
      reads = this.reads = new Map();
      try {
        setChildPartValue(place, this.render(...given), this); // here, so that parts within this one add what they read
      } finally {
        reads = outer;
      }
      this.given = given;
      this.drawing = drawings;
    }
    for (const [key, value] of this.reads) outer?.set(key, value);
    return noChange;
  }
}

/**
 * A view of the state, and of what else it is given, that is drawn anew only if any of it has changed.
 * @type {<Given extends [object, ...unknown[]]>(view: (...given: Given) => unknown, ...given: Given) => unknown}
 */
export const part = /** @type {any} */ (directive(Part));

class Kept extends Directive {
  /** @type {[object, string] | null} */
  key = null;

  /**
   * @param {object} of
   * @param {string} key
   * @param {() => unknown} draw
   */
  render(of, key, draw) {
    if (this.key?.[0] === of && this.key[1] === key) return noChange;
    this.key = [of, key];
    return draw();
  }
}

/** What is drawn anew only if it is of another thing, or has another key. */
export const keep = directive(Kept);
