// Rows that change places slide there, so that the eye can follow them.

/** How long a row takes, in ms. */
const SLIDE_MS = 320;

/** Where a row was when it was last looked at, in CSS pixels from the top of its table. @type {WeakMap<HTMLElement, number>} */
const tops = new WeakMap();

/**
 * To be called when the rows are drawn: those that were elsewhere the last time slide to their places.
 * @param {string} rows a selector
 */
export function slide(rows) {
  requestAnimationFrame(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(rows))) {
      const [before, top] = [tops.get(row), row.offsetTop];
      tops.set(row, top);
      if (before === undefined || before === top || still) continue;
      row.animate([{ transform: `translateY(${before - top}px)` }, { transform: "none" }], { duration: SLIDE_MS, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" });
    }
  });
}
