"""The engine for a game. Finds out whether numba is installed; otherwise pure."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from noughts.engine.analysis import Analysis, Engine, Interrupt, Limits
from noughts.engine.connect4 import openings
from noughts.engine.mcts import MonteCarlo
from noughts.engine.textbook import Textbook
from noughts.games import Game, Position
from noughts.games.connect4 import Connect4Position
from noughts.games.mnk import LinePosition
from noughts.games.swap2 import Swap2Position, opening_is_over

CHESS_KERNEL = "noughts.engine.chess.engine:ChessEngine"
"""The engine for chess from any position; it takes the game as its argument."""

PLAYOUTS_KERNEL = "noughts.engine.playouts.engine:PlayoutEngine"
"""The engine for Go and Hex on boards of any size; it takes the game as its argument."""

ANY_SETUP = (CHESS_KERNEL, PLAYOUTS_KERNEL)

KERNELS = {
    "chess": CHESS_KERNEL,
    "connect4": "noughts.engine.connect4.engine:Connect4Engine",
    "go": PLAYOUTS_KERNEL,
    "gomoku": "noughts.engine.gomoku.engine:GomokuEngine",
    "hex": PLAYOUTS_KERNEL,
    "reversi": "noughts.engine.reversi.engine:ReversiEngine",
    "ultimate": "noughts.engine.ultimate.engine:UltimateEngine",
}
"""The engines that need numba, by the game's key: module and class. Loading one the first time takes seconds."""

MNK_KERNEL = "noughts.engine.mnk.engine:MnkEngine"
"""The engine for every game that :func:`is_small_mnk`; it needs numba too, and takes the game as its argument."""

SWAP2_KERNEL = "noughts.engine.gomoku.swap2:Swap2Engine"
"""The engine for Gomoku with swap2; it takes the game as its argument too."""

NO_NUMBA = "numba is not installed: pip install numba"
"""The reason why there are no kernels, and what to do, whatever Noughts was installed from."""


def is_small_mnk(game: Game) -> bool:
    """True if ``game`` was made by :func:`noughts.games.mnk.mnk`, in any package, and has a kernel.

    Then its board has at least 10 cells and fits into 64 bits.

    The textbook engine searches smaller boards, such as tic-tac-toe, in a moment. It also searches a game with its own
    ``heuristic``, which is Python code.
    """
    if type(game.start) is not LinePosition or game.heuristic is not None or game.margin is not None:
        return False
    cells = game.start.on.everywhere
    return 9 < cells.bit_count() < game.win and cells < 1 << 64


def kernel_of(game: Game) -> str | None:
    """The module and class of the engine for ``game`` that needs numba; None if there is none."""
    if game.key == "gomoku" and type(game.start) is Swap2Position and game.start.line.on.rule == "freestyle":
        return SWAP2_KERNEL
    kernel = KERNELS.get(game.key)
    if game.setup and kernel not in ANY_SETUP:
        kernel = None
    return kernel or (MNK_KERNEL if is_small_mnk(game) else None)


def serves(game: Game, moves: Sequence[str]) -> bool:
    """True if the kernel of ``game``, which has one, searches the position after ``moves``.

    In swap2 Python code searches the opening, which must not run where kernels do: it holds the GIL.
    """
    return kernel_of(game) != SWAP2_KERNEL or opening_is_over(moves)


def has_kernel(game: Game) -> bool:
    """True if ``game`` has a kernel and numba is installed. Kernels run without the GIL.

    This imports nothing, so it is fast; only :func:`usable_engine_of` finds out whether the kernel can be loaded.
    """
    return kernel_of(game) is not None and find_spec("numba") is not None


def engine_of(game: Game) -> Engine:
    """A new engine for ``game``: with its kernel if :func:`has_kernel`, otherwise :func:`plain_engine_of`.

    If numba is installed but broken, this raises whatever numba raises.
    """
    kernel = kernel_of(game)
    if kernel is not None and has_kernel(game):
        module, _, name = kernel.partition(":")
        make = getattr(import_module(module), name)
        engine: Engine = make(game) if kernel in (*ANY_SETUP, MNK_KERNEL, SWAP2_KERNEL) else make()
        return engine
    return plain_engine_of(game)


def usable_engine_of(game: Game) -> tuple[Engine, str | None]:
    """A new engine for ``game``, and the reason if it is not the compiled engine that the game has, otherwise None.

    An installed numba (:func:`has_kernel`) may still fail to import or to compile. Then its error is the reason, and
    the engine is the plain one.
    """
    if kernel_of(game) is None:
        return plain_engine_of(game), None
    if not has_kernel(game):
        return plain_engine_of(game), NO_NUMBA
    try:
        return engine_of(game), None
    except Exception as error:  # a broken numba, numpy or llvmlite raises ImportError, OSError, AttributeError, ..
        message = str(error).strip().partition("\n")[0]
        return plain_engine_of(game), f"numba does not work, {type(error).__name__}: {message}"


def plain_engine_of(game: Game) -> Engine:
    """A new engine for ``game`` that needs no numba.

    It is the textbook engine, in Connect Four with its opening table, and in a game without a heuristic that is too
    large to be solved with playouts.
    """
    if game.key == "connect4":
        return OpeningsFirst(game)
    return Textbook(game) if game.heuristic is not None or game.solved else Unaided(game)


class OpeningsFirst:
    """Connect Four without numba: the opening table, then the textbook engine."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._textbook = Textbook(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. A search of limited depth does not use the table."""
        assert isinstance(position, Connect4Position)
        if limits.depth is None and position.to_move is not None:
            known = openings.answer(position, every_move=limits.every_move)
            if known is not None:
                return known
        return self._textbook.analyse(position, limits, stop)


class Unaided:
    """A game without a heuristic: playouts choose a move, and the textbook engine finds the values of all moves.

    Without estimates alpha-beta sees no difference between moves until it sees the end of the game. But it proves more
    than playouts, and a search of limited depth is a level's.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._textbook = Textbook(game)
        self._playouts = MonteCarlo(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`."""
        return (self._textbook if limits.every_move else self._playouts).analyse(position, limits, stop)
