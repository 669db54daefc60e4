// A class as its teacher sees it: who is here, who plays, what each student has done; what needs the teacher; the simul.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { act, now, set, unfold } from "./class_state.js";
import { classText as own } from "./class_texts.js";
import { CONTROLS } from "./clock.js";
import { nameOf } from "./games.js";
import { formOf } from "./lobby.js";
import { isLoopback, linkBox, qrOf } from "./link_box.js";
import { liveBoard } from "./liveboards.js";
import { begins } from "./next_board.js";
import { slide } from "./sliding.js";
import { called, formOf as ticks, person } from "./standings.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./class_state.js").Shown} Shown
 * @typedef {import("./class_state.js").Student} Student
 * @typedef {import("./class_state.js").One} One
 * @typedef {import("./class_state.js").Playing} Playing
 */

/** How many boards of the simul are shown small. */
const SMALL = 6;

/** Below the table of so few students there is room for their boards. */
const SHORT = 12;

/** How many names are told of those who have not joined. */
const NAMES = 4;

/** So many students have room on a projector in one column, two or three; and in a column so many with what they do. */
const [COLUMNS, ROWS] = [[10, 24, 36], 12];

/** What a student does, the most pressing first. */
const ORDER = ["waits", "plays", "here", "away", "never"];

/** The wall, once it is wanted. @type {import("./tournament.js").Screen | null} */
let wall = null;

/**
 * What the person of a student does just now.
 * @param {Student} student
 * @returns {"waits" | "plays" | "here" | "away" | "never"}
 */
function doing({ person: one }) {
  if (!one) return "never";
  if (one.here && one.games.some(({ waiting, opponent }) => !waiting && opponent)) return "plays";
  if (one.here && one.games.some(({ waiting }) => waiting)) return "waits";
  return one.here ? "here" : "away";
}

/**
 * The boards on which the teacher plays a student, those that are under way.
 * @param {App} app
 * @param {Student[]} students
 * @returns {{student: Student, game: Playing}[]}
 */
function boardsOf(app, students) {
  return students.flatMap((student) => (student.person?.games ?? []).filter(({ opponent }) => opponent?.id === app.me?.id).map((game) => ({ student, game })));
}

/**
 * The boards on which students play each other or somebody else, each once.
 * @param {App} app
 * @param {Student[]} students
 * @returns {{student: Student, game: Playing}[]}
 */
function amongThem(app, students) {
  const all = students.flatMap((student) => (student.person?.games ?? []).filter(({ opponent, waiting }) => opponent && !waiting && opponent.id !== app.me?.id).map((game) => ({ student, game })));
  return all.filter(({ game }, index) => all.findIndex((one) => one.game.room === game.room) === index);
}

/**
 * @param {Page} page
 * @param {Shown} shown
 * @param {Student[]} students
 */
export function teacherView(page, shown, students) {
  const { app } = page;
  const query = new URLSearchParams(location.search);
  if (query.has("wall")) return wallView(page, shown, students);
  wall?.leave();
  if (query.has("present")) return projected(app, shown, students);
  const mine = boardsOf(app, students);
  const others = students.length <= SHORT ? amongThem(app, students) : [];
  const rooms = mine.map(({ game }) => game.room);
  now.boards?.want([...rooms, ...others.map(({ game }) => game.room)], SMALL + others.length, { spare: rooms });
  return html`<div class="tournament klass">
    ${head(shown, students)}
    ${now.problem ? html`<p class="error" role="alert">${now.problem}</p>` : nothing}
    ${now.unfolded === "link" ? html`<section class="panel t-link">${linkBox(app, { link: linkOf(), label: own.link, open: true })}</section>` : nothing}
    ${now.unfolded === "settings" ? settings(shown) : nothing}
    <div class="k-columns">
      <div class="k-left">${roster(page, shown, students)} ${others.length ? theirBoards(app, others) : nothing}</div>
      <div class="t-right">${needs(page, students, mine)} ${simul(page, students, mine)}</div>
    </div>
  </div>`;
}

/**
 * What a class sees on a projector: the link, who has joined, and what they do.
 * @param {App} app
 * @param {Shown} shown
 * @param {Student[]} students
 */
