"""What an engine finds in a position, for people and programs: values of moves, trees, and the costs of searches."""
