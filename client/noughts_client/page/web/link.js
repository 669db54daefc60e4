// A link to pass on: shared by what the device has for that, or copied.

import { html } from "./vendor/lit-html/lit-html.js";
import { icon } from "./icons.js";
import { linkTexts, text } from "./room_texts.js";

/** How long a button says that the link is copied. */
const COPIED_MS = 2000;

/**
 * A button that passes a link on by what the device has for that or, where it has nothing, copies it.
 * @param {string} link
 * @param {string} title
 * @param {string} [kind] its class; a `bare` one is an icon
 * @param {{says: string, about: string}} [result] what is passed on with the link, and the words of the button
 */
export function shareButton(link, title, kind = "", result) {
  const share = async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if ("share" in navigator) return void navigator.share({ title, text: result?.about, url: link }).catch(() => {}); // or the user thinks better of it
    await put(result ? `${result.about} ${link}` : link);
    const before = [...button.childNodes];
    button.textContent = text.copied;
    setTimeout(() => button.replaceChildren(...before), COPIED_MS);
  };
  const words = result?.says ?? ("share" in navigator ? linkTexts.share : linkTexts.copyLink);
  const label = kind === "bare" ? html`${icon("share")}<span class="spoken">${words}</span>` : words;
  return html`<button type="button" class=${kind} title=${words} @click=${share}>${label}</button>`;
}

/** @param {Event} event */
function select(event) {
  /** @type {HTMLInputElement} */ (event.target).select();
}

/**
 * Put words into the clipboard.
 * @param {string} words
 * @param {HTMLInputElement} [input] a field that shows them
 */
async function put(words, input) {
  if (navigator.clipboard && (await navigator.clipboard.writeText(words).then(() => true).catch(() => false))) return;
  const field = input ?? document.body.appendChild(Object.assign(document.createElement("textarea"), { value: words }));
  field.select();
  document.execCommand("copy");
  if (!input) field.remove();
}

/**
 * Over plain http there is no clipboard API, except on the machine itself.
 * @param {Event} event
 * @param {string} words what to copy; the field before the button shows it
 */
export async function copy(event, words) {
  const button = /** @type {HTMLButtonElement} */ (event.target);
  await put(words, /** @type {HTMLInputElement} */ (button.parentElement?.querySelector("input")));
  button.textContent = text.copied;
}

export { select };
