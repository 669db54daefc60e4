"use strict";
// Everything is in the page: this script asks nobody for anything. Names come from strangers, so it writes text only.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const RESULTS = { first: "1 - 0", second: "0 - 1", draw: "½ - ½" };
let shown = []; // the games in the list
let game = null; // the game in the viewer
let ply = 0;

function element(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// The board after `count` moves, as an array of characters, and the cells that the last of them changed.
function boardAfter(count) {
  const cells = [...data.start];
  let changed = [];
  for (const step of game.steps.slice(0, count)) {
    changed = [];
    for (const [at, character] of step) {
      cells[at] = character;
      changed.push(at);
    }
  }
  return { cells, changed };
}

function shape(tag, attributes, parent) {
  const made = document.createElementNS(byId("board").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  parent.append(made);
  return made;
}

// The pieces are in the page already, each once; a board shows copies of them in their places.
function drawBoard() {
  const board = byId("board");
  if (!board) return; // the game is not installed where the page was made
  const { cells, changed } = boardAfter(ply);
  const line = ply === game.moves.length ? game.line : [];
  byId("pieces").replaceChildren();
  byId("marks").replaceChildren();
  cells.forEach((character, at) => {
    if (data.places[at] === null) return;
    const [x, y, kind] = data.places[at];
    const id = `${kind}-${Array.from(character, (each) => each.codePointAt(0)).join("-")}`;
    if (byId(id)) shape("use", { href: `#${id}`, x, y, class: "piece", "data-cell": data.names[at], "data-symbol": character }, byId("pieces"));
    else if (character === "." && data.named === false && data.names[at]) {
      shape("text", { x: x - 12, y: y - 12, dy: "0.35em", class: "name" }, byId("pieces")).textContent = data.names[at];
    }
    if (line.includes(at)) shape("circle", { cx: x, cy: y, r: 18, class: "won", "data-cell": data.names[at] }, byId("marks"));
    else if (changed.includes(at)) shape("circle", { cx: x, cy: y, r: 19, class: "new", "data-cell": data.names[at] }, byId("marks"));
  });
  const rows = [];
  for (let at = 0; at < cells.length; at += data.columns) rows.push(cells.slice(at, at + data.columns).join(" "));
  const won = line.length ? " The winning line is marked." : "";
  board.setAttribute("aria-label", `The board after ${ply} moves: ${rows.join(", ")}.${won}`);
}

function status() {
  const names = data.players;
  if (ply === 0) return `Start. ${names[game.first]} has ${data.styles[0]}, ${names[game.second]} ${data.styles[1]}.`;
  const player = names[game.sides[ply - 1] === "1" ? game.second : game.first];
  const words = `Move ${ply} of ${game.moves.length}: ${player} plays ${game.moves[ply - 1]}`;
  const note = game.notes[ply - 1] ? ` (note: ${game.notes[ply - 1]})` : "";
  if (ply < game.moves.length) return words + (ply <= game.opening ? ", of the opening." : `${note}.`);
  return `${words}${note}. ${RESULTS[game.result] ?? "No result"}: ${game.reason}.`;
}

function show(number) {
  ply = Math.max(0, Math.min(number, game.moves.length));
  drawBoard();
  byId("status").textContent = status();
  byId("back").disabled = byId("begin").disabled = ply === 0;
  byId("forward").disabled = byId("end").disabled = ply === game.moves.length;
  for (const [index, each] of [...byId("moves").children].entries()) {
    if (index + 1 === ply) {
      each.setAttribute("aria-current", "step");
      each.parentElement.scrollTop = each.offsetTop - each.parentElement.offsetTop - 60;
    } else each.removeAttribute("aria-current");
  }
}

function open(number) {
  game = data.games.find((each) => each.game === number) ?? null;
  byId("viewer").hidden = game === null;
  for (const row of document.querySelectorAll("#list tbody tr")) {
    row.classList.toggle("chosen", Number(row.dataset.game) === number);
  }
  if (game === null) return;
  const title = byId("match");
  title.replaceChildren(`Game ${game.game}: `);
  element("bdi", data.players[game.first], title);
  title.append(" against ");
  element("bdi", data.players[game.second], title);
  const moves = byId("moves");
  moves.replaceChildren();
  game.moves.forEach((name, index) => {
    const item = element("li", "", moves);
    if (index < game.opening) item.classList.add("opening");
    element("button", `${index + 1}. ${name}`, item).addEventListener("click", () => show(index + 1));
  });
  showFailure(game.failure);
  byId("review").hidden = !game.review;
  byId("review").querySelector("code").textContent = game.review;
  show(game.moves.length);
}

// What is known of a failure, each part of it as text in an element of its own.
function showFailure(failure) {
  const shown = byId("failure");
  shown.hidden = failure === null;
  shown.replaceChildren();
  if (failure === null) return;
  element("p", failure.words, shown);
  const parts = { Traceback: failure.traceback, "Its answer": failure.answer, "The end of its stderr": failure.stderr,
    "To ask it again": failure.again };
  for (const [title, text] of Object.entries(parts)) {
    if (!text.trim()) continue;
    element("p", `${title}:`, shown).className = "small";
    element("pre", text, shown).tabIndex = 0; // keys must be able to scroll it
  }
}

// `#game-17` is a game, `#player-3` all games of the third player.
function follow() {
  const found = /^#(game|player)-(\d+)$/.exec(location.hash);
  const player = found?.[1] === "player" ? Number(found[2]) - 1 : null;
  if (player !== null && player in data.players) list(player);
  if (found?.[1] === "game") {
    if (shown.every((each) => each.game !== Number(found[2]))) list(null);
    open(Number(found[2]));
  } else if (player !== null) {
    open(shown[0]?.game ?? 0);
  }
  if (found) byId(game ? "viewer" : "games").scrollIntoView();
}

function list(player) {
  byId("player").value = player ?? "";
  shown = data.games.filter((each) => player === null || each.first === player || each.second === player);
  const body = document.querySelector("#list tbody");
  body.replaceChildren();
  for (const each of shown) {
    const row = element("tr", "", body);
    row.dataset.game = String(each.game);
    const link = element("a", String(each.game), element("td", "", row));
    link.href = `#game-${each.game}`;
    element("td", String(each.round), row);
    for (const side of [each.first, each.second]) element("bdi", data.players[side], element("td", "", row));
    element("td", RESULTS[each.result] ?? "-", row);
    element("td", each.reason, row);
    element("td", String(each.moves.length), row);
  }
}

function onKey(event) {
  if (game === null || event.target instanceof HTMLSelectElement) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = shown.indexOf(game);
  const keys = {
    ArrowLeft: () => show(ply - 1),
    ArrowRight: () => show(ply + 1),
    Home: () => show(0),
    End: () => show(game.moves.length),
    ArrowUp: () => at > 0 && (location.hash = `game-${shown[at - 1].game}`),
    ArrowDown: () => at >= 0 && at + 1 < shown.length && (location.hash = `game-${shown[at + 1].game}`),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

data.players.forEach((name, index) => (element("option", name, byId("player")).value = String(index)));
byId("player").addEventListener("change", (event) => {
  list(event.target.value === "" ? null : Number(event.target.value));
});
byId("begin").addEventListener("click", () => show(0));
byId("back").addEventListener("click", () => show(ply - 1));
byId("forward").addEventListener("click", () => show(ply + 1));
byId("end").addEventListener("click", () => show(game.moves.length));
document.addEventListener("keydown", onKey);
addEventListener("hashchange", follow);
list(null);
follow();
