// The analysis board: a game as a tree of moves, of which the server tells each position and what moves are worth there.
// It begins from a finished game, from a file, or from any position.

import { BadLink, fromQuery, grown, toQuery } from "./analysis_link.js";
import { analysisText as text } from "./analysis_texts.js";
import { analysisView } from "./analysis_view.js";
import { add, below, isMain, lineThrough, listed, promote, remove, root, wayTo } from "./branch.js";
import { Lost, Refused } from "./connection.js";
import { marked } from "./marks.js";
import { STEPS } from "./drag.js";
import { gamesIn } from "./files.js";
import { picking } from "./picking.js";
import { gameOf } from "./looks.js";
import { store, stored } from "./storage.js";
import { lookAt } from "./table.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./branch.js").Branch} Branch
 * @typedef {import("./marks.js").Mark} Mark
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").State} State
 * @typedef {import("./table.js").Table} Table
 * @typedef {{app: App, draw: () => void, wordsOf: (error: unknown) => string}} Core
 * @typedef {ReturnType<typeof analysing>["board"]} Board
 * @typedef {ReturnType<typeof analysing>["actions"]} Actions
 * @typedef {"line" | "set" | "share"} Tab
 */

/** Between two analyses that fill the graph. */
const GRAPH_PAUSE_MS = 1000;

/** How long after a change the address follows: browsers allow some three changes a second. */
const ADDRESS_MS = 400;

/** Where the game that was analysed last is kept. */
const LAST = "noughts.analysis";

/** The game of somebody who has not been here: one in which most positions are worth a look. */
const FIRST = "connect4";

