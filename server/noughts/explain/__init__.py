"""The findings of an engine in a position, for people and programs: values of moves, trees, and the costs of
searches."""
