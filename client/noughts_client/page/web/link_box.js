// A link to pass on with its QR code, which the server makes. It is loaded where one is shown.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { Refused } from "./connection.js";
import { copy, select, shareButton } from "./link.js";
import { text } from "./room_texts.js";

const own = {
  loopback: "Only this machine can open this link. Whoever runs the server can let others in, with --host.",
  qr: "QR code",
  computing: "Computing …",
  /** @param {string} link */
  qrOf: (link) => `QR code of ${link}`,
};

/** The light modules around a QR code, by which it is found. */
const MARGIN = 4;

/** How many links' codes are kept. */
const KEPT = 20;

/** @type {Map<string, string[]>} the rows of each link's code; none while they are asked for */
const codes = new Map();

/**
 * The link with its buttons, and its QR code, shown at once or when it is asked for.
 * @param {{connection: import("./connection.js").Connection, actions: {redraw: () => void}}} app
 * @param {{link: string, label: string, open?: boolean, quiet?: boolean}} what `quiet`: another button is the first to be pressed
 */
export function linkBox(app, { link, label, open = false, quiet = false }) {
  const main = quiet ? "" : "main";
  const shares = "share" in navigator;
  const first = shares && matchMedia("(pointer: coarse)").matches; // on a phone, whose sheet lists the friends
  return html`<div class="link">
    <div class="row ${first ? "shares" : ""}">
      <input readonly aria-label=${label} .value=${link} @focus=${select} />
      ${first ? shareButton(link, label, main) : nothing}
      <button type="button" class=${first ? "" : main} @click=${(/** @type {Event} */ event) => copy(event, link)}>${text.copy}</button>
      ${shares && !first ? shareButton(link, label) : nothing}
    </div>
    ${open || isLoopback()
      ? qrOf(app, link)
      : html`<details @toggle=${(/** @type {Event} */ event) => unfolded(app, link, /** @type {HTMLDetailsElement} */ (event.target))}>
          <summary>${own.qr}</summary>
          ${qr(link)}
        </details>`}
  </div>`;
}

/**
 * The code is asked for when it is wanted, and comes into sight.
 * @param {Parameters<typeof ask>[0]} app
 * @param {string} link
 * @param {HTMLDetailsElement} details
 */
async function unfolded(app, link, details) {
  if (!details.open) return;
  await ask(app, link);
  requestAnimationFrame(() => requestAnimationFrame(() => details.scrollIntoView({ block: "nearest" }))); // once it is drawn
}

/**
 * The QR code of a link or, if no other device can open it, what to do about that.
 * @param {Parameters<typeof ask>[0]} app
 * @param {string} link
 */
export function qrOf(app, link) {
  if (isLoopback()) return html`<p class="note small">${own.loopback}</p>`;
  ask(app, link);
  return qr(link);
}

/** @param {string} link */
function qr(link) {
  const rows = codes.get(link) ?? [];
  const size = rows.length + 2 * MARGIN;
  if (!rows.length) return html`<p class="note">${own.computing}</p>`;
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${own.qrOf(link)} shape-rendering="crispEdges">
      <rect class="light" width=${size} height=${size}></rect>
      <path class="dark" d=${pathOf(rows)}></path>
    </svg>`;
}

/** Whether this page's address leads to this machine, wherever it is opened. */
export function isLoopback() {
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
