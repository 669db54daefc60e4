// The shapes of the server's messages that the page reads. docs/protocol.md describes them. There is no code here.

/**
 * @typedef {"first" | "second"} Side
 * @typedef {{name: string, symbol: string}} Style
 * @typedef {{key: string, title: string, sides: {first: Style, second: Style}, layout: string[][], cells?: string[][],
 *            block?: number, board?: {shape: Shape, look?: string, lines?: string[][], bottom?: Side, borders?: Side[]},
 *            pieces?: Record<string, Piece>, options?: Option[], claims?: boolean, draws?: boolean, unit?: number, measure?: Measure, upright?: boolean, record?: string, levels: string[], rules?: string[]}} GameInfo
 * @typedef {{one: string, worth: number, many?: string, margins?: boolean}} Measure
 * @typedef {{rows: string[], counts?: number[][], last?: string[]}} Example
 * @typedef {"squares" | "hexagons" | "points" | "edges" | "pits"} Shape
 * @typedef {{side: Side | null, name: string, glyph: string}} Piece
 * @typedef {{key: string, title: string, default: string | number, choices?: (string | number)[]}} Option
 * @typedef {Record<string, string | number>} Setup
 * @typedef {{id: string, name: string, kind: "human" | "bot" | "computer", online: boolean, registered?: boolean,
 *            rating?: number, provisional?: boolean, claimable_at?: string}} Seat
 * @typedef {{first_ms: number, second_ms: number, running: Side | null, since: string | null, first_move_by?: string}} Clock
 * @typedef {{winner: Side | null, reason: string, cells: string[]}} Outcome
 * @typedef {{status: "waiting" | "playing" | "over", turn: number, ply: number, to_move: Side | null, rows: string[],
 *            legal_moves: string[], moves: string[], seats: {first: Seat | null, second: Seat | null}, clock: Clock | null,
 *            offers: {side: Side, offer: "draw" | "takeback" | "rematch"}[], outcome: Outcome | null,
 *            next: string | null, names?: string[], score?: number[], counts?: number[][],
 *            held?: Record<Side, Record<string, number>>, lead?: number, claim_draw?: string, rules_changed?: {from: number, at_ply: number}}} State
 * @typedef {{rows: string[], to_move: Side | null, score?: number[], counts?: number[][],
 *            held?: Record<Side, Record<string, number>>, lead?: number, name?: string}} Place
 * @typedef {{private: boolean, rated: boolean, clock: TimeControl | null, unrated_because?: string, setup?: Setup, tournament?: string}} Options
 * @typedef {{initial_s?: number, increment_s?: number, per_move_s?: number}} TimeControl
 * @typedef {{room: string, game: string, status: string, seats: {first: Seat | null, second: Seat | null},
 *            options: Options, outcome?: Outcome, previous?: string, next?: string}} Listing
 * @typedef {Listing & {side: Side, turn?: number, ply?: number, to_move?: Side | null, clock?: Clock | null,
 *            ended_at?: string, rating?: {before: number | null, after: number}}} MyGame
 * @typedef {{seek: string, player: {id: string, name: string, kind: string, rating?: number, provisional?: boolean},
 *            game: string, setup?: Setup, clock: TimeControl | null, rated: boolean, since: string}} OpenSeek
 * @typedef {{value: number, exact: boolean, bound?: "upper" | "lower", distance: number | null, line: string[], names?: string[]}} MoveWorth
 * @typedef {{room: string, game: string, ply: number, turn?: number, number?: number, to_move: Side | null,
 *            value: number, exact: boolean, best: string[], verdict?: "proved" | "preferred" | "unknown", moves: Record<string, MoveWorth>, nodes: number,
 *            depth: number, seconds: number}} Analysis
 * @typedef {{how?: string, lines?: Record<number, string>, boards?: string, closed?: string, board?: boolean}} Ending
 * @typedef {{endings: Record<string, Ending>, unrated: Record<string, string>, marks: Record<string, string>,
 *            rules_changed: string}} Words
 * @typedef {{result: "win" | "draw" | "loss" | null, expected: number | null}} Chance
 * @typedef {"kept" | "faster_win_missed" | "larger_win_missed" | "win_thrown_away" | "draw_thrown_away" |
 *           "probable_mistake" | "no_mistake_seen"} Mark
 * @typedef {{ply: number, side: Side, move: string, name?: string, number?: number, mark: Mark, before: Chance, after: Chance, worth: MoveWorth,
 *            better?: {move: string, worth: MoveWorth, rows: string[][]}}} ReviewedMove
 * @typedef {{side: Side, mark: Mark, before: Chance}} Resignation
 */

export {};
