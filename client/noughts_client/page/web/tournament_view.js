// What a tournament looks like: its terms, what one can do, the standings, the games with their boards, the cross table.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, markOf } from "./board.js";
import { opensAt } from "./called.js";
import { competeText as own } from "./compete_texts.js";
import { nameOf, personOf } from "./games.js";
import { position } from "./home.js";
import { formOf as fieldsOf } from "./lobby.js";
import { copy, shareButton } from "./link.js";
import { isLoopback, linkBox } from "./link_box.js";
import { escaped, opened } from "./panels.js";
import { toggleSound } from "./listening.js";
import { text } from "./room_texts.js";
import { slide } from "./sliding.js";
import { called, crossTable, formOf, half, hasRounds, haveMoved, hung, kindOf, moved, person, ring, roundRings } from "./standings.js";
import { boardOf, crowned, earlier, entered, inWords, lastGame, podium, squared, unopposed, when, winners } from "./tournament_parts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./liveboards.js").LiveBoards} LiveBoards
 * @typedef {import("./standings.js").Names} Names
 * @typedef {import("./tournament.js").Player} Player
 * @typedef {import("./tournament.js").Shown} Shown
 * @typedef {import("./tournament.js").Row} Row
 * @typedef {import("./tournament.js").Game} Game
 * @typedef {import("./tournament.js").Act} Act
 * @typedef {import("./tournament.js").Now} Now
 * @typedef {{now: Now, boards: LiveBoards, page: import("./app.js").Page, act: (type: string, fields?: Record<string, unknown>) => Promise<void>,
 *            set: (changes: Partial<Now>) => void, load: () => Promise<void>}} Doing what is shown, and what a click does
 */

/** Below the standings of so few the pairings have room. */
const FEW = 10;

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Doing} doing
 */
export function tournamentView(app, shown, names, doing) {
  const last = lastGame(shown);
  const { status } = shown.tournament;
  const few = status === "running" && shown.standings.length <= FEW;
  return html`<div class="tournament">
    ${band(app, shown, names, doing)} ${heading(app, shown, doing)} ${organising(app, shown, names, doing)}
    ${podium(shown, names, app.me?.id, { board: last && boardOf(app, shown, names, doing.boards, last), acts: actions(app, shown, doing) })}
    ${doing.now.link ? html`<section class="panel t-link">${linkBox(app, { link: location.origin + location.pathname, label: own.link, open: true })}</section>` : nothing}
    <div class="t-columns ${status} ${few ? "few" : ""} ${doing.now.manages ? "manages" : ""}">
      <div class="t-left">${table(app, shown, names, doing)} ${few ? pairings(app, shown, names, doing) : nothing}</div>
      <div class="t-right">${liveView(app, shown, names, doing.boards)} ${few ? nothing : pairings(app, shown, names, doing)} ${acts(shown, names)} ${status === "open" ? before(app, shown) : mayCome(shown.tournament) ? bots(app, shown, "panel") : nothing}</div>
    </div>
  </div>`;
}

/**
 * "You play X now", with the way to the board.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Doing} doing
 */
