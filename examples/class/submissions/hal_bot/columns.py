"""What is in the columns."""


def lowest(rows, moves):
    """The move into the column with the fewest discs."""
    return min(moves, key=lambda move: sum(row[int(move) - 1] != "." for row in rows))
