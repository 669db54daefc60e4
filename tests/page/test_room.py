"""A room of the page in a real browser: moves, replay, values, files, keys, and what the server says meanwhile."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gateway.test_http import fetch
from support.browser import BROWSER, PHONE, expect, invite, opened, pick, play_computer, show_values, terms
from support.client import Client, connected
from support.rated import BLITZ
from support.server import ServerProcess, running_page, running_server

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Route, WebSocketRoute

pytestmark = BROWSER


@pytest.fixture
def server(address: str) -> str:
    """The URL for sockets of the server of the page."""
    return f"{address.replace('http://', 'ws://')}/ws"


async def play_all(page: Page, other: Client, room: str, moves: list[str]) -> None:
    """Play a game between the page's player, who is first, and a socket."""
    for turn, move in enumerate(moves):
        if turn % 2:
            await other.ok(type="play", room=room, turn=turn, move=move)
        else:
            await page.get_by_label("Type a move").fill(move)
            await page.keyboard.press("Enter")
        await expect(page.locator(".moves .move")).to_have_count(turn + 1)


def room_of(page: Page) -> str:
    return page.url.partition("?")[0].rsplit("/", 1)[1]


async def reworded(route: Route) -> None:
    """The games of a server that has other words."""
    told = await (await route.fetch()).json()
    told["words"]["endings"]["resignation"] = {"how": "because minimax gave in"}
    await route.fulfill(json=told)


async def none(route: Route) -> None:
    await route.fulfill(json=None)


def older(socket: WebSocketRoute) -> None:
    """A node whose welcome always has games, and that has no words yet."""
    server = socket.connect_to_server()

    def asked(message: str | bytes) -> None:
        request = json.loads(message)
        if "games" in request:
            problem = {"code": "bad_message", "message": "games: unknown field"}
            socket.send(json.dumps({"type": "error", "id": request["id"], **problem}))
        else:
            server.send(message)

    def told(message: str | bytes) -> None:
        known = json.loads(message)
        known.pop("words", None)
        socket.send(json.dumps(known))

    socket.on_message(asked)
    server.on_message(told)


@pytest.mark.parametrize(
    ("sender", "put"),
    [
        ("another server", "You lost because minimax gave in."),
        ("an older node", "You lost because minimax gave in."),
        ("an older server", "You lost by resignation."),
    ],
)
async def test_the_page_says_what_the_server_says(sender: str, put: str, browser: Browser, address: str) -> None:
    async with opened(browser, "about:blank") as page:
        await page.route("**/games.json", none if sender == "an older server" else reworded)
        if sender != "another server":
            await page.context.route_web_socket("**/ws*", older)
        await page.goto(address)
        await play_computer(page, "tictactoe")
        await pick(page, "5")
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator(".status")).to_have_text(put)


async def test_the_first_view_preloads_what_it_loads_and_a_room_loads_the_rest(browser: Browser) -> None:
    async with running_page() as url, opened(browser, "about:blank") as page:
        frames: list[Any] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(json.loads(frame))))
        await page.goto(url.replace("ws://", "http://").removesuffix("/ws"))
        await expect(page.locator(".me")).not_to_be_empty()
        assert "games" not in frames[0], "they have come compressed"
        loaded = (
            "() => performance.getEntriesByType('resource').map((one) => one.name)"
            ".filter((name) => /js(on)?$/.test(name))"
        )
        preloaded = (
            "() => [...document.querySelectorAll('[rel=modulepreload], [rel=preload]')].map((link) => link.href)"
        )
        await expect(page.locator(".today .card").first).to_be_visible()  # what is loaded when all else has come
        first = await page.evaluate(loaded)
        later = set(first) - set(await page.evaluate(preloaded))
        assert {url.rsplit("/", 1)[1] for url in later} == {"today.js", "puzzle_record.js", "puzzles_texts.js"}
        assert set(await page.evaluate(preloaded)) <= set(first)
        assert len(first) == len(set(first))
        await play_computer(page, "tictactoe")
        assert {url.rsplit("/", 1)[1] for url in set(await page.evaluate(loaded)) - set(first)} >= {
            "play.js",
            "room.js",
        }


