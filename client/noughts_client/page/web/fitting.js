// Names on a projector: all of a list are as large as the longest fits into its line, but never smaller than can be read from
// the last row. A name that is longer still takes two lines, by the style sheet, and then ends with an ellipsis.

/** The lists whose names have one size. */
const LISTS = ".s-rows, .s-results ul, .podium .p1, .podium ol, .largest, .s-boards, .s-over > .live-board, .s-wall, .s-leaders ol, .s-name";

/** The smallest type, in rem, as in the style sheet. */
const LEAST = 0.83;

/** Where there is room for two lines (`--two` in the style sheet), a line has so much of a name, as words are not cut. */
const ROOM = 0.6;

const paper = document.createElement("canvas").getContext("2d");

let waiting = false;

/** A name's place changes when a clock comes beside it. */
const sizes = new ResizeObserver(() => fitSoon());

/** Fit the names once they are drawn. */
export function fitSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(fit);
}

function fit() {
  waiting = false;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  /** @type {Map<HTMLElement, {share: number, two: boolean}>} */
  const lists = new Map();
  for (const name of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".screen :is(.named, .who, .s-name h1)"))) {
    const list = /** @type {HTMLElement | null} */ (name.closest(LISTS));
    const style = getComputedStyle(name);
    const size = rem * parseFloat(style.getPropertyValue("--size"));
    if (!list || !paper || !size) continue;
    sizes.observe(name);
    paper.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
    const wide = (/** @type {string} */ words) => paper.measureText(words).width;
    const words = name.textContent ?? "";
    const line = style.getPropertyValue("--two") ? Math.max(ROOM * wide(words), ...words.split(/\s+/).map(wide)) : wide(words);
    const share = (name.clientWidth - 1) / line;
    const before = lists.get(list) ?? { share: 1, two: false };
    lists.set(list, { share: Math.min(before.share, Math.max(share, 0)), two: before.two || (size * share < LEAST * rem && /[\s-]/.test(name.textContent ?? "")) });
  }
  for (const [list, { share, two }] of lists) {
    list.style.setProperty("--fit", share.toFixed(3));
    list.toggleAttribute("data-two", two);
  }
}
