"""Judgements of programs: a student's search compared with ours, a bot proved never to lose, searches compared."""
