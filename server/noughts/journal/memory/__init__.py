"""The journal that ends with its process."""

from noughts.journal.memory.journal import MemoryJournal

__all__ = ["MemoryJournal"]