function projected(app, shown, students) {
  const order = new Map(ORDER.map((kind, index) => [kind, index]));
  const sorted = students.toSorted((one, other) => (order.get(doing(one)) ?? 0) - (order.get(doing(other)) ?? 0));
  const columns = COLUMNS.findIndex((most) => students.length <= most) + 1 || COLUMNS.length;
  const rows = Math.ceil(students.length / columns);
  const few = students.filter(({ person: one }) => one).length < students.length / 2;
  return html`<div class="klass k-projected ${few ? "joining" : ""}">
    ${counted(shown, students)}
    <section class="panel k-link"><span>${own.joinBy}</span><b>${linkOf().replace(/^https?:\/\//, "").split("/").map((part, index) => html`${index ? "/" : nothing}<wbr />${part}`)}</b>${qrOf(app, linkOf())}</section>
    <section class="panel"><h2 class="spoken">${own.roster}</h2><ul class="${columns > 1 ? "many" : ""} ${rows > ROWS ? "dense" : ""}" .style=${`--columns: ${columns}; --rows: ${rows}`}>
      ${repeat(sorted, ({ name }) => name, (student) => html`<li class="k-${doing(student)}">${sign(student)}<bdi>${student.name}</bdi><span class="k-now">${doings(doing(student), student.person)}</span></li>`)}
    </ul></section>
  </div>`;
}

/** The link by which students join. */
const linkOf = () => location.origin + location.pathname;

/** @param {"link" | "settings"} which */
const turn = (which) => () => set({ unfolded: now.unfolded === which ? null : which });

/**
 * @param {Shown} shown
 * @param {Student[]} students
 */
function head({ listing }, students) {
  return html`<div class="t-head">
    ${counted({ listing }, students)}
    <div class="k-join"><span class="note small">${own.joinBy}</span><b>${linkOf().replace(/^https?:\/\//, "")}</b></div>
    <div class="acts">
      <button aria-expanded=${now.unfolded === "link" ? "true" : "false"} @click=${turn("link")}>${isLoopback() ? own.justLink : own.qr}</button>
      <a class="button k-present" href="${location.pathname}?present">${text.projector}</a>
      <a class="button" href="${location.pathname}?wall">${own.wall}</a>
      ${listing.tournament ? html`<a class="button" href="/tournaments/${listing.tournament}">${own.tournament}</a>` : nothing}
      <button aria-expanded=${now.unfolded === "settings" ? "true" : "false"} @click=${turn("settings")}>${own.settings}</button>
    </div>
  </div>`;
}

/**
 * The name of the class, and how many play, are here and are away.
 * @param {Shown} shown
 * @param {Student[]} students
 */
function counted({ listing }, students) {
  const plays = students.filter((student) => doing(student) === "plays").length;
  const here = students.filter((student) => student.person?.here).length - plays;
  const away = students.length - plays - here;
  const dots = /** @type {["plays" | "here" | "away", number][]} */ ([["plays", plays], ["here", here], ["away", away]]);
  return html`<div class="k-name"><h1><bdi>${listing.title}</bdi></h1><p class="note">${own.students(listing.names)}</p></div>
    <div class="k-counts" role="img" aria-label=${own.counts(plays, here, away)}>
      <div class="k-dots">${dots.map(([kind, count]) => Array.from({ length: count }, () => html`<i class="presence is-${kind}"></i>`))}</div>
      <p class="k-legend">${dots.map(([kind, count]) => html`<span><i class="presence is-${kind}"></i><b>${count}</b> ${own[kind]}</span>`)}</p>
    </div>`;
}

// the table

/**
 * @param {Page} page
 * @param {Shown} shown
 * @param {Student[]} students
 */
function roster(page, { solves }, students) {
  const order = new Map(ORDER.map((kind, index) => [kind, index]));
  const rank = (/** @type {Student} */ student) => (student.person?.asks ? -1 : order.get(doing(student)) ?? 0);
  const sorted = students.toSorted((one, other) => rank(one) - rank(other));
  slide(".k-roster tbody");
  return html`<section class="panel standings k-roster">
    <div class="t-bar"><h2>${own.roster}</h2><span class="note small">${own.sortedHere}</span></div>
    <table>
      <thead><tr>
        <th scope="col">${own.student}</th><th scope="col" class="k-now">${own.now}</th><th scope="col" class="k-bot">${own.bot}</th>
        <th scope="col">${own.results}</th><th scope="col">${own.puzzlesOf(solves)}</th><th scope="col" class="k-reviews">${own.reviews}</th>
      </tr></thead>
      ${repeat(sorted, ({ name }) => name, (student) => row(page, student, solves))}
    </table>
  </section>`;
}

