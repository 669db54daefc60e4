"""The protocol as a JSON Schema: ``python -m noughts.protocol.schema > docs/protocol.schema.json``."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from noughts.protocol.messages import MESSAGES
from noughts.protocol.requests import PROTOCOL, REQUESTS


def schema() -> dict[str, Any]:
    """What a client may send is ``$defs/AnyRequest``, what it is sent ``$defs/Message``."""
    sides, schemas = TypeAdapter.json_schemas(
        [("AnyRequest", "validation", REQUESTS), ("Message", "validation", MESSAGES)],
        title=f"The protocol of Noughts, version {PROTOCOL}",
        description="AnyRequest is what a client may send, Message what it is sent; each frame holds one.",
    )
    definitions = schemas.pop("$defs")
    for (name, _), side in sides.items():
        definitions[name] = side
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schemas, "$defs": definitions}


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
