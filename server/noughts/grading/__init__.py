"""What a program is worth: a student's search compared with ours, a bot proved never to lose, searches compared."""