async def test_a_refused_move_is_shown_at_once_and_taken_back_with_the_reason(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address) as page, connected(server) as other:
        await invite(page, "ultimate")
        room = room_of(page)
        await other.ok(type="join", room=room)
        await play_all(page, other, room, ["e5", "d4"])
        await page.evaluate(
            "() => new MutationObserver(() => { window.wasPending ||= !!document.querySelector('.pending .piece'); })"
            ".observe(document.querySelector('.board'), { subtree: true, childList: true, attributes: true })"
        )
        await pick(page, "i9")
        await expect(page.get_by_role("alert")).to_contain_text("must")
        await expect(page.get_by_role("alert")).to_contain_text("small board")
        assert await page.evaluate("() => window.wasPending")
        await expect(page.locator(".stage .piece")).to_have_count(2)
        await expect(page.locator(".sent")).to_have_count(1)
        await pick(page, "a1")
        await expect(page.locator(".stage .piece")).to_have_count(3)
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_the_past_can_be_read_while_the_game_goes_on(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as page, connected(server) as other:
        await invite(page, "tictactoe")
        room = room_of(page)
        await other.ok(type="join", room=room)
        await play_all(page, other, room, ["5", "1", "9"])
        status, pieces = page.locator(".status"), page.locator(".stage .piece")
        await page.get_by_role("button", name="First move").click()
        await expect(pieces).to_have_count(0)
        await other.ok(type="play", room=room, turn=3, move="2")
        await expect(page.locator(".moves .move")).to_have_count(4)
        await expect(pieces).to_have_count(0)
        await expect(status).to_have_text("Earlier: move 0 of 4")
        assert (await page.title()).startswith("Your move")
        await page.keyboard.press("Tab")  # a click was the last
        await page.locator('[data-cell="1"]').focus()
        await page.keyboard.press("ArrowRight")  # over the board
        await expect(page.locator('[data-cell="2"]')).to_be_focused()
        await expect(pieces).to_have_count(0)
        await page.keyboard.press(".")
        await expect(pieces).to_have_count(1)
        await page.locator(".moves .move").nth(1).click()
        await page.keyboard.press("ArrowRight")
        await expect(pieces).to_have_count(3)
        await page.get_by_role("button", name="Back to the present").click()
        await expect(pieces).to_have_count(4)
        await page.keyboard.press("Home")
        await expect(pieces).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(status).to_have_text("Your move")
        await expect(pieces).to_have_count(4)
        await page.reload()  # a reader who comes later sees the past too
        await expect(page.locator(".move:enabled")).to_have_count(4)
        await page.keyboard.press("ArrowLeft")
        await expect(pieces).to_have_count(3)


async def test_the_list_of_moves_follows_the_move_that_is_looked_at(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address, **PHONE) as page, connected(server) as one, connected(server) as two:
        room = str((await one.ok(type="create", game="gomoku"))["room"])
        await two.ok(type="join", room=room)
        for turn in range(60):  # no five in a row
            cell = f"{'abcdefghijklmno'[turn % 15]}{1 + 2 * (turn // 15)}"
            await (one, two)[turn % 2].ok(type="play", room=room, turn=turn, move=cell)
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{address}/rooms/{room}")
        await expect(page.locator(".move:enabled")).to_have_count(60)
        scrolled = "document.querySelector('.moves').scrollTop"
        await page.wait_for_function(f"() => {scrolled} > 100")
        await page.set_viewport_size({"width": 390, "height": 744})  # as when a result takes some of its room
        await page.wait_for_function(
            "() => document.querySelector('.move.now').getBoundingClientRect().bottom"
            " <= document.querySelector('.moves').getBoundingClientRect().bottom"
        )
        await page.get_by_role("button", name="First move").click()
        await page.get_by_role("button", name="Forward", exact=True).click()
        await page.wait_for_function(f"() => {scrolled} < 20")


async def test_the_values_are_those_of_noughts_solve_and_stay_on(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as page, connected(server) as one, connected(server) as other:
        room = await one.create()
        await other.ok(type="join", room=room)
        for turn, move in enumerate(["5", "2"]):
            await (one, other)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        await page.goto(f"{address}/rooms/{room}")
        await show_values(page)
        await page.get_by_label("Numbers").check()
        await expect(page.locator(".cell.worth")).to_have_count(7)
        await page.evaluate(
            "() => new MutationObserver(() => { window.flickered ||= !document.querySelector('.cell.worth'); })"
            ".observe(document.querySelector('.board'), { subtree: true, childList: true, attributes: true })"
        )
        moves = ["5", "2"]
        for move in ("1", "9"):
            found = await solved("tictactoe", moves)
            await expect(page.locator(".board:not(.stale) .cell.worth")).to_have_count(len(found["moves"]))
            for name, worth in found["moves"].items():
                value, distance = worth["value"], worth["distance"]
                chip = page.locator(f'.chip[data-of="{name}"]')
                await expect(chip.locator(".value")).to_have_text("win" if value > 0 else "loss" if value else "draw")
                await expect(chip.locator(".detail")).to_have_text([f"in {(distance + 1) // 2}"] if value else [])
                assert await chip.and_(page.locator(".best")).count() == (name in found["best"])
            await (one, other)[len(moves) % 2].ok(type="play", room=room, turn=len(moves), move=move)
            moves.append(move)
            await expect(page.locator(".cell .piece")).to_have_count(len(moves))
        assert not await page.evaluate("() => window.flickered")
        await expect(page.locator(".verdict")).to_contain_text("wins in")
        await expect(page.locator(".course .line")).to_have_count(1)
        height = "(one) => one.getBoundingClientRect().height"
        assert await page.locator(".bar").evaluate(height) == await page.locator(".stage .board").evaluate(height)


async def solved(game: str, moves: list[str]) -> Any:
    """The output of ``noughts solve`` for of the position after ``moves``."""
    command = (sys.executable, "-m", "noughts", "solve", game, f"--moves={','.join(moves)}", "--json")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(printed)


async def play_all_from(page: Page, other: Client, room: str, turn: int, move: str) -> None:
    if turn % 2:
        await other.ok(type="play", room=room, turn=turn, move=move)
    else:
        await pick(page, move)
    await expect(page.locator(".moves .move")).to_have_count(turn + 1)


async def test_a_game_in_a_file_is_replayed(browser: Browser, address: str, tmp_path: Path) -> None:
    moves = ["4", "4", "3", "3", "5", "5", "6"]
    async with running_server() as elsewhere, connected(elsewhere, "Ann") as one, connected(elsewhere, "Ben") as two:
        room = str((await one.ok(type="create", game="connect4"))["room"])
        await two.ok(type="join", room=room)
        for turn, move in enumerate(moves):
            await (two if turn % 2 else one).ok(type="play", room=room, turn=turn, move=move)
        record = (await fetch(elsewhere, f"/games/{room}.jsonl")).body
    file = tmp_path / "game.jsonl"
    file.write_bytes(record)
    async with opened(browser, f"{address}/?replay") as page:
        await page.get_by_label("File").set_input_files(file)
        await expect(page.locator(".status")).to_contain_text("Move 0 of 7.")
        await expect(page.locator(".who")).to_have_text(["Ben", "Ann"])
        await page.keyboard.press("End")
        await expect(page.locator(".cell .piece")).to_have_count(7)
        await expect(page.locator(".status")).to_contain_text("Ann won with four in a row.")
        await expect(page.locator(".joined")).to_have_count(1)
        await page.locator(".moves .move").first.click()
        await expect(page.locator(".cell .piece")).to_have_count(1)
        await page.get_by_role("link", name="Noughts").click()
        await expect(page.get_by_role("heading", name="Choose a board")).to_be_visible()
        await page.evaluate(
            "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'a.jsonl'));"
            "const options = { dataTransfer: data, bubbles: true, cancelable: true };"
            "document.body.dispatchEvent(new DragEvent('drop', options)); }",
            record.decode() * 2,
        )
        await expect(page.locator(".moves .move")).to_have_count(7)
        await expect(page.get_by_label("Game")).to_have_value("0")
        file.write_text('{"not": "a game"}\n')
        await page.get_by_label("File").set_input_files(file)
        await expect(page.get_by_role("alert")).to_have_text(
            "game.jsonl has no game in it. Records of games end in .jsonl."
        )
        file = tmp_path / "other.jsonl"
        file.write_bytes(record.replace(b'"connect4"', b'"conect4"'))
        await page.get_by_label("File").set_input_files(file)
        await expect(page.get_by_role("alert")).to_contain_text("There is no game 'conect4'. Did you mean connect4?")


@pytest.mark.parametrize(("game", "suffix"), [("chess", "pgn"), ("breakthrough", None)])
async def test_a_game_can_be_downloaded_in_each_of_its_formats(
    browser: Browser, address: str, server: str, game: str, suffix: str | None
) -> None:
    async with connected(server, "Ann") as one, connected(server, "Ben") as two:
        room = str((await one.ok(type="create", game=game))["room"])
        await two.ok(type="join", room=room)
        await one.ok(type="play", room=room, turn=0, move="a2a3")
        await two.ok(type="play", room=room, turn=1, move="a7a6")
        await one.ok(type="resign", room=room)
    async with opened(browser, f"{address}/rooms/{room}") as page:
        links = page.locator("a[download]")
        await page.get_by_label("More", exact=True).click()
        await expect(links).to_have_count(2 if suffix is None else 3)
        if suffix is not None:
            await expect(links.last).to_have_text("Download it as PGN")
            async with page.expect_download() as download:
                await links.last.click()
            assert (await download.value).suggested_filename == f"noughts-{room}.{suffix}"


async def test_a_game_of_another_package_is_played_from_cell_to_cell(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "hexapawn-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hexapawn\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[noughts.games]\nhexapawn = hexapawn:HEXAPAWN\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(Path(__file__).parent)])
    async with ServerProcess("memory", tmp_path / "log") as server:
        address = server.url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page, connected(server.url) as other:
            await invite(page, "hexapawn")
            room = room_of(page)
            await other.ok(type="join", room=room)
            await expect(page.locator(".status")).to_have_text("Your move")

            async def open_cells() -> list[str]:
                cells = page.locator(".cell.open")
                return sorted([str(await cell.get_attribute("data-cell")) for cell in await cells.all()])

            assert await open_cells() == ["a1", "b1", "c1"]
            await pick(page, "b1")
            assert await open_cells() == ["b2"]
            await pick(page, "a1")  # another pawn instead
            assert await open_cells() == ["a2"]
            await pick(page, "a2")
            await expect(page.locator(".moves .move")).to_have_text(["a1a2"])
            await expect(page.locator(".cell.last")).to_have_count(2)
            await other.ok(type="play", room=room, turn=1, move="b3a2")
            await expect(page.locator(".status")).to_have_text("Your move")
            await pick(page, "b1")
            assert await open_cells() == ["a2", "b2"]
            await pick(page, "a2")
            await expect(page.locator('[data-cell="a2"]')).to_have_attribute("aria-label", "a2, White, row 2, column 1")
            await expect(page.locator('[data-cell="b1"]')).to_have_attribute("aria-label", "b1, empty, row 3, column 2")


async def test_a_whole_game_by_keyboard_and_the_board_can_be_read_after_it(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address) as page, connected(server, "Ben") as other:
        await invite(page, "tictactoe")
        room = room_of(page)
        await other.ok(type="join", room=room)
        await page.evaluate(
            "() => { window.said = []; const spoken = document.querySelector('[aria-live=polite]');"
            "new MutationObserver(() => window.said.push(spoken.textContent))"
            ".observe(spoken, { subtree: true, childList: true, characterData: true }); }"
        )
        await page.locator('[data-cell="1"]').focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".moves .move")).to_have_count(1)
        await other.ok(type="play", room=room, turn=1, move="4")
        await expect(page.locator(".status")).to_have_text("Your move")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press(" ")
        await expect(page.locator(".moves .move")).to_have_count(3)
        await other.ok(type="play", room=room, turn=3, move="5")
        await expect(page.locator(".status")).to_have_text("Your move")
        await page.keyboard.type("3")
        await expect(page.get_by_label("Type a move")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator(".status")).to_have_text("You won with three in a row.")
        await expect(page.locator(".move.now")).to_be_focused()  # the field has gone
        said = await page.evaluate("() => window.said")
        assert [words for words in said if "played 4" in words] == ["Ben played 4. Your move"]
        assert said[-1].endswith("played 3. You won with three in a row.")
        await page.locator('[data-cell="1"]').focus()
        for key, name in (("End", "3"), ("ArrowDown", "6"), ("Control+Home", "1"), ("Control+End", "9")):
            await page.keyboard.press(key)
            await expect(page.locator(f'[data-cell="{name}"]')).to_be_focused()
        assert await page.locator('[data-cell][tabindex="0"]').count() == 1
        label = await page.locator('[data-cell="4"]').get_attribute("aria-label")
        assert label == "4, O, row 2, column 1"
        await page.reload()  # a finished game is replayed in its room
        await expect(page.locator(".move:enabled")).to_have_count(5)
        await page.keyboard.press("Home")
        await expect(page.locator(".stage .piece")).to_have_count(0)
        await page.keyboard.press(".")
        await expect(page.locator(".stage .piece")).to_have_count(1)


async def test_two_tabs_of_a_player_agree(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as one, connected(server) as other:
        await invite(one, "tictactoe")
        room = room_of(one)
        await other.ok(type="join", room=room)
        two = await one.context.new_page()
        await two.goto(one.url)
        for turn, page in enumerate((one, two)):
            await expect(page.locator(".status")).to_have_text("Your move")
            await pick(page, str(turn + 1))
            await expect(one.locator(".stage .piece")).to_have_count(2 * turn + 1)
            await expect(two.locator(".stage .piece")).to_have_count(2 * turn + 1)
            await other.ok(type="play", room=room, turn=2 * turn + 1, move=str(9 - turn))


async def test_a_game_can_be_claimed_as_soon_as_it_may(browser: Browser) -> None:
    async with running_page(away_s=0.5) as server, opened(browser, server.replace("ws:", "http:")[:-3]) as page:
        await page.clock.install()
        await page.reload()
        async with connected(server, "Ben") as other:
            await invite(page, "tictactoe")
            room = room_of(page)
            await other.ok(type="join", room=room)
            await play_all(page, other, room, ["1", "2"])
        await expect(page.locator(".countdown")).to_contain_text("You can claim the game in")
        await expect(page.locator(".player.second .what")).to_have_text("O, away")
        await expect(page.get_by_role("button", name="Claim the win")).to_have_count(0)
        await page.clock.fast_forward(31_000)
        await expect(page.get_by_role("button", name="Claim the win")).to_be_visible()


async def test_clocks_run_and_stop_and_a_rated_game_shows_what_it_changed(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address) as page, connected(server) as other:
        await other.ok(type="register", name="Bogdan")
        seats = {"first": "open", "second": "me"}
        room = str((await other.ok(type="create", game="tictactoe", clock=BLITZ, rated=True, seats=seats))["room"])
        await page.goto(f"{address}/rooms/{room}")
        await page.get_by_text("You would play X.").wait_for()
        await page.locator(".invitation").get_by_role("button", name="Your name and settings").click()
        await page.get_by_label("Your name", exact=True).fill("Annegret")
        await page.get_by_role("button", name="Register this name").click()
        await expect(page.get_by_text("Registered.")).to_be_visible()
        await page.get_by_role("button", name="Back").click()
        await page.get_by_role("button", name="Take the seat").click()
        await play_all(page, other, room, ["1", "2"])
        clock = page.locator(".player.first .time")
        await expect(clock).to_have_text("4:59")
        await expect(page.locator(".stakes")).to_have_text("5+0 · Rated: win +162, draw 0, loss \N{MINUS SIGN}162")
        await show_values(page)
        await expect(page.get_by_text("A rated game can be analysed when it is over.")).to_be_visible()
        await other.ok(type="resign", room=room)
        await expect(page.locator(".status")).to_have_text("You won by resignation.")
        await expect(page.locator(".time.running")).to_have_count(0)
        await expect(page.locator(".player.first .what")).to_have_text("X, you, now rated 1662")
        await page.get_by_role("button", name="Back", exact=True).click()
        await expect(page.locator(".cell.worth").first).to_be_visible()
        await other.ok(type="offer_rematch", room=room)
        await page.get_by_role("button", name="Accept").click()
        await expect(page.locator(".player.second .what")).to_have_text("O, you, 1662?")
        await expect(page.locator(".stakes")).to_contain_text("Rated: win +58, draw \N{MINUS SIGN}85, loss")
        await page.get_by_role("button", name="Abort").wait_for()
        room = room_of(page)
        await other.ok(type="play", room=room, turn=0, move="1")
        await pick(page, "2")
        await expect(page.locator(".cell .piece")).to_have_count(2)
        await other.ok(type="resign", room=room)
        await expect(page.locator(".player.second .what")).to_contain_text("1662 \N{RIGHTWARDS ARROW} 17")


async def test_the_side_is_chosen_before_an_invitation(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        form = await terms(page, "tictactoe")
        await form.locator('[name=side][value="second"]').check()
        await form.get_by_role("button", name="Invite a friend").click()
        await expect(page.get_by_text("You play O.")).to_be_visible()


@pytest.mark.parametrize(("host", "codes"), [("127.0.0.1", 0), ("noughts.localhost", 1)])
async def test_an_invitation_has_a_whole_qr_code_if_another_device_can_open_it(
    browser: Browser, address: str, host: str, codes: int
) -> None:
    async with opened(browser, address.replace("127.0.0.1", host)) as page:
        await page.set_viewport_size({"width": 1366, "height": 768})
        await (await terms(page, "connect4")).get_by_role("button", name="Invite a friend").click()
        await expect(page.get_by_role("textbox", name="Invite a friend")).to_be_visible()
        await expect(page.locator(".qr")).to_have_count(codes)
        assert await page.locator(".invitation").evaluate("(box) => box.scrollHeight <= box.clientHeight")


async def test_a_game_that_was_to_be_rated_says_why_it_is_not(browser: Browser) -> None:
    async with running_page(trusted_proxies=["127.0.0.1"]) as url:
        address, home = url.replace("ws://", "http://").removesuffix("/ws"), "203.0.113.7"
        async with connected(url, "ann", at=home) as ann, connected(url, "ben", at=home) as ben:
            await ann.ok(type="register")
            await ben.ok(type="register")
            room = await ann.create(clock=BLITZ, rated=True)
            async with opened(browser, f"{address}/rooms/{room}") as page:
                words = page.get_by_text("This game is not rated: its players share a public address.")
                await expect(page.get_by_text("ann invites you to a game of Tic-tac-toe.")).to_be_visible()
                await expect(words).to_have_count(0)
                await ben.join(room)
                await expect(words).to_be_visible()
                await page.reload()
                await expect(words).to_be_visible()
                await expect(page.locator(".stakes")).to_have_text("5+0 · not rated")


async def test_players_and_spectators_chat_apart(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as page, connected(server, "Ben") as other:
        await invite(page, "tictactoe")
        await other.ok(type="join", room=room_of(page))
        await page.get_by_role("radio", name="Chat").check()
        await page.get_by_label("Say something").fill("<b>hello</b>")
        await page.keyboard.press("Enter")
        await expect(page.locator(".chat li")).to_contain_text("<b>hello</b>")
        await expect(page.locator(".chat li .who")).to_have_text(await page.locator(".me").inner_text())
        assert json.loads(json.dumps(await other.push("chat")))["text"] == "<b>hello</b>"
        async with opened(browser, page.url) as third:
            await third.get_by_role("radio", name="Chat").check()
            await expect(third.get_by_text("What the spectators say to each other.")).to_be_visible()
            await page.get_by_role("radio", name="Rules").check()
            await expect(page.get_by_text("1 spectator")).to_be_visible()


@pytest.mark.parametrize(("height", "scrolls"), [(844, False), (640, True)])
async def test_a_tab_scrolls_a_phones_page_only_if_nothing_of_it_would_be_seen(
    browser: Browser, address: str, height: int, *, scrolls: bool
) -> None:
    async with opened(browser, address, **PHONE | {"viewport": {"width": 360, "height": height}}) as page:
        await play_computer(page, "connect4")
        await page.get_by_role("radio", name="Rules").check()
        await expect(page.locator(".terms")).to_be_in_viewport()
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        top = await page.evaluate("() => scrollY")
        assert (top > 0, top < 120) == (scrolls, True)


@pytest.mark.parametrize("game", ["chess", "hex"])
async def test_a_low_phone_has_the_whole_board_beside_the_chat_and_covers_no_field(
    game: str, browser: Browser, server: str, address: str
) -> None:
    view = {"viewport": {"width": 360, "height": 640}}
    async with opened(browser, address, **PHONE | view) as page, connected(server, "A very long name") as other:
        await invite(page, game)
        room = room_of(page)
        await other.ok(type="join", room=room)
        await expect(page.locator(".status")).to_have_text("Your move")
        await page.get_by_role("radio", name="Chat").check()
        for _ in range(4):
            await other.ok(type="chat", room=room, text="a long line of words that goes over more than one line")
        await expect(page.locator(".chat > ul li")).to_have_count(4)
        field = page.get_by_label("Say something")
        for part in (field, page.locator(".player.top"), page.locator(".stage .board"), page.locator(".status")):
            await expect(part).to_be_in_viewport(ratio=1)
        first, second = ("e2-e4", "e7-e5") if game == "chess" else ("c3", "d4")
        await page.locator("#typed").fill(first)
        await page.keyboard.press("Enter")
        await expect(page.locator(".status")).to_have_text("A very long name to move")
        await other.ok(type="play", room=room, turn=1, move=second)
        await other.ok(type="offer_takeback", room=room)
        offer = page.locator(".offer")
        await expect(offer).to_be_visible()
        await expect(field).to_be_in_viewport(ratio=1)
        top = await offer.evaluate("(one) => one.getBoundingClientRect().top")
        assert await field.evaluate("(one) => one.getBoundingClientRect().bottom") <= top


HEIGHTS = """() => [".tabs", ".steps-through", ".view"].map((one) => {
  const { top, bottom } = document.querySelector(one).getBoundingClientRect();
  return [Math.round(top), Math.round(bottom)];
})"""


@pytest.mark.parametrize("size", [(390, 844), (360, 640)])
@pytest.mark.parametrize("game", ["hex", "reversi"])
async def test_a_phones_room_stands_still_and_has_the_way_through_the_moves_in_sight(
    browser: Browser, server: str, address: str, game: str, size: tuple[int, int]
) -> None:
    width, height = size
    first, second, third = ("c3", "d4", "e5") if game == "hex" else ("d3", "c3", "c4")
    view = {"viewport": {"width": width, "height": height}}
    async with opened(browser, address, **PHONE | view) as page, connected(server, "A very long name") as other:
        await invite(page, game)
        room = room_of(page)
        await other.ok(type="join", room=room)
        seen = []

        async def look(status: str) -> None:
            await expect(page.locator(".status")).to_have_text(status)
            seen.append(await page.evaluate(HEIGHTS))

        await look("Your move")
        await page.locator(f'[data-cell="{first}"]').tap()
        if (game, size) == ("hex", (360, 640)):  # cells too small for one tap
            await page.locator(".cell.picked").tap()
        await look("A very long name to move")
        await pick(page, third)
        await expect(page.locator(".stakes")).to_contain_text("Tap to take it back.")
        seen.append(await page.evaluate(HEIGHTS))
        await page.keyboard.press("Escape")
        await other.ok(type="play", room=room, turn=1, move=second)
        await look("Your move")
        await page.get_by_role("button", name="Back", exact=True).tap()
        await look("Earlier: move 1 of 2")
        await page.get_by_role("button", name="Back to the present").tap()
        for tabs, steps, shown in seen:
            assert abs(tabs[0] - seen[0][0][0]) <= 1
            assert steps[1] <= height
            assert shown[0] + 32 <= height  # a line of moves
        await page.get_by_role("radio", name="Chat").check()
        await expect(page.get_by_label("Say something")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(390, 844), (360, 640)])
async def test_a_phone_says_whose_move_it_is_whatever_else_can_be_done(
    browser: Browser, server: str, address: str, size: tuple[int, int]
) -> None:
    width, height = size
    view = {"viewport": {"width": width, "height": height}}
    async with opened(browser, address, **PHONE | view) as page, connected(server, "Maximiliane-Konstantina") as other:
        room = (await other.ok(type="create", game="go", clock={"per_move_s": 259_200}))["room"]
        await page.goto(f"{address}/rooms/{room}")
        status = page.locator(".status")
        await expect(status).to_have_text("Maximiliane-Konstantina invites you to a game of Go.")
        await expect(page.get_by_text("You would play White.")).to_be_visible()
        assert await status.evaluate(CUT) == []
        await page.get_by_role("button", name="Take the seat").tap()
        await expect(status).to_have_text("Maximiliane-Konstantina to move")
        for turn, cell in enumerate(("e5", "c3", "g7")):
            if turn % 2:
                await page.locator(f'[data-cell="{cell}"]').tap()
                await expect(page.locator(".moves .move")).to_have_count(turn + 1)
            else:
                await other.ok(type="play", room=room, turn=turn, move=cell)
        await expect(status).to_have_text("Your move")
        assert await status.evaluate(CUT) == []
        assert await page.locator(".stakes").evaluate(CUT) == []
        await expect(page.locator(".move").first).to_be_in_viewport(ratio=1)
        assert await page.evaluate("() => document.documentElement.scrollHeight") <= height
        buttons = page.locator(".actions").locator("button, summary").filter(visible=True)
        await expect(buttons).to_have_text(["Pass", "Take back", ""])
        await page.locator('[data-cell="c5"]').tap()
        await expect(status).to_have_text("Maximiliane-Konstantina to move")
        assert await status.evaluate(CUT) in ([], ["Maximiliane-Konstantina"]), "at most the name is cut, not the verb"
        await other.ok(type="offer_draw", room=room)
        await page.get_by_role("radio", name="Chat").check()  # what is offered covers no tab
        await page.get_by_role("button", name="Decline").tap()
        await page.get_by_label("More", exact=True).tap()
        await page.get_by_role("button", name="Resign").tap()
        await page.get_by_role("button", name="Yes").tap()
        await expect(status).to_contain_text("You lost")


CUT = """(whole) => [whole, ...whole.querySelectorAll("*")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 3)
  .map((one) => one.textContent)"""
"""The parts of an element of which something is not seen."""


async def test_the_menu_has_what_makes_sense_on_a_phone(browser: Browser, address: str) -> None:
    async with opened(browser, address, **PHONE) as page:
        for game, entries in (("tictactoe", []), ("chess", ["Turn the board round"])):
            await page.goto(address)
            await play_computer(page, game)
            more = page.get_by_label("More", exact=True)
            await more.tap()
            menu = page.locator(".menu")
            await expect(menu.locator("a:visible, button")).to_have_text([*entries, "Copy the link", "Turn sounds on"])
            bottom = await menu.evaluate("(one) => one.getBoundingClientRect().bottom")
            assert bottom <= await more.evaluate("(one) => one.getBoundingClientRect().top")  # it covers no button
            await menu.get_by_role("button", name="Turn sounds on").tap()
            await expect(menu).to_be_hidden()
            await page.get_by_role("switch", name="Sound").tap()
        await page.get_by_role("button", name="Abort").tap()


@pytest.mark.parametrize(("width", "height"), [(360, 640), (375, 667), (390, 640), (360, 740), (390, 844)])
async def test_a_phone_shows_the_link_of_an_invitation_and_its_qr_code(
    width: int, height: int, browser: Browser, address: str
) -> None:
    view = {"viewport": {"width": width, "height": height}}
    async with opened(browser, address.replace("127.0.0.1", "noughts.localhost"), **PHONE | view) as page:
        await invite(page, "chess")
        await expect(page.get_by_role("button", name="Copy", exact=True)).to_be_in_viewport(ratio=1)
        if height <= 700:  # the board has the room of the code
            code = page.get_by_text("QR code", exact=True)
            await expect(code).to_be_in_viewport(ratio=1)
            await code.tap()
        await expect(page.locator(".qr")).to_be_in_viewport(ratio=1)


async def test_an_invitation_has_one_button_to_copy_its_link(browser: Browser, address: str) -> None:
    async with opened(browser, address, **PHONE) as page:
        await invite(page, "tictactoe")
        await expect(page.get_by_role("button", name="Copy")).to_have_count(1)
        await expect(page.get_by_role("button", name="Copy")).to_be_in_viewport()


async def test_a_wide_board_stands_in_the_middle_and_has_the_colours_of_its_sides(
    browser: Browser, address: str
) -> None:
    async with opened(browser, address, viewport={"width": 1280, "height": 720}) as page:
        await play_computer(page, "kalah")
        board, panel = [
            await page.locator(one).evaluate("(one) => one.getBoundingClientRect().toJSON()")
            for one in (".stage .board", ".beside")
        ]
        assert board["height"] < panel["height"]
        assert abs(board["top"] + board["bottom"] - panel["top"] - panel["bottom"]) <= 2
        for side, store in (("top", "n"), ("bottom", "s")):
            mark = page.locator(f".player.{side} .mark circle").nth(1)
            colour = await mark.evaluate("(one) => getComputedStyle(one).fill")
            await expect(page.locator(f'[data-cell="{store}"] .square')).to_have_css("stroke", colour)


async def test_the_projector_view_has_large_type_and_values(browser: Browser, address: str) -> None:
    async with opened(browser, address, viewport={"width": 1280, "height": 720}) as page:
        await play_computer(page, "connect4")
        await page.get_by_label("More", exact=True).click()
        await page.get_by_role("link", name="Projector view").click()
        await expect(page.locator(".cell.worth")).to_have_count(7)
        assert await page.locator(".verdict").evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") >= 28
        await expect(page.get_by_role("radio", name="Chat")).to_have_count(0)
        assert await page.evaluate("() => document.documentElement.scrollHeight") <= 720
        await page.get_by_label("More", exact=True).click()
        await page.get_by_role("link", name="Leave the projector view").click()
        await expect(page.get_by_role("radio", name="Chat")).to_have_count(1)


async def test_a_disc_hovers_over_the_column_where_it_may_be_dropped(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address) as page, connected(server) as other:
        await invite(page, "connect4")
        room, ghost = room_of(page), page.locator(".ghost")
        await other.ok(type="join", room=room)
        await expect(page.locator(".board :focus")).to_have_count(1)
        await expect(ghost).to_be_hidden()  # nobody has touched the board
        await page.keyboard.press("ArrowRight")
        await expect(ghost).to_be_visible()
        await page.locator('[data-cell="c6"]').hover()
        await expect(ghost).to_have_attribute("transform", "translate(200 0)")
        await expect(ghost.locator(".piece")).to_have_attribute("transform", "translate(0 500)")
        await expect(ghost).to_be_visible()
        await page.mouse.move(0, 0)
        await expect(ghost).to_be_hidden()
        await play_all(page, other, room, ["3", "3", "3", "3", "3", "3"])
        await page.locator('[data-cell="d1"]').hover()
        await expect(ghost).to_be_visible()
        await page.locator('[data-cell="c1"]').hover()
        await expect(ghost).to_be_hidden()  # the column is full
        await page.locator('[data-cell="d1"]').click()
        await expect(page.locator('[data-cell="d6"] .piece, [data-cell="d1"] .piece')).to_have_count(1)
        await expect(ghost).to_be_hidden()  # it is the opponent's turn


async def test_sounds_are_off_until_they_are_turned_on(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as page, connected(server) as other:
        await page.add_init_script(
            "window.tones = []; const { start } = OscillatorNode.prototype;"
            "OscillatorNode.prototype.start = function (at) {"
            "tones.push(this.frequency.value); start.call(this, at); };"
        )
        await page.reload()
        await invite(page, "tictactoe")
        room, sound = room_of(page), page.get_by_label("Sound")
        await other.ok(type="join", room=room)
        await expect(sound).not_to_be_checked()
        await play_all(page, other, room, ["1", "2"])
        assert await page.evaluate("() => tones") == []
        await sound.check()
        await play_all_from(page, other, room, 2, "4")
        await play_all_from(page, other, room, 3, "3")
        await play_all_from(page, other, room, 4, "7")
        own, others, turn, won = 210, [260], [392], [262, 330, 392, 523]
        taps = (await page.evaluate("() => tones"))[::2]  # each has an overtone
        assert taps == [own, own, *others, *turn, *won]  # the first as it was turned on
        more = page.get_by_label("More", exact=True)
        await more.click()
        await page.keyboard.press("Escape")
        await expect(page.locator(".menu")).to_be_hidden()
        await expect(more).to_be_focused()
        await page.reload()
        await expect(sound).to_be_checked()
        await sound.focus()
        await page.keyboard.press("Space")
        await page.reload()
        await expect(sound).not_to_be_checked()


async def test_a_phone_shows_the_whole_board_and_asks_before_it_plays(browser: Browser, address: str) -> None:
    async with opened(browser, address, **PHONE) as page:
        await play_computer(page, "gomoku")
        await page.locator('[data-cell="h8"]').tap()
        await page.locator('[data-cell="i8"]').tap()
        await expect(page.locator(".cell.picked")).to_have_count(1)
        strip = page.get_by_role("button", name="Play it: i8")
        await expect(strip).to_be_in_viewport()
        await strip.tap()
        await expect(page.locator(".moves .move").first).to_have_text("i8")
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.locator(".cell.open").first.tap()
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.locator(".cell.picked").tap()  # the second tap plays
        await expect(page.locator(".moves .move")).to_have_count(4)


async def test_a_phone_shows_the_numbers_of_the_best_moves_and_of_the_one_that_is_picked(
    browser: Browser, address: str
) -> None:
    async with opened(browser, address, **PHONE) as page:
        await play_computer(page, "gomoku")
        await show_values(page)
        await page.get_by_label("Numbers").check()
        cells = page.locator(".board:not(.stale) .cell.worth")
        await expect(cells).to_have_count(225)
        numbers = page.locator(".chip .value").filter(visible=True)
        count = await numbers.count()
        assert 0 <= count <= 12
        assert await page.locator(".cell.worth.few").count() == count
        await page.locator('[data-cell="a1"]').tap()
        await expect(page.locator('.chip[data-of="a1"] .value')).to_be_visible()
        await expect(numbers).to_have_count(count + 1)


async def test_a_move_on_a_large_board_changes_few_cells(browser: Browser, address: str) -> None:
    url = address.replace("http", "ws") + "/ws"
    async with opened(browser, address) as page, connected(url, "other") as other:
        room = (await other.ok(type="create", game="gomoku", seats={"first": "open", "second": "me"}))["room"]
        await page.goto(f"{address}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        await expect(page.locator(".cell.open")).to_have_count(225)
        await page.evaluate(CHANGED)
        await pick(page, "h8")
        await expect(page.locator(".status")).to_have_text("other to move")
        await expect(page.locator(".cell.open:not([aria-disabled])")).to_have_count(224)  # for a premove
        await other.ok(type="play", room=room, turn=1, move="i9")
        await expect(page.locator(".status")).to_have_text("Your move")
        await expect(page.locator(".cell.open")).to_have_count(223)
        assert await page.evaluate("() => [...window.changed].sort()") == ["a1", "h8", "i9"], "a1 had the focus"


CHANGED = """() => {
  window.changed = new Set();
  const note = (all) => all.forEach(({ target }) => window.changed.add(target.closest("[data-cell]")?.dataset.cell));
  const board = document.querySelector(".board");
  for (const row of board.querySelectorAll("[role=row]")) {
    new MutationObserver(note).observe(row, { subtree: true, childList: true, attributes: true });
  }
}"""


async def test_the_focus_goes_on_when_its_button_has_gone(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await play_computer(page, "tictactoe")
        await expect(page.locator('.board [tabindex="0"]')).to_be_focused()
        await pick(page, "5")
        await expect(page.locator(".move")).to_have_count(2)
        await page.get_by_role("button", name="Resign").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Yes")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator(".status")).to_have_text("You lost by resignation.")
        await expect(page.locator('.board [tabindex="0"]')).to_be_focused()


async def test_a_file_of_another_program_is_replayed(browser: Browser, address: str, tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text('[White "Morphy"]\n1. e4 {best by test} e5 2. Nf3 d6 1-0\n')
    async with opened(browser, f"{address}/?replay") as page:
        await page.get_by_label("File").set_input_files(file)
        await expect(page.locator(".moves .move")).to_have_text(["e4", "e5", "Nf3", "d6"])
        bad = tmp_path / "bad.pgn"
        bad.write_text("1. e4 e5\n2. Ke3 *\n")
        await page.get_by_label("File").set_input_files(bad)
        await expect(page.get_by_role("alert")).to_have_text(
            "No game can be read: line 2: 'Ke3' cannot be played: no king of yours can go to e3 now."
        )
