// Whether sounds are on in this browser, and making them: what makes them is loaded when they are on.

import { SOUND, store } from "./storage.js";

/** @typedef {Pick<import("./app.js").Page, "app" | "change" | "loaded">} Page */

/**
 * Make sounds, if they are on.
 * @param {Page} page
 * @param {(sounds: typeof import("./sounds.js")) => import("./sounds.js").Sound[]} choose
 */
export function listen({ app, loaded }, choose) {
  if (app.sound) loaded(import("./sounds.js")).then((sounds) => sounds.sound(choose(sounds)));
}

/**
 * Turn sounds on or off in this browser.
 * @param {Page} page
 */
export function toggleSound(page) {
  const { app, change } = page;
  change({ sound: !app.sound });
  store(SOUND, app.sound ? "on" : "off");
  listen(page, () => ["own"]);
}
