// What this browser keeps of the page: the token, whether sounds are on, and the colours. A browser may be set to keep nothing; the page
// then works as long as it is open.

/** Where it keeps whether sounds are on. */
export const SOUND = "noughts.sound";

/** @type {Map<string, string>} */
const memory = new Map();

/** The browser's own storage, or null where even asking for it is refused. */
function own() {
  try {
    localStorage.getItem("noughts");
    return localStorage;
  } catch {
    return null;
  }
}

const browsers = own();

/** Whether what is stored is still there when the page is opened again. */
export const lasting = browsers !== null;

/** @param {string} key */
export function stored(key) {
  return memory.get(key) ?? browsers?.getItem(key) ?? null;
}

/**
 * @param {string} key
 * @param {string} value
 */
export function store(key, value) {
  try {
    if (browsers === null) throw new Error("nothing is kept");
    browsers.setItem(key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value); // also where the storage is full
  }
}

/** @param {string} key */
export function forget(key) {
  memory.delete(key);
  browsers?.removeItem(key);
}