/** Whether a student plays, is here or is away. @param {Student} student */
function sign(student) {
  const kind = doing(student);
  const shown = kind === "waits" ? "here" : kind === "never" ? "away" : kind;
  return html`<i class="presence is-${shown}" role="img" aria-label=${own.presence[shown]}></i>`;
}

/**
 * @param {Page} page
 * @param {Student} student
 * @param {number | undefined} solves
 */
function row(page, student, solves) {
  const { name, person: one, bot, puzzles } = student;
  const kind = doing(student);
  const open = now.open === name;
  const games = one ? one.won + one.drawn + one.lost : 0;
  return html`<tbody class="k-${kind} ${one?.asks ? "k-asks" : ""} ${open ? "open" : ""}">
    <tr>
      <th scope="row" class="k-who">
        <button class="bare" aria-expanded=${open ? "true" : "false"} aria-label=${own.more(name)} @click=${() => unfold(open ? null : name)}>
          ${sign(student)}<bdi>${name}</bdi>
        </button>
      </th>
      <td class="k-now">${doings(kind, one)}</td>
      <td class="k-bot">${botOf(bot)}</td>
      <td class="k-results">${one && games ? html`<span>${ticks(one.form)}<span class="sum" role="img" aria-label=${own.recordSpoken(one.won, one.drawn, one.lost)}>${own.record(one.won, one.drawn, one.lost)}</span></span>` : nothing}</td>
      <td class="k-puzzles"><span>${solves ? html`<span class="k-bar" aria-hidden="true"><i .style=${`width: ${Math.min(100, (100 * puzzles) / solves).toFixed(0)}%`}></i></span>` : nothing}<b>${puzzles || (one ? 0 : nothing)}</b></span></td>
      <td class="k-reviews">${one && games ? own.reviewed(one.reviewed, games) : nothing}</td>
    </tr>
    ${open ? html`<tr class="k-more"><td colspan="6">${more(page.app, student)}</td></tr>` : nothing}
  </tbody>`;
}

/** The board of a student that matters: one under way, or one that waits. @param {One | undefined} one */
const boardOf = (one) => one?.games.find(({ waiting }) => !waiting) ?? one?.games[0];

/**
 * @param {ReturnType<typeof doing>} kind
 * @param {One | undefined} one
 */
function doings(kind, one) {
  if (!one) return html`<span class="note">${own.never}</span>`;
  const game = boardOf(one);
  if (one.asks) return html`<b>${own.asks}</b>`;
  if (kind === "plays" && game?.opponent) {
    return html`<a href="/rooms/${game.room}">${own.against(game.name ?? nameOf(game.opponent), game.ply)}</a>`;
  }
  if (kind === "waits" && game) return html`<a href="/rooms/${game.room}">${own.waits}</a>`;
  return html`<span class="note">${kind === "here" ? (one.reads ? own.reads : own.isHere) : own.isAway}</span>`;
}

/** @param {One | undefined} bot */
function botOf(bot) {
  if (!bot?.player) return html`<span class="note" role="img" aria-label=${own.noBotSpoken}>${own.noBot}</span>`;
  const state = bot.games.length && bot.here ? own.botPlays : bot.here ? own.botHere : own.botAway;
  const games = bot.won + bot.drawn + bot.lost;
  return html`<span class=${bot.here ? "good" : "note"}>✓ ${state}</span>${games ? html` <span class="sum">${own.record(bot.won, bot.drawn, bot.lost)}</span>` : nothing}`;
}

/**
 * More about a student: the last games, and what the teacher can do.
 * @param {App} app
 * @param {Student} student
 */
