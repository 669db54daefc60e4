"""The settings: options of ``noughts serve``, environment variables ``NOUGHTS_...``, or keys of ``noughts.toml``.

See docs/operating.md.
"""

from __future__ import annotations

import json
import re
import tomllib
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from noughts.origins import allowed_origin, public_url

FILE = "noughts.toml"
"""The name of a file with settings."""


def _data() -> Path:
    """The user's data directory."""
    return Path(user_data_path("noughts", appauthor=False))


def default_journal() -> str:
    """The SQLite file in the user's data directory."""
    return str(_data() / "journal.sqlite3")


def default_files() -> tuple[Path, ...]:
    """The places of a file with settings when none is named: the first that is there counts."""
    return Path(FILE), _data() / FILE


def _from_json(example: str) -> BeforeValidator:
    """Takes a list from text, an option or a variable of the environment."""

    def read(value: object) -> object:
        if isinstance(value, str):
            try:
                return json.loads(value)
            except ValueError as error:
                raise ValueError(f"must be a JSON list, such as '{json.dumps([example])}'") from error
        return value

    return BeforeValidator(read)


def address_of(value: str) -> tuple[str, int]:
    """The host and the port in HOST:PORT, in which an IPv6 address has brackets. Raises ValueError."""
    match = re.fullmatch(r"(?:\[([^\[\]]+)\]|([^\[\]:]+)):([0-9]{1,5})", value)
    if match is None or int(match[3]) > 65535:
        raise ValueError("must be HOST:PORT")
    return match[1] or match[2], int(match[3])


def scheduler_of(value: str) -> str:
    """The address of a scheduler of Dask. Raises ValueError."""
    if not re.fullmatch(r"(tcp|tls)://.+:[0-9]+", value):
        raise ValueError(f"must be the address of a scheduler, such as tcp://scheduler:8786, not {value!r}")
    return value


def _listen(value: str) -> str:
    address_of(value)
    return value


def _network(value: str) -> str:
    ip_network(value)
    return value