/** @param {Core} core */
export function analysing({ app, draw, wordsOf }) {
  const board = {
    game: "",
    /** @type {Record<string, string>} */
    setup: {},
    start: "",
    /** The room of the moves that were played. @type {string | null} */
    room: null,
    /** Who played. @type {{first: string, second: string} | null} */
    names: null,
    /** @type {import("./looks.js").Drawn | undefined} */
    drawn: undefined,
    tree: root(),
    shown: root(),
    forward: false,
    /** @type {Tab} */
    tab: "line",
    values: true,
    numbers: false,
    turned: false,
    marking: false,
    /** @type {import("./marks.js").Colour} */
    colour: "green",
    /** @type {string | null} */
    begun: null,
    /** @type {string[]} */
    path: [],
    /** @type {{name: string, move: string} | null} */
    chosen: null,
    /** @type {string | null} */
    pending: null,
    /** @type {string | null} */
    focus: null,
    /** @type {string | null} */
    error: null,
    /** Why what was set up cannot be opened, and the field that says it. @type {{field: "position" | "moves", words: string} | null} */
    wrong: null,
    /** @type {string | null} */
    valuesError: null,
    waiting: false,
  };
  /** Counts what was opened: an answer that comes later belongs to what is left. */
  let visit = 0;
  let filling = false;
  let analyses = 0;
  let analyseLater = 0;
  let addressLater = 0;
  /** The query that the address has. */
  let query = "";

  /** @param {Partial<typeof board>} changes */
  function change(changes) {
    Object.assign(board, changes);
    draw();
  }

  const info = () => gameOf(app, board);

  // what is opened

  /** The address has changed, or the connection is there again. */
  async function enter() {
    if (app.view !== "analysis" || !app.connection.welcomed) return;
    if (query !== location.search || !board.game) await open(location.search);
    else fill();
  }

  /** @param {string} search */
  async function open(search) {
    const now = ++visit;
    query = search;
    try {
      const address = fromQuery(search);
      const played = address.room === null ? null : await recorded(address.room);
      if (now !== visit) return;
      const key = played?.game ?? (address.game || stored(LAST) || "");
      const game = app.games.get(key) ?? (address.game ? undefined : app.games.get(FIRST) ?? app.games.values().next().value);
      if (!game) throw new Wrong(text.unknownGame(key));
      const tree = root();
      let at = tree;
      for (const move of played?.moves ?? []) at = add(at, move, true);
      const setup = Object.fromEntries(Object.entries(played?.options.setup ?? address.setup).map(([name, value]) => [name, String(value)]));
      const { seats } = played ?? {};
      Object.assign(board, {
        game: game.key, setup, start: address.start, room: address.room, drawn: undefined, tree, turned: address.turned, ...fresh(), marking: false,
        names: seats ? { first: seats.first?.name ?? game.sides.first.name, second: seats.second?.name ?? game.sides.second.name } : null,
      });
      board.shown = grown(address, tree, new Set((game.cells ?? game.layout).flat()));
      store(LAST, game.key);
    } catch (error) {
      if (now !== visit) return;
      const words = error instanceof Wrong ? error.message : error instanceof BadLink ? text.badLink : wordsOf(error);
      const game = board.game || stored(LAST) || "";
      const tree = root();
      Object.assign(board, { ...fresh(), game: app.games.has(game) ? game : app.games.keys().next().value ?? "", setup: {}, start: "", room: null, names: null, drawn: undefined, tree, shown: tree, error: words });
    }
    draw();
    await fill();
    const cell = /[?&]pick=(\d{1,2})\.(\d{1,2})$/.exec(search);
    const [row, column] = (cell ?? []).slice(1).map(Number);
    if (cell && now === visit && info()?.layout[row]?.[column]) pick(row, column); // with which it was opened
  }

  function fresh() {
    return { path: [], chosen: null, pending: null, error: null, wrong: null, valuesError: null, begun: null, forward: false, focus: null };
  }

  /**
   * A finished game.
   * @param {string} room
   */
  async function recorded(room) {
    const here = await app.connection.request("watch", { room, preview: true }).catch(() => null);
    if (here === null) throw new Wrong(text.noRoom); // to fetch what is not there is an error in the console
    app.connection.request("leave", { room }).catch(() => {});
    const answer = await fetch(`/games/${room}.jsonl`);
    if (answer.status === 429) throw new Wrong(text.busy);
    const [game] = answer.ok ? gamesIn(await answer.text()) : [];
    if (!game) throw new Wrong(text.noRoom);
    return game;
  }

  /**
   * Open a game, and show it at the end of its moves.
   * @param {{game: string, setup?: Record<string, string>, start?: string, moves?: string[]}} what
   */
  async function begin({ game, setup = {}, start = "", moves = [] }) {
    visit++;
    const tree = root();
    let at = tree;
    for (const move of moves) at = add(at, move);
    Object.assign(board, { game, setup, start, room: null, names: null, drawn: undefined, tree, shown: at, ...fresh(), tab: "line", marking: false });
    store(LAST, game);
    draw();
    await fill();
    follow();
  }

  // positions

  /** Ask for the positions that are not known, a line at a time; first those that lead to what is shown. */
  async function fill() {
    if (filling) return;
    filling = true;
    const now = visit;
    try {
      for (let missing = unknown(); missing !== null && now === visit; missing = unknown()) await load(missing);
      if (board.waiting) change({ waiting: false });
    } catch (error) {
      if (now === visit && !(error instanceof Lost)) await refused(error);
    }
    filling = false;
    if (now !== visit) return void fill();
    analyse();
  }

  function unknown() {
    const first = wayTo(board.shown).find((at) => at.position === null);
    if (first) return first;
    for (const branch of below(board.tree)) if (branch.position === null) return branch;
    return null;
  }

  /** @param {Branch} branch whose position is asked for, with those of its line */
  async function load(branch) {
    const way = lineThrough(wayTo(board.shown).includes(branch) ? board.shown : branch);
    const since = way.findIndex((at) => at.position === null);
    try {
      const answer = await request("replay", { ...lineOf(way), since, legal: true });
      if (since === 0) board.drawn = answer.layout && { layout: answer.layout, board: answer.board };
      answer.positions.forEach((/** @type {import("./branch.js").Position} */ position, /** @type {number} */ index) => {
        const at = way[since + index];
        at.position = position;
        if (position.move) at.move = position.move; // it may have been as people write it
      });
      draw();
    } catch (error) {
      const number = error instanceof Refused ? Number(/^move (\d+): /i.exec(error.message)?.[1]) : 0;
      const wrong = number ? way[number] : undefined;
      if (!wrong?.parent) throw error;
      wrong.played = false; // by other rules, perhaps
      const parent = remove(wrong);
      if (wayTo(board.shown).includes(wrong)) board.shown = parent;
      change({ error: wordsOf(error) });
    }
  }

  /**
   * The game cannot be shown: not from this position, or not set up like this.
   * @param {unknown} error
   */
  async function refused(error) {
    const tree = root();
    const again = board.start !== "" || Object.keys(board.setup).length > 0;
    Object.assign(board, { tree, shown: tree, start: "", setup: {}, room: null, names: null, error: wordsOf(error) });
    draw();
    visit += again ? 1 : 0; // from the start, this once
  }

  /**
   * @param {string} type
   * @param {Record<string, unknown>} fields
   */
  async function request(type, fields) {
    for (;;) {
      try {
        return /** @type {any} */ (await app.connection.request(type, fields));
      } catch (error) {
        if (!(error instanceof Refused) || error.retryAfterS === undefined) throw error;
        const { retryAfterS } = error;
        change({ waiting: true });
        await new Promise((resolve) => setTimeout(resolve, retryAfterS * 1000));
      }
    }
  }

  /**
   * The moves of a line, as requests have them.
   * @param {Branch[]} way
   */
  function lineOf(way) {
    const { game, setup, start } = board;
    return { game, setup, start, moves: way.slice(1).map(({ move }) => move) };
  }

  // moves

  const picks = picking(board, { game: info, position: () => board.shown.position, change, play });

  /**
   * @param {number} row
   * @param {number} column
   */
  function pick(row, column) {
    const game = info();
    if (!game) return;
    if (board.marking) return mark((game.cells ?? game.layout)[row][column]);
    if (board.shown.marks.length) {
      board.shown.marks = [];
      follow();
    }
    picks.pick(row, column);
  }

  /**
   * A cell is picked to be marked, or for one end of an arrow.
   * @param {string} name
   */
  function mark(name) {
    if (board.begun === null) return change({ begun: name, focus: name });
    onMark({ from: board.begun, to: name, colour: board.colour });
  }

  /** @param {Mark} drawn */
  function onMark(drawn) {
    board.shown.marks = marked(board.shown.marks, drawn);
    change({ begun: null, focus: drawn.to });
    follow();
  }

  /** @param {string} move */
  async function play(move) {
    const { shown } = board;
    const known = shown.children.find((child) => child.move === move);
    if (known?.position) return show(known);
    change({ ...fresh(), pending: move, focus: board.focus });
    const now = visit;
    const way = wayTo(shown);
    try {
      const line = lineOf(way);
      const answer = await request("replay", { ...line, moves: [...line.moves, move], since: way.length, legal: true });
      if (now !== visit) return;
      const [position] = answer.positions;
      const child = add(shown, position.move);
      child.position = position;
      if (board.shown === shown) show(child);
    } catch (error) {
      if (now === visit) change({ pending: null, error: wordsOf(error).replace(/^Move \d+: ./, (start) => start.slice(-1).toUpperCase()) });
    }
  }

  /** @param {Branch | undefined | null} branch */
  function show(branch) {
    if (!branch) return;
    const forward = branch.parent === board.shown;
    change({ ...fresh(), focus: board.focus, shown: branch, forward });
    app.actions.announce(`${branch.position?.name ?? branch.move}. ${board.shown.position?.to_move ? text.opened(/** @type {GameInfo} */ (info()).sides[board.shown.position.to_move].name) : ""}`);
    analyse();
    follow();
    requestAnimationFrame(() => {
      const now = /** @type {HTMLElement | null} */ (document.querySelector(".analysis .tree-move.now"));
      const list = now?.closest(".tree-moves");
      if (!now || !list) return;
      const [top, room] = [now.offsetTop - /** @type {HTMLElement} */ (list).offsetTop, list.clientHeight - now.offsetHeight];
      if (top < list.scrollTop || top > list.scrollTop + room) list.scrollTop = top - room / 2;
    });
  }

  /** @param {number} ply */
  function look(ply) {
    const line = lineThrough(board.shown);
    show(line[Math.max(0, Math.min(ply, line.length - 1))]);
  }

  /**
   * The next or the previous of the moves that are tried instead of each other.
   * @param {number} by
   */
  function sideways(by) {
    const all = board.shown.parent?.children ?? [];
    if (all.length > 1) show(all[(all.indexOf(board.shown) + by + all.length) % all.length]);
  }

  function erase() {
    show(remove(board.shown));
  }

  function main() {
    promote(board.shown);
    draw();
    follow();
  }

  // values

  /** The branch whose moves are to be analysed next: the one that is shown, then the latest of its line. */
  function wanted() {
    if (!board.values || app.view !== "analysis") return null;
    const lacks = (/** @type {Branch} */ at) => at.analysis === null && at.position !== null && at.position.outcome === null;
    if (lacks(board.shown)) return board.shown;
    return document.hidden ? null : lineThrough(board.shown).findLast(lacks) ?? null;
  }

  /** Ask what the moves of a position are worth, one request at a time. */
  async function analyse() {
    clearTimeout(analyseLater);
    const branch = wanted();
    if (branch === null || analyses || board.valuesError) return;
    analyses++;
    const now = visit;
    const way = wayTo(branch);
    let pause = 0;
    try {
      const asPlayed = board.room !== null && branch.played;
      const found = await app.connection.request("analyse", asPlayed ? { room: board.room, ply: way.length - 1 } : lineOf(way));
      branch.analysis = /** @type {any} */ (found);
      draw();
    } catch (error) {
      if (error instanceof Lost) pause = Infinity;
      else if (error instanceof Refused && error.retryAfterS !== undefined) pause = error.retryAfterS * 1000;
      else {
        pause = Infinity;
        if (now === visit) change({ valuesError: wordsOf(error) });
      }
    }
    analyses--;
    if (pause === Infinity) return;
    if (pause === 0 && wanted() !== board.shown) pause = GRAPH_PAUSE_MS;
    analyseLater = setTimeout(analyse, pause);
  }

  // the address, and files

  /** The query of what is shown. */
  const address = () => toQuery(board);

  /** Have the address say what is shown. */
  function follow() {
    clearTimeout(addressLater);
    const now = visit;
    addressLater = setTimeout(() => {
      if (app.view !== "analysis" || now !== visit) return;
      query = `?${address().query}`;
      history.replaceState(null, "", `/analysis${query}`);
    }, ADDRESS_MS);
  }

  /**
   * Download the game, with its variations where the format has them.
   * @param {string} suffix
   */
  async function download(suffix) {
    try {
      const moves = listed(board.tree).map((entry) => (entry.kind === "move" ? entry.branch.move : entry.kind === "open" ? "(" : ")"));
      const { lines } = await request("write", { suffix, ...lineOf([board.tree]), moves });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`]));
      link.download = `noughts-${board.game}.${suffix}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      change({ error: null, waiting: false });
    } catch (error) {
      change({ error: wordsOf(error) });
    }
  }

  /** @param {SubmitEvent} event the form that sets up the board */
  async function setUp(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const game = /** @type {GameInfo} */ (app.games.get(board.game));
    const start = String(form.get("position")).trim();
    const pasted = String(form.get("moves")).trim();
    const setup = Object.fromEntries((game.options ?? []).flatMap(({ key, choices, default: usual }) => {
      const value = form.get(`setup ${key}`);
      return choices && value !== null && String(value) !== String(usual) ? [[key, String(value)]] : [];
    }));
    try {
      if (/^[[({]/.test(pasted)) {
        const lines = pasted.startsWith("{") ? pasted : (await request("read", { suffix: game.record ?? "pgn", text: pasted })).lines.join("\n");
        const [found] = gamesIn(lines);
        if (!found) throw new Wrong(text.noMoves(pasted));
        const own = Object.fromEntries(Object.entries(found.options.setup ?? {}).map(([name, value]) => [name, String(value)]));
        return begin({ game: found.game, setup: own, moves: found.moves });
      }
      const moves = wordsIn(pasted, game);
      await request("replay", { game: game.key, setup, start, moves, since: moves.length }); // before what is shown goes
      await begin({ game: game.key, setup, start, moves });
    } catch (error) {
      const words = error instanceof Wrong ? error.message : wordsOf(error);
      const field = error instanceof Wrong || !start || /^move \d/i.test(words) ? "moves" : "position";
      change({ wrong: { field, words }, waiting: false });
      /** @type {HTMLElement | null} */ (document.querySelector(`.set-up [name=${field}]`))?.focus();
    }
  }

  /**
   * The board as the panels of a room know it: the line that is shown.
   * @param {GameInfo} game
   * @returns {Table}
   */
  function table(game) {
    const line = lineThrough(board.shown);
    const known = line.slice(0, line.findIndex((at) => at.position === null) >>> 0);
    const moves = known.slice(1).map(({ move }) => move);
    const names = known.slice(1).map(({ move, position }) => position?.name ?? move);
    const seats = { first: null, second: null };
    const positions = known.map(({ position }, ply) => /** @type {State} */ ({
      ...position, status: position?.outcome ? "over" : "playing", turn: ply, ply, moves, names, seats, clock: null, offers: [], next: null,
    }));
    const empty = /** @type {any} */ ({ rows: game.layout.map((row) => row.map((name) => (name ? "." : " ")).join("")), to_move: null, legal_moves: [], outcome: null, ply: 0, moves: [], seats, offers: [] });
    /** @type {Table} */
    const whole = {
      room: "", game: board.game, options: { private: false, rated: false, clock: null, setup: board.setup }, version: 0,
      state: positions.at(-1) ?? empty, spectators: 0, previous: null, positions, analyses: /** @type {any} */ (known.map(({ analysis }) => analysis)), at: null,
      forward: false, notes: null, drawn: board.drawn,
    };
    return { ...lookAt(whole, known.indexOf(board.shown)), forward: board.forward };
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (app.view !== "analysis" || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = target.matches(STEPS);
    if (!steps && target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (event.key === "Escape" && (board.path.length || board.chosen || board.begun)) return change({ path: [], chosen: null, begun: null });
    const ply = wayTo(board.shown).length - 1;
    /** @type {Record<string, () => void>} */
    const keys = { ",": () => look(ply - 1), ".": () => look(ply + 1), Delete: erase, Escape: () => look(Infinity), m: switchMarks, f: flip, v: switchValues };
    /** @type {Record<string, () => void>} */
    const off = { ArrowLeft: keys[","], ArrowRight: keys["."], ArrowUp: () => sideways(-1), ArrowDown: () => sideways(1), Home: () => look(0), End: () => look(Infinity) };
    const onBoard = target.matches("[data-cell]");
    // After Tab what is typed is a move. After a click these keys are what they are elsewhere.
    const types = onBoard && !board.marking && /^[a-z0-9]$/i.test(event.key) && !(steps && keys[event.key]);
    if (types) return document.getElementById("typed")?.focus();
    const act = keys[event.key] ?? (!steps && (onBoard || target.matches("input")) ? undefined : off[event.key]);
    if (!act) return;
    event.preventDefault();
    act();
  }

  function switchMarks() {
    change({ marking: !board.marking, begun: null, path: [], chosen: null });
  }

  function switchValues() {
    change({ values: !board.values, valuesError: null });
    analyse();
  }

  function flip() {
    change({ turned: !board.turned });
    follow();
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", () => document.hidden || analyse());
  document.addEventListener("contextmenu", (event) => {
    if (event.target instanceof Element && event.target.closest(".analysis .board")) event.preventDefault();
  });

  const actions = {
    pick, picks, play, show, lookAt: look, erase, main, onMark, switchMarks, switchValues, flip, setUp, download, address, isMain,
    focusOn: (/** @type {string} */ name) => change({ focus: name }),
    clear: () => {
      board.shown.marks = [];
      change({ begun: null });
      follow();
    },
    choose: (/** @type {string} */ game) => begin({ game }).then(() => change({ tab: board.tab })),
    openTab: (/** @type {Tab} */ tab) => change({ tab }),
    toggleNumbers: () => change({ numbers: !board.numbers }),
    useColour: (/** @type {import("./marks.js").Colour} */ colour) => change({ colour }),
  };

  return {
    title: text.title,
    enter,
    board,
    actions,
    view: () => {
      const game = info();
      return game && analysisView(app, board, game, table(game), actions);
    },
  };
}

/** Something that somebody has to be told. */
class Wrong extends Error {}

/**
 * The moves in a text, as people write them.
 * @param {string} pasted
 * @param {GameInfo} game
 */
function wordsIn(pasted, game) {
  const plain = pasted.replace(/\{[^}]*\}|\([^)]*\)|\$\d+|\b\d+\s*\.+|(?:^|\s)(?:1-0|0-1|1\/2-1\/2|\*)(?=\s|$)/g, " ");
  const words = plain.split(/[\s,]+/).filter(Boolean).map((word) => word.replace(/[!?]+$/, ""));
  const short = game.layout.flat().every((name) => name.length === 1); // then people write all in one word
  return short ? words.flatMap((word) => [...word]) : words;
}
