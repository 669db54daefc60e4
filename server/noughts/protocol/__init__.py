"""The wire protocol, version 1: every message, and the records of the journal. See docs/protocol.md.

What a client needs, ``words``, the requests and the messages, imports neither the rooms nor the engine.
"""
