// A link to pass on: as text to select, with a button that copies it, and as a QR code that the server makes.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { Refused } from "./connection.js";
import { icon } from "./icons.js";
import { linkTexts, text } from "./room_texts.js";

/** The light modules around a QR code, by which it is found. */
const MARGIN = 4;

/** How long a button says that the link is copied. */
const COPIED_MS = 2000;

/** How many links' codes are kept. */
const KEPT = 20;

/** @type {Map<string, string[]>} the rows of each link's code; none while they are asked for */
const codes = new Map();

/**
 * The link with its buttons, and its QR code, shown at once or when it is asked for.
 * @param {{connection: import("./connection.js").Connection, actions: {redraw: () => void}}} app
 * @param {{link: string, label: string, open?: boolean}} what
 */
export function linkBox(app, { link, label, open = false }) {
  return html`<div class="link">
    <div class="row">
      <input readonly aria-label=${label} .value=${link} @focus=${select} />
      <button type="button" @click=${(/** @type {Event} */ event) => copy(event, link)}>${text.copy}</button>
      ${"share" in navigator ? shareButton(link, label) : nothing}
    </div>
    ${open || isLoopback()
      ? qrOf(app, link)
      : html`<details @toggle=${(/** @type {Event} */ event) => /** @type {HTMLDetailsElement} */ (event.target).open && ask(app, link)}>
          <summary>${linkTexts.qr}</summary>
          ${qr(link)}
        </details>`}
  </div>`;
}

/**
 * The QR code of a link or, if no other device can open it, what to do about that.
 * @param {Parameters<typeof ask>[0]} app
 * @param {string} link
 */
export function qrOf(app, link) {
  if (isLoopback()) return html`<p class="note">${linkTexts.loopback(location.hostname)}</p>`;
  ask(app, link);
  return qr(link);
}

/** @param {string} link */
function qr(link) {
  const rows = codes.get(link) ?? [];
  const size = rows.length + 2 * MARGIN;
  if (!rows.length) return html`<p class="note">${linkTexts.computing}</p>`;
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${linkTexts.qrOf(link)} shape-rendering="crispEdges">
      <rect class="light" width=${size} height=${size}></rect>
      <path class="dark" d=${pathOf(rows)}></path>
    </svg>`;
}

/** Whether this page's address leads to this machine, wherever it is opened. */
function isLoopback() {
  return /^(localhost|127\.[0-9.]+|\[::1\])$/.test(location.hostname);
}

/** @param {string[]} rows */
function pathOf(rows) {
  return rows
    .flatMap((row, y) => [...row.matchAll(/#+/g)].map((run) => `M${run.index + MARGIN} ${y + MARGIN}h${run[0].length}v1h-${run[0].length}z`))
    .join("");
}

/**
 * Ask for a link's code, and again if the server is busy.
 * @param {{connection: import("./connection.js").Connection, actions: {redraw: () => void}}} app
 * @param {string} link
 */
async function ask(app, link) {
  if (codes.has(link)) return;
  codes.set(link, []);
  if (codes.size > KEPT) codes.delete(codes.keys().next().value ?? "");
  try {
    codes.set(link, (await app.connection.request("qr", { link })).rows);
    app.actions.redraw();
  } catch (error) {
    codes.delete(link);
    if (error instanceof Refused && error.retryAfterS !== undefined) setTimeout(() => ask(app, link), error.retryAfterS * 1000);
  }
}

/**
 * A button that passes a link on by what the device has for that or, where it has nothing, copies it.
 * @param {string} link
 * @param {string} title
 * @param {string} [kind] its class; a `bare` one is an icon
 */
export function shareButton(link, title, kind = "") {
  const share = async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if ("share" in navigator) return void navigator.share({ title, url: link }).catch(() => {}); // or the user thinks better of it
    await put(link);
    const before = [...button.childNodes];
    button.textContent = text.copied;
    setTimeout(() => button.replaceChildren(...before), COPIED_MS);
  };
  const words = "share" in navigator ? linkTexts.share : linkTexts.copyLink;
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