function more(app, { name, person: one, bot }) {
  const { games } = now;
  const free = (/** @type {boolean} */ isBot) => act("leave_class", { name, bot: isBot });
  return html`<div class="k-facts">
    ${one?.player ? html`<p>${own.goesBy}: ${person(one.player, one.player.name)}</p>` : nothing}
    ${bot?.player ? html`<p>${own.bot}: ${person(bot.player, bot.player.name)}</p>` : nothing}
    <h3>${own.games}</h3>
    ${games === null ? html`<p class="note" role="status">${own.loading}</p>` : games.length ? nothing : html`<p class="note">${own.noGames}</p>`}
    <ul>
      ${(games ?? []).slice(0, 12).map((game) => html`<li>
        <a href="/rooms/${game.room}"><b class="result ${game.result}">${own.outcomes[game.result]}</b> ${app.games.get(game.game)?.title ?? game.game}${game.name ? html`, <bdi>${game.name}</bdi>` : nothing}</a>
        ${game.bot ? html`<span class="note">${own.withBot}</span>` : nothing} ${game.reviewed ? html`<span class="note">${own.review}</span>` : nothing}
      </li>`)}
    </ul>
    <div class="acts">
      ${one?.player ? html`<button title=${own.freeHelp} @click=${() => free(false)}>${own.free}</button>` : nothing}
      ${bot?.player ? html`<button @click=${() => free(true)}>${own.freeBot}</button>` : nothing}
      <button @click=${() => act("change_class", { remove: [name] })}>${own.remove}</button>
    </div>
    ${one?.player ? html`<p class="note small">${own.freeHelp}</p>` : nothing}
  </div>`;
}

// what needs the teacher

/**
 * Whether it is the teacher's move, as far as the board has come.
 * @param {App} app
 * @param {string} room
 */
function waitsForMe(app, room) {
  const state = now.boards?.live.get(room)?.state;
  if (!state || state.outcome) return false;
  const side = state.seats.first?.id === app.me?.id ? "first" : "second";
  return state.to_move === side;
}

/**
 * @param {Page} page
 * @param {Student[]} students
 * @param {ReturnType<typeof boardsOf>} mine
 */
function needs({ app }, students, mine) {
  const boards = mine.filter(({ game }) => waitsForMe(app, game.room));
  const waiting = students.filter((student) => doing(student) === "waits");
  const never = students.filter(({ person: one }) => !one?.player);
  const names = (/** @type {Student[]} */ some) => own.some(some.slice(0, NAMES).map(({ name }) => name), Math.max(0, some.length - NAMES));
  const asking = students.filter(({ person: one }) => one?.asks);
  const items = [
    ...asking.map((student) => help(student)),
    boards.length ? html`<li><p><b>${own.boardsWait(boards.length)}</b>${names(boards.map(({ student }) => student))}</p><a class="button now" href="/rooms/${boards[0].game.room}">${own.next}</a></li>` : nothing,
    waiting.length ? html`<li><p><b>${own.opponentsWait(waiting.length)}</b>${names(waiting)}</p></li>` : nothing,
    never.length ? html`<li><p><b>${own.notJoined(never.length)}</b>${names(never)}</p><button @click=${() => set({ unfolded: "link" })}>${own.showLink}</button></li>` : nothing,
  ].filter((item) => item !== nothing);
  return html`<section class="panel k-needs"><h2>${own.needs}</h2>${items.length ? html`<ul>${items}</ul>` : html`<p class="note">${own.nothing}</p>`}</section>`;
}

/** A student who asks for help: to answer opens the board, if there is one. @param {Student} student */
function help({ name, person: one }) {
  const room = boardOf(one)?.room;
  const answer = () => act("answer_help", { name });
  return html`<li><p><b>${own.asksFor(name)}</b></p>${room ? html`<a class="button now" href="/rooms/${room}" @click=${answer}>${own.openBoard}</a>` : html`<button @click=${answer}>${own.answer}</button>`}</li>`;
}

// the simul

/**
 * @param {Page} page
 * @param {Student[]} students
 * @param {ReturnType<typeof boardsOf>} mine
 */
