"""A soak with attackers: python -m bench.soak"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests"))  # where the attacks are
