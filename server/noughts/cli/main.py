"""The entry point of ``noughts``: choose a command, import it, run it.

Nothing else is imported before Ctrl-C is handled, because the imports of a command take half a second.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence

INTERRUPTED = 130
"""The exit status after Ctrl-C, the same as a shell reports."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command in ``argv`` and exit with its status. Without ``argv``, this process is ``noughts``."""
    own = argv is None
    if argv is None:
        argv = sys.argv[1:]
        # A shell starts a background job with SIGINT ignored. That stays as it is.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _exit_at_once)
        # A name may have letters that the output's encoding lacks; they become question marks.
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
    from noughts.cli.commands import parse
    from noughts.cli.output import leave

    options = parse(argv)
    status = _interruptible(lambda: options.pop("command")(options))
    if own:
        leave(status)
    sys.exit(status)


def _exit_at_once(*_: object) -> None:
    """Exit without a traceback, which KeyboardInterrupt could leave in the middle of an import."""
    os._exit(INTERRUPTED)


def _interruptible(command: Callable[[], int]) -> int:
    """The status of ``command``, during which Ctrl-C raises KeyboardInterrupt."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        if handler is _exit_at_once:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if handler is _exit_at_once:
            signal.signal(signal.SIGINT, handler)