function simul({ app, go }, students, mine) {
  const free = students.filter(({ person: one }) => one?.here && !one.games.some(({ waiting, opponent }) => !waiting && opponent?.kind !== "computer")).length;
  const { game, clock, side, sending } = now.simul;
  const games = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true);
  const chosen = games.some(({ key }) => key === game) ? game : games[0]?.key;
  const choose = (/** @type {Partial<typeof now.simul>} */ changes) => set({ simul: { ...now.simul, ...changes } });
  const value = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).value;
  const start = async (/** @type {Event} */ event) => {
    event.preventDefault();
    choose({ sending: true });
    const control = CONTROLS.get(clock);
    const answer = await act("simul", { game: chosen, side, private: true, ...(control ? { clock: control } : {}) });
    choose({ sending: false });
    if (answer?.rooms?.length > 1) begins();
    if (answer?.rooms?.length) go(`/rooms/${answer.rooms[0]}`);
  };
  return html`<section class="panel k-simul">
    <h2>${own.simul} <span class="note small">${mine.length ? own.underWay(mine.length) : own.simulHelp}</span></h2>
    ${mine.length ? smallBoards(app, mine) : nothing}
    <form @submit=${start}>
      <label><span>${own.game}</span><select @change=${(/** @type {Event} */ event) => choose({ game: value(event) })}>${games.map(({ key, title }) => html`<option value=${key} .selected=${key === chosen}>${title}</option>`)}</select></label>
      <label><span>${own.clock}</span><select @change=${(/** @type {Event} */ event) => choose({ clock: value(event) })}>${[...CONTROLS.keys()].map((name) => html`<option value=${name} .selected=${name === clock}>${name || own.noClock}</option>`)}</select></label>
      <div class="k-side"><span id="k-side">${own.youMove}</span>
        <div class="segments" role="radiogroup" aria-labelledby="k-side">${own.sides.map(([kind, words]) => html`<label><input type="radio" name="side" value=${kind} .checked=${kind === side} @change=${() => choose({ side: kind })} />${words}</label>`)}</div>
      </div>
      <button class=${mine.length ? "" : "main"} ?disabled=${!free || sending}>${free ? own.start(free) : own.nobody}</button>
    </form>
  </section>`;
}

/**
 * @param {App} app
 * @param {ReturnType<typeof amongThem>} others
 */
function theirBoards(app, others) {
  void app.boards; // what is drawn anew when a move has come
  return html`<section class="live-boards" aria-label=${own.boards}>${repeat(others, ({ game }) => game.room, ({ student: { name, person: one }, game }) => {
    const live = now.boards?.live.get(game.room);
    const [mine, other] = [called(name), called(game.name ?? (game.opponent ? nameOf(game.opponent) : ""))];
    const names = live?.state.seats.first?.id === one?.player?.id ? { first: mine, second: other } : { first: other, second: mine };
    return liveBoard(app, live, { room: game.room, game: game.game, names, spoken: own.against(name, game.ply) });
  })}</section>`;
}

/**
 * @param {App} app
 * @param {ReturnType<typeof boardsOf>} mine
 */
function smallBoards(app, mine) {
  void app.boards; // what is drawn anew when a move has come
  const by = new Map(mine.map((one) => [one.game.room, one]));
  const places = (now.boards?.places ?? []).flatMap((room) => by.get(room ?? "") ?? []);
  return html`<div class="k-boards">${repeat(places, ({ game }) => game.room, ({ student, game }) => {
    const live = now.boards?.live.get(game.room);
    const first = live?.state.seats.first?.id !== app.me?.id;
    const names = first ? { first: called(student.name), second: "" } : { first: "", second: called(student.name) };
    return liveBoard(app, live, { room: game.room, game: game.game, names, spoken: own.against(student.name, game.ply), classes: waitsForMe(app, game.room) ? "waits" : "" });
  })}</div>`;
}

// what belongs to the class

