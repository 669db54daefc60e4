// Icons, drawn with lines in a square of 24.

import { html, svg } from "./vendor/lit-html/lit-html.js";

const PATHS = {
  play: "M12 4.5a7.5 7.5 0 1 0 .01 0z",
  watch: "M2 12c2.5-4.5 5.8-6.7 10-6.7s7.5 2.2 10 6.7c-2.5 4.5-5.8 6.7-10 6.7S4.5 16.5 2 12zM12 9a3 3 0 1 0 .01 0z",
  study: "M12 6.5C9.8 5 6.8 4.3 3 4.3V18c3.8 0 6.8.7 9 2.2 2.2-1.5 5.2-2.2 9-2.2V4.3c-3.8 0-6.8.7-9 2.2zm0 0V20",
  compete: "M7 3.5h10v6a5 5 0 0 1-10 0zM7 5.5H3.2c0 3 1.4 4.7 4.3 5.2M17 5.5h3.8c0 3-1.4 4.7-4.3 5.2M12 14.5v3M7.5 20.5c.6-2 2-3 4.5-3s3.9 1 4.5 3z",
  me: "M12 4a4 4 0 1 0 .01 0zM4 20.5c1-4 3.7-6 8-6s7 2 8 6",
  people: "M9 4.5a3.5 3.5 0 1 0 .01 0zM2.5 20c.7-4 2.9-6 6.5-6s5.8 2 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.6c2 .9 3.2 2.7 3.5 5.4",
  back: "M15 5l-7 7 7 7",
  first: "M18 6l-6 6 6 6M7 6v12",
  previous: "M15 6l-6 6 6 6",
  next: "M9 6l6 6-6 6",
  last: "M6 6l6 6-6 6M17 6v12",
  flag: "M6 21V4.5h11.5L15 9l2.5 4.5H6",
  undo: "M9 5L4.5 9.5 9 14M5 9.5h9a5.5 5.5 0 0 1 0 11h-3",
  flip: "M8 20V5M4.5 8.5L8 5l3.5 3.5M16 4v15M12.5 15.5L16 19l3.5-3.5",
  sound: "M4 9.5v5h3.5l4.5 4v-13l-4.5 4zM15.5 9.5a3.5 3.5 0 0 1 0 5M18.2 7a7 7 0 0 1 0 10",
  silent: "M4 9.5v5h3.5l4.5 4v-13l-4.5 4zM16 9.5l5 5M21 9.5l-5 5",
  share: "M12 15V4M8 7.5l4-4 4 4M5.5 11.5V20h13v-8.5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6L6 18",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${svg`<path d=${PATHS[name]}></path>`}</svg>`;
}
