"""``noughts`` with a computer whose searches at the level ``perfect`` never end."""

from __future__ import annotations

from collections.abc import Mapping

from noughts.cli.main import main
from noughts.computer import Searches, computer
from noughts.computer.farm_pool import FarmPool
from noughts.computer.processes import Processes
from noughts.engine import Level
from noughts.timing import Timing
from support.searches import TEST_LEVELS, Moody


def searches(workers: int, levels: Mapping[str, Level], timing: Timing, farm: FarmPool | None) -> Searches:
    """Replaces the searches of a server."""
    odd = {**levels, "perfect": TEST_LEVELS["endless"]}
    return Searches(workers, odd, processes=Processes(workers, Moody), timing=timing, farm=farm)


if __name__ == "__main__":
    computer.Searches = searches  # type: ignore[attr-defined, assignment]
    main()
