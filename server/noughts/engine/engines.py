"""Which engine searches a game. Pure, once it is known whether numba is there; does no I/O."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from noughts.engine.analysis import Analysis, Engine, Interrupt, Limits
from noughts.engine.connect4 import openings
from noughts.engine.textbook import Textbook
from noughts.games import Game, Position
from noughts.games.connect4 import Connect4Position
from noughts.games.mnk import LinePosition

KERNELS = {
    "connect4": "noughts.engine.connect4.engine:Connect4Engine",
    "gomoku": "noughts.engine.gomoku.engine:GomokuEngine",
    "reversi": "noughts.engine.reversi.engine:ReversiEngine",
    "ultimate": "noughts.engine.ultimate.engine:UltimateEngine",
}
"""The engines that need numba, by the game's key: module and class. Loading one takes seconds the first time."""

MNK_KERNEL = "noughts.engine.mnk.engine:MnkEngine"
"""The engine, which needs numba too, for whatever game :func:`is_small_mnk`; it is made with the game."""


def is_small_mnk(game: Game) -> bool:
    """Whether ``game`` is one of :func:`noughts.games.mnk.mnk`, whoever brings it, that a kernel proves: its board has
    10 cells or more and fits into 64 bits.

    A smaller one, such as tic-tac-toe, the textbook searches whole in a moment. One that brings a ``heuristic`` says by
    that how it is to be estimated, which is done in Python, and so in a process rather than a thread.
    """
    if type(game.start) is not LinePosition or game.heuristic is not None or game.margin is not None:
        return False
    cells = game.start.on.everywhere
    return 9 < cells.bit_count() < game.win and cells < 1 << 64


def kernel_of(game: Game) -> str | None:
    """The engine for ``game`` that needs numba, as module and class; None if there is none."""
    return KERNELS.get(game.key) or (MNK_KERNEL if is_small_mnk(game) else None)


def has_kernel(game: Game) -> bool:
    """Whether ``game`` is searched by compiled code, which runs without the GIL: numba is there and a kernel too.

    Nothing is imported for that, so it is soon said; whether the kernel can be loaded, :func:`usable_engine_of` tells.
    """
    return kernel_of(game) is not None and find_spec("numba") is not None


def engine_of(game: Game) -> Engine:
    """A new engine for ``game``: its kernel where :func:`has_kernel`, or else that of :func:`plain_engine_of`.

    Where numba is there but broken this raises what that does.
    """
    kernel = kernel_of(game)
    if kernel is not None and has_kernel(game):
        module, _, name = kernel.partition(":")
        make = getattr(import_module(module), name)
        engine: Engine = make(game) if kernel == MNK_KERNEL else make()
        return engine
    return plain_engine_of(game)


def usable_engine_of(game: Game) -> tuple[Engine, str | None]:
    """A new engine for ``game``, and why it is not the compiled one that there is for it; None if it is, or there is
    none.

    That numba is there (:func:`has_kernel`) does not mean that it can be imported, or can compile: whatever it raises
    then is the reason, and the plain engine searches.
    """
    if kernel_of(game) is None:
        return plain_engine_of(game), None
    if not has_kernel(game):
        return plain_engine_of(game), "numba is not installed"
    try:
        return engine_of(game), None
    except Exception as error:  # a broken numba, numpy or llvmlite raises ImportError, OSError, AttributeError, ..
        said = str(error).strip().partition("\n")[0]
        return plain_engine_of(game), f"numba does not work, {type(error).__name__}: {said}"


def plain_engine_of(game: Game) -> Engine:
    """A new engine for ``game`` in Python alone: the textbook's search.

    That of Connect Four looks into the table of openings first, as its kernel does.
    """
    return OpeningsFirst(game) if game.key == "connect4" else Textbook(game)


class OpeningsFirst:
    """Connect Four without numba: what the table of openings has needs no search, the rest is the textbook's."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._textbook = Textbook(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. A level that looks only so far has no use for the table."""
        assert isinstance(position, Connect4Position)
        if limits.depth is None and position.to_move is not None:
            known = openings.answer(position, every_move=limits.every_move)
            if known is not None:
                return known
        return self._textbook.analyse(position, limits, stop)
