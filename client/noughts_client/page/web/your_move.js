// Calls a player whose move it is in a game of days, and who looks elsewhere: by the title, and by a notification if the
// player has allowed those. A page that is looked at says it in a line.

/**
 * @typedef {{room: string | null, change: (changes: {calls?: number, notice?: string}) => void, go: (path: string) => void}} Page
 */

/** The rooms of which the player has been told since the page was last looked at. @type {Set<string>} */
const rooms = new Set();

/**
 * Tell the player of `move`, unless the room is before its eyes.
 * @param {import("./connection.js").Message} move
 * @param {Page} page
 */
export function call(move, page) {
  const sentence = `Your move in ${move.title} against ${move.opponent || "your opponent"}.`;
  if (document.visibilityState === "visible") {
    if (page.room !== move.room) page.change({ notice: sentence });
    return;
  }
  if (!rooms.size) document.addEventListener("visibilitychange", () => seen(page), { once: true });
  rooms.add(move.room);
  page.change({ calls: rooms.size });
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const note = new Notification(sentence, { tag: move.room, icon: "/icon.svg" });
  note.onclick = () => {
    window.focus();
    page.go(`/rooms/${move.room}`);
    note.close();
  };
}

/** @param {Page} page */
function seen(page) {
  rooms.clear();
  page.change({ calls: 0 });
}

/** Ask whether notifications are welcome, once and only after a click: browsers refuse it otherwise. */
export function ask() {
  if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
}
