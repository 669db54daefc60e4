// English ordinal numbers. The first view has none, and does not load them.

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
const SUFFIXES = /** @type {Record<string, string>} */ ({ one: "st", two: "nd", few: "rd", other: "th" });

/** A place or a turn, such as 3rd. @param {number} number */
export const ordinal = (number) => `${number}${SUFFIXES[ORDINALS.select(number)]}`;