/** @param {Shown} shown */
function settings({ listing }) {
  const { title, puzzle_set: puzzleSet = "", tournament = "" } = listing;
  const save = (/** @type {SubmitEvent} */ event) => {
    const form = formOf(event);
    const word = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
    act("change_class", { title: word("title") || title, puzzle_set: word("set"), tournament: word("tournament").split("/").at(-1) });
  };
  const add = async (/** @type {SubmitEvent} */ event) => {
    const target = /** @type {HTMLFormElement} */ (event.target);
    const names = namesIn(formOf(event).get("names"));
    if (names.length && (await act("change_class", { add: names })) !== null) target.reset();
  };
  const sets = now.sets ?? [];
  const known = sets.some(({ set: one }) => one === puzzleSet);
  return html`<section class="panel k-settings">
    <form @submit=${save}>
      <h2>${own.work}</h2>
      <label>${own.rename} <input name="title" .value=${title} maxlength="32" required /></label>
      <label>${own.chooseSet}
        <select name="set">
          <option value="" .selected=${!puzzleSet}>${own.noSet}</option>
          ${sets.map(({ set: one, title: words }) => html`<option value=${one} .selected=${one === puzzleSet}>${words}</option>`)}
          ${puzzleSet && !known ? html`<option value=${puzzleSet} .selected=${true}>${puzzleSet}</option>` : nothing}
        </select>
      </label>
      ${sets.length ? nothing : html`<p class="note small"><a href="/puzzles">${own.makeSet}</a></p>`}
      <label>${own.chooseTournament} <input name="tournament" .value=${tournament} placeholder=${own.noTournament} maxlength="200" spellcheck="false" autocomplete="off" /></label>
      <p class="note small">${own.tournamentHelp} <a href="/compete">${own.openTournament}</a></p>
      <button class="main">${own.save}</button>
    </form>
    <form @submit=${add}>
      <label>${own.add} <textarea name="names" rows="6" spellcheck="false"></textarea></label>
      <button>${own.addThem}</button>
      ${now.asking === "delete"
        ? html`<p>${own.deleteAsk}</p><div class="both"><button type="button" class="main" @click=${remove}>${text.yes}</button><button type="button" @click=${() => set({ asking: null })}>${text.no}</button></div>`
        : html`<button type="button" class="bare" @click=${() => set({ asking: "delete" })}>${own.delete}</button>`}
    </form>
  </section>`;
}

async function remove() {
  if ((await act("delete_class")) !== null) location.assign("/classes");
}

/** The names in a field, one on each line, as they are written in most lists. @param {FormDataEntryValue | null} typed */
export function namesIn(typed) {
  return String(typed ?? "").split(/\n/).map((name) => name.trim().replace(/\s+/g, " ")).filter(Boolean);
}

// the wall

/**
 * All boards of the class under way, on the wall of a tournament.
 * @param {Page} page
 * @param {Shown} shown
 * @param {Student[]} students
 */
function wallView(page, shown, students) {
  const { boards } = now;
  if (wall === null) {
    Promise.all([page.loaded(import("./wall.js")), page.styled("screens.css")]).then(([module]) => {
      wall = module.screen;
      page.app.actions.redraw();
    });
    return nothing;
  }
  if (!boards) return nothing;
  const all = asTournament(shown, students, boards);
  wall.changed(all, page);
  wall.want(all, boards);
  const names = new Map(/** @type {[string, string][]} */ (students.flatMap(({ name, person: one, bot }) => [...(one?.player ? [[one.player.id, name]] : []), ...(bot?.player ? [[bot.player.id, own.botOf(name)]] : [])])));
  return wall.view(page.app, all, (player) => names.get(player.id) ?? nameOf(player), boards);
}

/**
 * The class as a tournament under way, each game once. Who has which side is known once the board has come.
 * @param {Shown} shown
 * @param {Student[]} students
 * @param {import("./liveboards.js").LiveBoards} boards
 * @returns {import("./tournament.js").Shown}
 */
function asTournament({ listing }, students, boards) {
  /** @type {Map<string, any>} */
  const games = new Map();
  for (const { person: one, bot } of students) {
    for (const each of [one, bot]) {
      for (const { room, game, opponent, waiting } of each?.games ?? []) {
        if (waiting || !opponent || !each?.player || games.has(room)) continue;
        const [first, second] = boards.live.get(room)?.state.seats.first?.id === opponent.id ? [opponent, each.player] : [each.player, opponent];
        games.set(room, { room, game, round: 1, first, second, points: null });
      }
    }
  }
  const terms = { name: listing.title, by: listing.by, status: "running", game: [...games.values()][0]?.game ?? "" };
  return /** @type {any} */ ({ tournament: terms, games: [...games.values()], standings: [] });
}
