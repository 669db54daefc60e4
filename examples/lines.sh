#!/bin/sh
# A bot in a shell, which plays the first legal move: noughts bot --exec "sh examples/lines.sh"
# Each turn is a line of JSON, and the answer is a line with the move.
while read -r turn; do
    moves=${turn#*'"legal_moves":["'}
    echo "${moves%%\"*}"
done
