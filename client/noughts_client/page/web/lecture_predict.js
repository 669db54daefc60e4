// "Cut or not?": the questions that a search answers by itself, and how a class has answered them. Pure.

/**
 * @typedef {import("./lecture_layout.js").Trace} Trace
 * @typedef {{cut: boolean, node: number, alpha?: number | null, beta?: number | null}} Question
 * @typedef {{asked: Map<string, boolean>, last: {of: string, cut: boolean, right: boolean} | null}} Score
 */

/**
 * The question after `count` steps, if there is one: a child's value has come back, and there are more children.
 * @param {Trace} trace
 * @param {number} count
 * @returns {Question | null}
 */
export function questionAt(trace, count) {
  if (trace.search === "minimax" || count === 0 || count >= trace.steps.length) return null;
  const [step, next] = [trace.steps[count - 1], trace.steps[count]];
  if (step.step !== "update") return null;
  const cut = next.step === "cut" && next.node === step.node;
  const goes = next.step === "enter" && trace.nodes[next.node].parent === step.node;
  return cut || goes ? { cut, node: step.node, alpha: step.alpha, beta: step.beta } : null;
}

/**
 * Whether questions are still to come after `count` steps.
 * @param {Trace[]} traces
 * @param {number} count
 */
export const moreAfter = (traces, count) =>
  traces.some((trace) => trace.steps.some((_, index) => index >= count && questionAt(trace, index + 1) !== null));

/** @returns {Score} */
export const unscored = () => ({ asked: new Map(), last: null });

/**
 * @param {number} index of the trace
 * @param {number} count
 */
const key = (index, count) => `${index} ${count}`;

/**
 * The first of the traces that asks something here that has not been answered; -1 if none does.
 * @param {Trace[]} traces
 * @param {number} count
 * @param {Score} score
 */
export const asking = (traces, count, score) =>
  traces.findIndex((trace, index) => questionAt(trace, count) !== null && !score.asked.has(key(index, count)));

/**
 * The score after an answer. Only the first answer to a question counts.
 * @param {Trace[]} traces
 * @param {number} index
 * @param {number} count
 * @param {Score} score
 * @param {boolean} cut what the reader says
 * @returns {Score}
 */
export function answered(traces, index, count, score, cut) {
  const question = questionAt(traces[index], count);
  const of = key(index, count);
  if (question === null || score.asked.has(of)) return score;
  const right = question.cut === cut;
  return { asked: new Map([...score.asked, [of, right]]), last: { of, cut: question.cut, right } };
}

/**
 * What was answered at this place, null if nothing was.
 * @param {number} index
 * @param {number} count
 * @param {Score} score
 */
export const answerAt = (index, count, score) => score.asked.get(key(index, count)) ?? null;