def _matches(pattern: str, words: str) -> AfterValidator:
    """A check that a whole text matches ``pattern``; ``words`` describe what it should be."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None:
            raise ValueError(f"must be {words}")
        return value

    return AfterValidator(check)


def _one_line(most: int) -> AfterValidator:
    """A check for a line of text that is shown to everybody."""

    def check(value: str) -> str:
        if not value.isprintable() or value != value.strip() or not 1 <= len(value) <= most:
            raise ValueError(f"must be a line of 1 to {most} visible characters")
        return value

    return AfterValidator(check)


ServerName = Annotated[str, _one_line(64)]
News = Annotated[str, _one_line(280)]
Registration = Annotated[str, _matches("open|invited|closed", "open, invited or closed")]
Site = Annotated[
    str,
    _matches(
        r"\*|https?://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?",
        "a site such as https://club.example.org or https://*.example.org, or * for any",
    ),
]
SiteList = Annotated[list[Site], NoDecode, _from_json("https://club.example.org")]
GameList = Annotated[list[str], NoDecode, _from_json("tictactoe")]
NameList = Annotated[list[str], NoDecode, _from_json("teacher")]
Broker = Annotated[str, _matches("mqtts?://.*", "the address of an MQTT broker: mqtt://USER@HOST or mqtts://USER@HOST")]
Farm = Annotated[str, AfterValidator(scheduler_of)]
Prefix = Annotated[
    str,
    _matches(
        "[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", "letters, digits, dots, dashes and underscores, with / between levels"
    ),
]
Node = Annotated[str, _matches("[A-Za-z0-9._-]{1,64}", "1 to 64 letters, digits, dots, dashes and underscores")]
Level = Annotated[str, _matches("DEBUG|INFO|WARNING|ERROR", "DEBUG, INFO, WARNING or ERROR")]
LogFormat = Annotated[str, _matches("text|json", "text or json")]
Listen = Annotated[str, AfterValidator(_listen)]
PublicUrl = Annotated[str, AfterValidator(public_url)]
OriginList = Annotated[
    list[Annotated[str, AfterValidator(allowed_origin)]], NoDecode, _from_json("https://example.org")
]
Networks = Annotated[list[Annotated[str, AfterValidator(_network)]], NoDecode, _from_json("127.0.0.1")]


TOKEN_CHARACTERS = 16
"""The shortest token for the metrics: strangers may try tokens."""


class UnusableSetting(Exception):
    """A setting is well-formed, but what it names cannot be used; the text says why."""


class Settings(BaseSettings):
    """The settings of a server."""

    model_config = SettingsConfigDict(env_prefix="NOUGHTS_", extra="forbid", frozen=True)

    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0 for every address of this machine")
    port: int = Field(8765, ge=0, le=65535, description="port to listen on; 0 for any free port")
    journal: str = Field(
        default_factory=default_journal,
        description="where games are stored: 'memory', the path of a file, or postgresql://USER@HOST/DATABASE",
    )
    journal_password_file: Path | None = Field(None, description="file with the password for PostgreSQL")
    migrate_anyway: bool = Field(
        False, description="upgrade PostgreSQL's tables even if servers are up that cannot use them then"
    )
    bus: Broker | None = Field(None, description="MQTT broker: mqtt://USER@HOST or mqtts://USER@HOST")
    bus_password_file: Path | None = Field(None, description="file with the password for the broker")
    bus_ca: Path | None = Field(None, description="file with the CA certificate that signed the broker's")
    bus_prefix: Prefix = Field("noughts/v1", description="prefix of all MQTT topics")
    public_view: bool = Field(
        True, description="publish public rooms and tournaments over MQTT; the same for all nodes"
    )
    node: Node | None = Field(None, description="this server's name, unique on the bus; none: generated")
    server_name: ServerName | None = Field(None, description="what the server is called, for all to see")
    news: News | None = Field(None, description="a line of news that the page and the terminal show")
    registration: Registration = Field(
        "open",
        description="who may play: open, anybody; invited, registered players and those with an invitation by noughts "
        "admin; closed, registered players only, and no name can be registered",
    )
    guests_watch: bool = Field(
        True, description="with --registration invited or closed: let others in all the same, to watch"
    )
    offered_games: Annotated[
        GameList, Field(description='the games that can be opened here, as a JSON list of their keys; "[]": all')
    ] = []

    organisers: Annotated[
        NameList,
        Field(
            description="registered players who may open tournaments and make sets of puzzles, as a JSON list of their "
            'names; "[]": all who are registered'
        ),
    ] = []

    log_level: Level = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    log_format: LogFormat = Field("text", description="text, or json: one object a line")
    metrics: Listen | None = Field(None, description="HOST:PORT that serves /metrics to anybody who can reach it")
    metrics_token_file: Path | None = Field(
        None, description="file with the token for which /metrics is served on the main port too"
    )
    page: bool = Field(True, description="serve the web page at /; otherwise only the API")
    public_url: PublicUrl | None = Field(
        None, description="where people find this server, if a proxy gives it another Host: https://play.example.org"
    )
    origins: Annotated[
        OriginList,
        Field(description='origins of other web pages that may connect, as a JSON list; ["*"] allows any page'),
    ] = []
    embed_sites: Annotated[
        SiteList,
        Field(
            description="other sites that may show boards of this server in frames, as a JSON list such as "
            '["https://club.example.org"]'
        ),
    ] = []
    trusted_proxies: Annotated[
        Networks, Field(description="addresses and networks whose X-Forwarded-For is trusted, as a JSON list")
    ] = []

    message_bytes: int = Field(
        16_384,
        ge=1024,
        description="maximum length of a message from a client; a longer one closes the connection (1009)",
    )
    messages_per_s: float = Field(30, gt=0, description="messages per second from one connection")
    burst: int = Field(
        100,
        ge=1,
        description="messages that one connection may send at once; refused twice as many, it is closed (1008)",
    )
    frames_per_message: int = Field(
        10,
        ge=1,
        description="frames, such as pings and fragments, that a connection may send for each of its messages; after "
        "more it is not read for a moment, and after 5 s of that in 30 s closed (1008)",
    )
    mqtt_messages_per_s: int = Field(
        100, ge=1, description="commands per second over MQTT, from all devices together; more are dropped"
    )
    mqtt_bytes_per_s: int = Field(262_144, ge=1024, description="bytes per second of such commands; more are dropped")
    rooms_per_player: int = Field(50, ge=1, description="open rooms created by one player")
    rooms_per_address: int = Field(200, ge=1, description="open rooms created from one address, on each node")
    computer_rooms_per_player: int = Field(
        3, ge=0, description="open rooms created by one player in which only computers play"
    )
    rooms_per_connection: int = Field(200, ge=1, description="rooms that one connection may watch")
    rated_games_per_pair: int = Field(
        10, ge=0, description="rated games in 24 hours between the same two players; 0: any number"
    )
    rated_same_address: bool = Field(False, description="rate games between two players at one public address")
    answer_bytes_per_player: int = Field(
        262_144, ge=1024, description="bytes of answers per second to one player; up to 20 times as many at once"
    )
    answer_bytes_per_address: int = Field(
        2_097_152, ge=1024, description="bytes of answers per second to one address; up to 20 times as many at once"
    )
    daily_bytes_per_player: int = Field(
        50_000_000, ge=1024, description="bytes per day that one player may have written to the journal"
    )
    daily_bytes_per_address: int = Field(
        200_000_000, ge=1024, description="bytes per day that one address may have written to the journal"
    )
    devices_per_player: int = Field(
        10, ge=1, description="devices on which one player may be signed in, each by a token; more get not_allowed"
    )
    codes_per_minute: int = Field(
        10, ge=1, description="wrong codes per minute from one address that tries to sign in with a code"
    )
    connections_per_address: int = Field(100, ge=1, description="WebSockets from one address; more get HTTP 429")
    connections: int = Field(10_000, ge=1, description="WebSockets, and players over MQTT, in total; more get HTTP 503")
    http_per_address: int = Field(
        1000,
        ge=1,
        description="connections from one address that are for plain HTTP, or have not sent a request yet; "
        "more get HTTP 429, or are closed",
    )
    http_per_s: float = Field(
        100,
        gt=0,
        description="plain HTTP requests per second from one address; http-per-address at once; more get HTTP 429",
    )
    hello_s: float = Field(
        5,
        gt=0,
        description="seconds a new connection has to send its request, and then hello; after that it is closed (1008)",
    )
    update_backlog_bytes: int = Field(
        65_536,
        ge=4096,
        description="unsent bytes after which updates to a connection are held back, and long answers refused",
    )
    backlog_bytes: int = Field(1_048_576, ge=65_536, description="unsent bytes after which a connection is closed")
    away_s: float = Field(5, gt=0, description="seconds without a connection until a player counts as gone")
    drain_s: float = Field(5, ge=0, description="seconds a stopping server waits for unfinished work")

    waiting_s: float = Field(3600, gt=0, description="seconds until a room that never filled is closed")
    first_move_s: float = Field(
        60,
        gt=0,
        description="seconds for each side's first move in a game with a clock; after that the game is aborted",
    )
    claim_s: float = Field(
        30,
        gt=0,
        description="seconds until a player whose opponent is gone may claim the game; twice that with slow clocks",
    )
    abandoned_s: float = Field(
        600, gt=0, description="seconds until a game with a clock is closed when both players are gone"
    )
    sleeping_days: float = Field(30, gt=0, description="days without a move until a game without a clock is closed")

    webhooks: bool = Field(
        False, description="let players set a URL that is called when it is their move in a game of days"
    )
    webhooks_http: bool = Field(False, description="also allow http:// there, without encryption")

    search_workers: int = Field(
        0, ge=0, description="concurrent searches, in threads or processes; 0: one less than the number of cores"
    )
    farm: Farm | None = Field(
        None, description="scheduler of a farm whose workers search, too: tcp://HOST:PORT or tls://HOST:PORT"
    )
    think_s: float = Field(2, gt=0, le=600, description="maximum seconds the computer thinks about a move")
    warm_up: bool = Field(
        True, description="load the fast kernels at the start, not with the first game that needs them"
    )
    analyse_s: float = Field(2, gt=0, le=600, description="maximum seconds to analyse a position, or trace a search")
    analyses_per_s: float = Field(1, gt=0, description="analyses per second for one player; up to 10 at once")
    review_s: float = Field(1, gt=0, le=600, description="maximum seconds to search each position of a review")
    reviews_per_player: int = Field(1, ge=1, description="reviews of games under way for one player")
    reviews_per_address: int = Field(
        30,
        ge=1,
        description="reviews of games under way for one address; without a farm, one position at a time is searched",
    )
    traces_per_s: float = Field(2, gt=0, description="traces of searches per second for one player; up to 20 at once")
    computer_pace_s: float = Field(0.5, ge=0, description="seconds between moves in games between computers")


class BadFile(UnusableSetting):
    """A file with settings cannot be read, or has something else in it. The text names it, and the line or the key."""


def settings_in(path: Path) -> dict[str, object]:
    """The settings in a TOML file, whose keys are the names of settings. Their values are not checked yet.

    Relative paths among them start from the file's directory, wherever the command runs. Raises :class:`BadFile`.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{path}: {error}") from None
    for name, value in found.items():
        if name not in Settings.model_fields:
            close = get_close_matches(name.replace("-", "_"), Settings.model_fields, n=1)
            raise BadFile(f"{path}: {name} is not a setting{f'; did you mean {close[0]}?' if close else ''}")
        kind = Settings.model_fields[name].annotation
        if isinstance(value, bool) and kind is not bool:
            raise BadFile(f"{path}: {name}: must not be true or false")
        if isinstance(value, str) and (kind == Path | None or (name == "journal" and _is_path(value))):
            found[name] = str(path.parent / Path(value).expanduser())
    return found


def _is_path(journal: str) -> bool:
    return journal != "memory" and "://" not in journal


def password_in(file: Path | None) -> str | None:
    """The password in a file, without surrounding white space; None without a file.

    Raises :class:`UnusableSetting`.
    """
    if file is None:
        return None
    try:
        password = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise UnusableSetting(f"cannot read the password file {file}: {reason}") from None
    if not password:
        raise UnusableSetting(f"the password file {file} is empty")
    return password


def metrics_token(settings: Settings) -> str | None:
    """The token for the metrics; None where no file is named. Raises :class:`UnusableSetting`."""
    token = password_in(settings.metrics_token_file)
    if token is not None and len(token) < TOKEN_CHARACTERS:
        raise UnusableSetting(
            f"the token in {settings.metrics_token_file} is too short: {TOKEN_CHARACTERS} characters or more"
        )
    return token


def masked(url: str) -> str:
    """``url`` without its password, and without its query, which may contain one too."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url.partition('://')[0]}://..."
    if "://" not in url:  # a file's path
        return url
    account, at, place = parts.netloc.rpartition("@")
    user, colon, _ = account.partition(":")
    return parts._replace(netloc=f"{user}{':***' if colon else ''}{at}{place}", query="", fragment="").geturl()