function band(app, { games, standings, tournament: { game: key, status } }, names, { page }) {
  const mine = status === "running" && games.find(({ first, second, points }) => points === null && (first.id === app.me?.id || second.id === app.me?.id));
  if (!mine) return nothing;
  const side = mine.first.id === app.me?.id ? "first" : "second";
  const other = side === "first" ? mine.second : mine.first;
  const game = app.games.get(key);
  const at = opensAt(mine.room);
  const last = standings.some(({ player, withdrawn }) => player.id === app.me?.id && withdrawn);
  return html`<section class="call-band" aria-label=${own.yourGame}>
    ${at === null ? html`<span class="here"></span>` : html`<span class="left">${ring(1, nothing, "opening")}<span data-until=${at} aria-hidden="true"></span></span>`}
    <div>
      <h2>${own.youPlay(names(other))}</h2>
      <p>${own.where(mine.round, mine.board)} ${game ? html`${own.youAre} ${markOf(game, side)} ${own.andMove(game.sides[side].name, side)}` : nothing} ${at === null ? nothing : own.opensItself} ${last ? own.lastGame : nothing}</p>
    </div>
    <a class="button go" href="/rooms/${mine.room}" @click=${() => page.change({ notice: null })}>${own.toBoard}</a>
  </section>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Doing} doing
 */
function heading(app, shown, doing) {
  const { tournament: terms, standings } = shown;
  return html`<div class="t-head">
    <div class="t-name">
      <h1><bdi>${terms.name}</bdi></h1>
      <p class="note">${inWords(app, terms)} · ${entered(standings, terms)} · ${own.by} ${personOf(terms.by)}</p>
      ${terms.format === "ladder" && terms.status === "running" ? html`<p class="note">${own.ladder}</p>` : nothing}
    </div>
    ${crowned(shown) ? nothing : html`${roundRings(shown, false)} ${when(shown)} ${actions(app, shown, doing)}`}
  </div>`;
}

/**
 * @param {string} label
 * @param {() => void} press
 * @param {string} [kind]
 */
const button = (label, press, kind = "") => html`<button class=${kind} @click=${press}>${label}</button>`;

/**
 * What everybody can do: enter, pass the link on, and what is in a menu.
 * @param {App} app
 * @param {Shown} shown
 * @param {Doing} doing
 */
function actions(app, shown, { now, page, act, set }) {
  const { tournament: terms, standings } = shown;
  const link = location.origin + location.pathname;
  const { status, format, by, name, round, registered, rated } = terms;
  const row = standings.find(({ player }) => player.id === app.me?.id);
  const entered = row !== undefined && !row.withdrawn;
  const mayEnter = mayCome(terms) && format !== "ladder" && !entered && row?.withdrawn !== "removed" && !app.may;
  const over = status === "finished";
  const close = (/** @type {Event} */ event) => /** @type {Element} */ (event.currentTarget).closest("details")?.removeAttribute("open");
  return html`<div class="acts">
    ${mayEnter ? entering(app, registered || rated, act, set, by.id === app.me?.id && status === "open") : nothing}
    ${entered && status === "open" ? button(own.withdraw, () => void act("withdraw")) : nothing}
    ${crowned(shown) ? shareButton(link, name, "main", { says: own.shareResult, about: [name, winners(shown)].filter(Boolean).join(": ") }) : nothing}
    ${over || status === "open" ? nothing : shareButton(link, name)}
    ${over || status === "open" ? nothing : html`<button aria-expanded=${now.link ? "true" : "false"} @click=${() => set({ link: !now.link })}>${isLoopback() ? own.justLink : own.qr}</button>`}
    <details class="t-menu" @toggle=${opened} @keydown=${escaped}>
      <summary class="button">${text.more}</summary>
      <div class="panel" @click=${close}>
        <a class="button" href="${location.pathname}?present">${text.projector}</a>
        ${over ? nothing : html`<a class="button" href="${location.pathname}?wall">${own.wall}</a>`}
        ${over || rated || by.id !== app.me?.id
          ? nothing
          : html`<a class="button" href="${location.pathname}?present&values">${own.projectorValues}</a><a class="button" href="${location.pathname}?wall&values">${own.wallValues}</a>`}
        <label class="switch">${text.sound} <input type="checkbox" .checked=${page.app.sound} @change=${() => toggleSound(page)} /></label>
        ${round ? own.files(format).map(([suffix, words]) => html`<a class="button" href="${location.pathname}.${suffix}" download>${words}</a>`) : nothing}
        ${entered && status === "running" ? button(own.withdraw, () => set({ asking: "withdraw" }), "ends") : nothing}
        ${over || by.id !== app.me?.id ? nothing : button(own.end, () => set({ asking: "end" }), "ends")}
      </div>
    </details>
  </div>`;
}

/**
 * The way in; somebody without a name can choose one first, and must where only those with names can enter.
 * @param {App} app
 * @param {boolean} named
 * @param {Doing["act"]} act
 * @param {Doing["set"]} set
 * @param {boolean} starts whether the first button is another, to start it
 */
function entering(app, named, act, set, starts) {
  if (app.me?.registered) return button(own.enter, () => act("enter_tournament"), starts ? "next" : "main");
  const enter = async (/** @type {SubmitEvent} */ event) => {
    const name = String(fieldsOf(event).get("name")).trim();
    if (name && name !== app.me?.name) {
      await app.actions.register(event);
      if (!app.me?.registered) return set({ problem: app.error });
    }
    await act("enter_tournament");
  };
  const select = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select(); // to type another at once
  return html`<form class="t-enter" @submit=${enter}>
    <input name="name" aria-label=${own.yourName} placeholder=${own.yourName} value=${named ? nothing : app.me?.name ?? nothing} @focus=${select} ?required=${named} maxlength="32" autocomplete="nickname" />
    <button class="main">${own.enter}</button>
  </form>`;
}

/**
 * What the organiser can do, what is to be confirmed, and what went wrong.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Doing} doing
 */
function organising(app, shown, names, { now, act, set, load }) {
  const { tournament: { status, format, by, round }, paused, standings, games } = shown;
  const { asking } = now;
  const start = async () => {
    await load(); // who is here is asked for only now and then
    return now.shown && awayOf(now.shown) ? set({ asking: "start" }) : act("start_tournament");
  };
  const problem = now.problem ? html`<p class="error" role="alert">${now.problem}</p>` : nothing;
  if (asking !== null) {
    const removed = typeof asking === "object" ? standings.find(({ player }) => player.id === asking.remove) : undefined;
    const [question, yes, label = text.yes] =
      asking === "start" ? [own.startAsk(awayOf(shown)), () => act("start_tournament")]
      : asking === "end" ? [own.endAsk, () => act("end_tournament"), own.endYes]
      : asking === "withdraw" ? [own.withdrawAsk, () => act("withdraw")]
      : [own[status === "open" ? "removeOpenAsk" : "removeAsk"](removed ? names(removed.player) : ""), () => act("withdraw", { player: asking.remove })];
    return html`<div class="acts panel ask"><p>${question}</p>${button(label, yes, asking === "start" ? "main" : "ends")} ${button(text.no, () => set({ asking: null }))}</div>`;
  }
  const me = standings.find(({ player }) => player.id === app.me?.id);
  const waits = me && !me.withdrawn && (status === "open" || (status === "running" && games.every(({ points, first, second }) => points || (first.id !== app.me?.id && second.id !== app.me?.id))));
  const out = status === "running" && round && hasRounds(format) && !games.some(({ first, second }) => first.id === app.me?.id || second.id === app.me?.id);
  const note = waits ? html`<span class="note small">${out ? own.sitsOut(round) : own.entered}</span>` : nothing;
  if (by.id !== app.me?.id || status === "finished") return html`${problem} ${waits ? html`<p>${note}</p>` : nothing}`;
  const between = hasRounds(format) && games.every(({ points }) => points);
  if (status === "open" && !standings.length) return problem; // nobody is there to start it with
  const goOn = () => act(paused ? "resume_tournament" : "pause_tournament");
  return html`${problem}
    <div class="acts">
      ${status === "open"
        ? button(own.start, () => void start(), standings.length > 1 ? "main" : "")
        : button(paused ? (between ? own.pairNext : own.resume) : !hasRounds(format) ? own.pause : own.pauseAfter, goOn, paused ? "main" : "")}
      <button aria-pressed=${now.manages ? "true" : "false"} @click=${() => set({ manages: !now.manages, deciding: null })}>${status === "open" ? own.manageOpen : own.manage}</button>
      ${note}
    </div>`;
}

/**
 * How many entrants are away, as far as it is known.
 * @param {Shown} shown
 */
function awayOf({ standings, here }) {
  return here ? standings.filter(({ number, withdrawn }) => !withdrawn && !here.includes(number)).length : 0;
}

/**
 * Before the start: what is to come.
 * @param {App} app
 * @param {Shown} shown
 */
function before(app, shown) {
  const { format, by, game: key, clock } = shown.tournament;
  const game = app.games.get(key);
  return html`<section class="panel t-before">
    <div class="picture" aria-hidden="true">${game ? board({ ...position(app, game), game }) : nothing}</div>
    <div class="says">
      <h2>${own.howItGoes}</h2>
      <p>${own.help[format]}</p>
      ${clock && "initial_s" in clock ? html`<p>${own.clockIs(clock.initial_s ?? 0, clock.increment_s ?? 0)}</p>` : nothing}
      <p class="note">${by.id === app.me?.id ? own.youStart : own.keepOpen}</p>
    </div>
    ${linkBox(app, { link: location.origin + location.pathname, label: own.link, open: true, quiet: by.id !== app.me?.id || shown.standings.length > 1 })} ${bots(app, shown)}
  </section>`;
}

/**
 * Whether somebody may enter now.
 * @param {import("./tournament.js").Terms} terms
 */
function mayCome({ status, format, round, rounds }) {
  return status === "open" || (status === "running" && (["arena", "ladder"].includes(format) || (format === "swiss" && 2 * round <= (rounds ?? 0))));
}

/**
 * The command by which a bot enters, where bots may.
 * @param {App} app
 * @param {Shown} shown
 * @param {string} [kind] the class of what is around it
 */
function bots(app, { tournament: { tournament: id, kinds, registered, rated, format } }, kind = "") {
  if (kinds === "people") return nothing;
  const who = registered || rated || format === "ladder" ? "--token TOKEN" : "--name NAME";
  const command = `noughts bot my_bot.py --url ${app.connection.url} ${who} --tournament ${id}`;
  return html`<details class="link ${kind}">
    <summary>${own.botEnters}</summary>
    <div class="row"><code class="command">${command}</code><button type="button" @click=${(/** @type {Event} */ event) => copy(event, command)}>${text.copy}</button></div>
  </details>`;
}

/**
 * Tabs, of which one is chosen.
 * @template T
 * @param {string} label
 * @param {[T, string][]} all
 * @param {T} chosen
 * @param {(tab: T) => void} choose
 */
function tabs(label, all, chosen, choose) {
  return html`<div class="t-tabs" role="radiogroup" aria-label=${label}>
    ${all.map(([tab, words]) => html`<label><input type="radio" name=${label} .checked=${tab === chosen} @change=${() => choose(tab)} />${words}</label>`)}
  </div>`;
}

/**
 * The standings, or the cross table.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Doing} doing
 */
function table(app, shown, names, doing) {
  const { now, set, load } = doing;
  const { tournament: { status, round }, standings: rows, more } = shown;
  const tab = now.tab ?? (squared(shown) && rows.some(({ results }) => results) ? "cross" : "standings");
  const begun = status !== "open";
  if (!rows.length) return html`<p class="empty">${own.nobody}</p>`;
  const choose = (/** @type {"standings" | "cross"} */ tab) => {
    set({ tab });
    if (tab === "cross") load();
  };
  const next = () => {
    now.rows = more ?? 0;
    load();
  };
  return html`<section class="panel standings">
    ${begun
      ? html`<div class="t-bar">
          ${tabs(own.tables, [["standings", own.standings], ["cross", own.cross]], tab, choose)}
          ${haveMoved(rows) && tab === "standings" && status === "running" ? html`<span class="note small">${own.since(round - 1)}</span>` : nothing}
        </div>`
      : html`<h2>${own.entrants}</h2>`}
    ${tab === "cross" && begun ? crossTable(shown, names, app.me?.id) : standings(app, shown, names, begun, doing)}
    ${more === undefined ? nothing : html`<p><button @click=${next}>${own.more}</button></p>`}
  </section>`;
}

/** From so many games on a performance says something. */
const PERFORMS = 3;

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {boolean} begun
 * @param {Doing} doing
 */
function standings(app, { tournament: { format }, standings: rows, games, here }, names, begun, { now, set }) {
  const present = here && new Set(here);
  const playing = new Set(games.flatMap(({ points, first, second }) => (points ? [] : [first.id, second.id])));
  const moves = begun && hasRounds(format) && haveMoved(rows);
  slide(".standings tbody tr");
  const ties = begun ? own.ties.filter(([key]) => (key !== "performance" || format === "arena") && rows.some((row) => row[key] !== undefined)) : [];
  return html`<div class="rows-of" tabindex="0" role="region" aria-label=${begun ? own.standings : own.entrants}>
    <table>
      <thead><tr>
        <th class="no">#</th>${moves ? html`<th class="moves"><span class="spoken">${own.change}</span></th>` : nothing}<th class="entrant">${own.player}</th>
        ${begun ? html`<th class="form"><abbr title=${own.formIs}>${own.form}</abbr></th><th class="points">${own.points}</th>${ties.map(([, name, short]) => html`<th class="tie"><abbr title=${name}>${short}</abbr></th>`)}` : nothing}
        ${now.manages ? html`<th><span class="spoken">${own.manage}</span></th>` : nothing}
      </tr></thead>
      <tbody>
        ${repeat(rows, (row) => row.player.id, (row) => {
          const mine = row.player.id === app.me?.id;
          return html`<tr class="${mine ? "mine" : ""} ${row.withdrawn ? "gone" : ""}">
            <td class="no">${begun ? row.place : row.number}</td>
            ${moves ? html`<td class="moves">${moved(row)}</td>` : nothing}
            <th scope="row" class="entrant"><span class="of">${present ? presence(playing.has(row.player.id) && present.has(row.number) ? "plays" : present.has(row.number) ? "here" : "away") : nothing}${kindOf(row.player)}<span class="named">${person(row.player, names(row.player))}</span>
              ${mine ? html`<span class="note small">${text.you}</span>` : nothing} ${row.withdrawn ? html`<span class="note small">${own[row.withdrawn]}</span>` : nothing}
              ${!begun && row.player.rating !== undefined ? html`<span class="note">${row.player.rating}</span>` : nothing}</span></th>
            ${begun
              ? html`<td class="form">${formOf(row.form)}</td><td class="points">${hung(row.points)}</td>
                  ${ties.map(([key]) => html`<td class="tie">${row[key] === undefined || (key === "performance" && (row.form ?? "").length < PERFORMS) ? "" : key === "performance" ? row[key] : half(row[key])}</td>`)}`
              : nothing}
            ${now.manages ? html`<td class="do">${row.withdrawn || row.player.kind === "computer" ? nothing : html`<button class="bare" aria-label=${own.removeOf(names(row.player))} @click=${() => set({ asking: { remove: row.player.id } })}>${own.remove}</button>`}</td>` : nothing}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

/**
 * Whether somebody is here, for the organiser.
 * @param {"plays" | "here" | "away"} how
 */
function presence(how) {
  return html`<span class="presence is-${how}" role="img" aria-label=${own.presence[how]} title=${own.presence[how]}></span>`;
}

/**
 * The boards of games under way.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {LiveBoards} boards
 */
function liveView(app, shown, names, boards) {
  const games = boards.places.flatMap((room) => shown.games.find((game) => game.room === room) ?? []);
  if (!games.length || shown.tournament.status !== "running") return nothing;
  return html`<section class="live-boards n${games.length}" aria-label=${own.underWayNow}>
    ${repeat(games, ({ room }) => room, (game) => boardOf(app, shown, names, boards, game))}
  </section>`;
}

/**
 * The games of a round, with what the organiser can decide.
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Doing} doing
 */
function pairings(app, shown, names, doing) {
  const { now, set, load } = doing;
  const { tournament: { format, round } } = shown;
  if (!round) return nothing;
  const arena = !hasRounds(format);
  const chosen = now.round ?? round;
  const choose = (/** @type {number} */ number) => {
    set({ round: number === round ? null : number });
    if (number !== round) load();
  };
  const rounds = Array.from({ length: Math.min(round, 4) }, (_, index) => /** @type {[number, string]} */ ([round - index, own.roundNo(round - index)]));
  if (!rounds.some(([number]) => number === chosen)) rounds.push([chosen, own.roundNo(chosen)]);
  const games = chosen === round ? shown.games : earlier(shown, chosen);
  return html`<section class="panel pairings">
    <div class="t-bar">
      ${arena ? html`<h2>${own.games}</h2>` : tabs(own.rounds, rounds, chosen, choose)}
      ${round > 4 && !arena ? html`<select aria-label=${own.earlierRounds} @change=${(/** @type {Event} */ event) => choose(Number(/** @type {HTMLSelectElement} */ (event.target).value))}>
          ${Array.from({ length: round }, (_, index) => html`<option value=${round - index} .selected=${round - index === chosen}>${own.roundNo(round - index)}</option>`)}
        </select>` : own.paired[format] ? html`<span class="note small">${own.paired[format]}</span>` : nothing}
    </div>
    <ul>
      ${repeat(games, ({ room }) => room, (game) => pairing(app, shown, names, game, doing))}
      ${unopposed(shown, chosen).map(({ player, points }) => html`<li><span class="no"></span><span class="alone"><span class="named">${called(names(player))}</span><b class="score">${half(points)}</b></span><span class="how note small">${own.bye}</span></li>`)}
    </ul>
  </section>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {Game} game
 * @param {Doing} doing
 */
function pairing(app, shown, names, game, { now, boards, act, set }) {
  const { room, board, first, second, points, played, adjudicated } = game;
  const row = new Map(shown.standings.map((row) => [row.player.id, row]));
  const mine = first.id === app.me?.id || second.id === app.me?.id;
  const name = (/** @type {Player} */ player, /** @type {number} */ index) => {
    const beats = points && points[index] > points[1 - index];
    const score = html`<small>${row.has(player.id) ? half(/** @type {Row} */ (row.get(player.id)).points) : ""}</small>`;
    return html`<span class="named ${points && !beats && points[0] !== points[1] ? "beaten" : ""}">${index ? nothing : score} ${called(names(player))} ${index ? score : nothing}</span>`;
  };
  const live = boards.live.get(room);
  const how = [
    played === false ? own.noGame : "",
    adjudicated ? own.decided : "",
    points ? "" : shown.tournament.status !== "running" ? own.notCounted : live?.state.ply ? own.move(live.state.ply) : own.playing,
  ].filter(Boolean).join(", ");
  const may = now.manages && shown.tournament.by.id === app.me?.id && shown.tournament.status === "running";
  return html`<li class="${mine ? "mine" : ""} ${points ? "" : "under-way"}">
    <span class="no">${board ?? ""}</span>
    <a href="/rooms/${room}">${name(first, 0)}<b class="score">${points ? html`${half(points[0])}–${half(points[1])}` : "–"}</b>${name(second, 1)}</a>
    <span class="how note small">${points || shown.tournament.status !== "running" ? nothing : html`<i class="dot"></i>`}${how}${adjudicated ? "†" : ""}</span>
    ${may ? (now.deciding === room ? choices(room, act, set) : html`<button class="bare decide" aria-label=${own.decideOf(names(first), names(second))} @click=${() => set({ deciding: room })}>${own.decide}</button>`) : nothing}
  </li>`;
}

/**
 * What the organiser can decide of a game.
 * @param {string} room
 * @param {Doing["act"]} act
 * @param {Doing["set"]} set
 */
function choices(room, act, set) {
  const decide = (/** @type {string} */ result) => () => act("adjudicate", { room, result });
  return html`<span class="choices" role="group" aria-label=${own.decide}>
    ${own.decisions.map(([result, words, spoken]) => html`<button aria-label=${spoken} @click=${decide(result)}>${words}</button>`)}
    <button class="bare" @click=${() => set({ deciding: null })}>${text.cancel}</button>
  </span>`;
}

/**
 * What the organiser has done.
 * @param {Shown} shown
 * @param {Names} names
 */
function acts({ acts, tournament: { by } }, names) {
  if (!acts?.length) return nothing;
  const words = (/** @type {Act} */ { act, player, first, second, points }) =>
    act === "removed" && player ? own.acts.removed(names(player))
    : act === "adjudicated" && first && second && points ? own.acts.adjudicated(names(first), names(second), `${half(points[0])}–${half(points[1])}`)
    : own.acts[/** @type {"paused"} */ (act)];
  return html`<section class="panel t-acts">
    <h2>${own.actsOf(nameOf(by))}</h2>
    <ul>${acts.toReversed().map((act) => html`<li><time class="note" datetime=${act.at}>${new Date(act.at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false })}</time> <span>${words(act)}</span></li>`)}</ul>
  </section>`;
}

