// Calls a player who looks elsewhere: by a dot on the page's icon and, in a game of days, by the title and by a notification if
// the player has allowed those. A page that is looked at says in a line whose game waits.

/**
 * @typedef {{change: (changes: {calls?: number, calledFor?: string | null, notice?: string}) => void, go: (path: string) => void}} Page
 */

/** The rooms of which the player has been told since the page was last looked at. @type {Set<string>} */
const rooms = new Set();

/** The icon with a dot. It needs no request, which a browser may put off while nobody looks. */
const DOTTED = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c2733"/><circle cx="16" cy="16" r="8.5" fill="none" stroke="#ffb454" stroke-width="4"/><circle cx="24" cy="8" r="8" fill="#1c2733"/><circle cx="24.5" cy="7.5" r="6.5" fill="#ff5a4d"/></svg>`;

/** Put a dot on the page's icon until the page is looked at. */
export function dot() {
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="icon"]'));
  if (document.visibilityState === "visible" || !icon || icon.href.startsWith("data:")) return;
  const { href } = icon;
  icon.href = `data:image/svg+xml,${encodeURIComponent(DOTTED)}`;
  document.addEventListener("visibilitychange", () => (icon.href = href), { once: true });
}

/**
 * Tell the player of `move`, unless the room is before its eyes.
 * @param {import("./connection.js").Message} move
 * @param {Page & {room: string | null}} page
 */
export function call(move, page) {
  const sentence = `Your move in ${move.title} against ${move.opponent || "your opponent"}.`;
  if (document.visibilityState === "visible") {
    if (page.room !== move.room) page.change({ notice: sentence });
  } else look(move.room, sentence, page);
}

/**
 * Call a player who looks elsewhere to a room.
 * @param {string} room
 * @param {string} sentence
 * @param {Page} page
 * @param {string | null} [title] what the page's title says meanwhile
 */
export function look(room, sentence, page, title = null) {
  if (document.visibilityState === "visible") return;
  if (!rooms.size) document.addEventListener("visibilitychange", () => seen(page), { once: true });
  dot();
  rooms.add(room);
  page.change({ calls: rooms.size, calledFor: title });
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const note = new Notification(sentence, { tag: room, icon: "/icon.svg" });
  note.onclick = () => {
    window.focus();
    page.go(`/rooms/${room}`);
    note.close();
  };
}

/** @param {Page} page */
function seen(page) {
  rooms.clear();
  page.change({ calls: 0, calledFor: null });
}

/** Ask whether notifications are welcome, once and only after a click: browsers refuse it otherwise. */
export function ask() {
  if ("Notification" in window && Notification.permission === "default") void Notification.requestPermission();
}
