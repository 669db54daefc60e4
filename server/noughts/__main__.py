"""The program ``noughts``, also run as ``python -m noughts``."""

import signal


def main() -> None:
    """Run the command line.

    Loading the commands takes a good part of a second. Ctrl-C ends the process silently then, as it would end a program
    that does not handle it, and ends a command that does not handle it with exit status 130.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # a background job ignores it, and must go on doing so
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from noughts.cli import main as run  # noqa: PLC0415  # see above

    signal.signal(signal.SIGINT, handler)
    try:
        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
