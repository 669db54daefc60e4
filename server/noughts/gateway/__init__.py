"""The gateway: WebSocket frames in and out, sessions and their limits."""

from noughts.gateway.server import Gateway

__all__ = ["Gateway"]
