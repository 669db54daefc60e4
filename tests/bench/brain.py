"""A program that speaks as much of Gomocup's protocol as ``bench.matches.rapfi`` asks Rapfi for, and plays badly.

It takes a free cell near its last stone, and values positions by chance.
"""

from __future__ import annotations

import random
import sys

SIZE = 15


def answer(stones: list[tuple[int, int]], rng: random.Random) -> str:
    """A message about the search, if there was one, and the move."""
    middle = stones[-1] if stones else (SIZE // 2, SIZE // 2)
    cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in stones]
    x, y = min(cells, key=lambda cell: (max(abs(cell[0] - middle[0]), abs(cell[1] - middle[1])), rng.random()))
    value = rng.choice(("+M5", "-M4", *map(str, range(-300, 300, 20))))
    return f"MESSAGE Depth 8-12 | Eval {value} | Time 1ms\n{x},{y}"


def main() -> None:
    rng = random.Random(1)
    stones: list[tuple[int, int]] | None = None
    for line in map(str.strip, sys.stdin):
        if line == "ABOUT":
            said = 'name="Brain"'
        elif line.startswith("START"):
            said = "OK"
        elif line == "BOARD":
            stones = []
            continue
        elif line == "DONE" and stones is not None:
            said, stones = answer(stones, rng), None
        elif stones is not None:
            x, y, _ = map(int, line.split(","))
            stones.append((x, y))
            continue
        else:
            continue
        print(said, flush=True)


if __name__ == "__main__":
    main()
