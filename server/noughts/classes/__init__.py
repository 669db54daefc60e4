"""A class of students: its roster, what they hand in, and the gradebook that a league of their bots gives."""
