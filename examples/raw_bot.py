"""A bot that uses only a WebSocket and JSON, as in any other language.

python examples/raw_bot.py [ws://ADDRESS:8765/ws]
"""

import json
import random
import sys

from websockets.sync.client import connect

url = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8765/ws"
with connect(url) as socket:

    def send(**message):
        socket.send(json.dumps(message))

    send(type="hello", protocol=1, name="raw-bot", bot=True)
    me = json.loads(socket.recv())["player"]["id"]
    send(type="create", game="tictactoe", seats={"first": "me", "second": "computer:easy"})
    for frame in socket:
        message = json.loads(frame)
        if message["type"] == "error":
            sys.exit(message["message"])
        if message["type"] not in ("room", "update"):
            continue
        state = message["state"]
        if state["status"] == "over":
            print(*state["rows"], state["outcome"], sep="\n")
            break
        if state["to_move"] and state["seats"][state["to_move"]]["id"] == me:
            send(type="play", room=message["room"], turn=state["turn"], move=random.choice(state["legal_moves"]))
