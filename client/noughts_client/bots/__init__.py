"""Bots that are programs: a Python file, a command that speaks JSON lines, or an engine. See docs/bots.md."""
