// Whom this player has muted: what they say in chat is not shown. It is kept by the server, for all devices.

import { Lost, Refused } from "./connection.js";
import { text } from "./texts.js";

/**
 * @typedef {{id: string, name: string, kind: string, registered?: boolean}} Player
 * @typedef {{connection: import("./connection.js").Connection, actions: {redraw: () => void}}} App
 */

/** Those who are muted; null until they are known. @type {Player[] | null} */
let muted = null;
/** Whose list it is. @type {string | null} */
let token = null;

/**
 * Those who are muted, as far as known. They are asked for at the first call.
 * @param {App} app
 */
export function mutedBy(app) {
  if (token !== app.connection.token && app.connection.welcomed) {
    token = app.connection.token;
    app.connection.request("muted").then(
      (answer) => {
        muted = answer.players;
        app.actions.redraw();
      },
      () => (token = null), // asked for again at the next drawing
    );
  }
  return muted ?? [];
}

/**
 * @param {App} app
 * @param {string} id
 */
export function isMuted(app, id) {
  return mutedBy(app).some((player) => player.id === id);
}

/**
 * Mute a player, or hear one again. Returns why it is refused, null if it is done.
 * @param {App} app
 * @param {Player} player
 * @param {boolean} on
 */
export async function mute(app, player, on) {
  try {
    await app.connection.request("mute", { player: player.id, muted: on });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Lost)) throw error;
    return error instanceof Refused ? error.message : text.notSent;
  }
  const others = (muted ?? []).filter(({ id }) => id !== player.id);
  muted = on ? [...others, player] : others;
  app.actions.redraw();
  return null;
}
