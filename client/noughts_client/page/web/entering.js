// An invitation to a server for invited players, whose code is in the fragment of the link that was opened.

import { Refused } from "./connection.js";

/**
 * Use the invitation, and say how that went. A code that may work later stays in the address.
 * @param {import("./app.js").App} app
 * @param {(changes: {may?: null, notice: string}) => void} change
 */
export async function enter(app, change) {
  const code = /^#invitation=([A-Za-z0-9-]{1,64})$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  try {
    await app.connection.request("enter", { code });
    change({ may: null, notice: app.server.name ? `You are invited. Welcome to ${app.server.name}.` : "You are invited. Welcome." });
  } catch (error) {
    if (!(error instanceof Refused)) return; // the connection was lost: the next welcome tries again
    change({ notice: error.message });
    if (error.code === "rate_limited") return;
  }
  history.replaceState(null, "", location.pathname + location.search);
}
