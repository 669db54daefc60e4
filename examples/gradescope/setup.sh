#!/usr/bin/env bash
# Gradescope runs this once, to make the image. The package's wheel is in the archive beside this file.
set -euo pipefail
apt-get update
apt-get install -y python3.11 python3.11-venv
python3.11 -m venv /autograder/venv
/autograder/venv/bin/pip install /autograder/source/noughts-*.whl
