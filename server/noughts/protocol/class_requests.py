"""Requests about classes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from noughts.protocol.fields import FischerClock, Name, PerMoveClock, Request, Setup, Text

NAMES = 300
"""The most names in a class."""

Names = Annotated[list[Name], Field(max_length=NAMES)]


class MakeClass(Request):
    """Make a class, with a list of the names that students can take. The same ``key`` from the same player returns the
    same class.
    """

    type: Literal["make_class"]
    title: Name
    names: Annotated[Names, Field(min_length=1)]
    key: Text | None = None


class ChangeClass(Request):
    """As the organiser of a class, give it another ``title``, ``add`` and ``remove`` names, and say which set of
    puzzles the students are to solve and which tournament they play. An empty text is for none.
    """

    type: Literal["change_class"]
    class_id: Text
    title: Name | None = None
    add: Names = []
    remove: Names = []
    puzzle_set: Text | None = None
    tournament: Text | None = None


class DeleteClass(Request):
    """As the organiser of a class, delete it with all names."""

    type: Literal["delete_class"]
    class_id: Text


class Classes(Request):
    """Get the classes that you organise or have a name in."""

    type: Literal["classes"]


class ShowClass(Request):
    """Get a class: all about its students as its organiser, the names that are free for whoever has none in it.

    With ``watch`` the organiser hears of every change until it is asked for without.
    """

    type: Literal["class"]
    class_id: Text
    watch: bool = False


class JoinClass(Request):
    """Take a ``name`` of a class that is free; as a bot, hand in that student's bot."""

    type: Literal["join_class"]
    class_id: Text
    name: Name


class LeaveClass(Request):
    """Give up your name in a class; or as its organiser free ``name``, or that of this student's ``bot``."""

    type: Literal["leave_class"]
    class_id: Text
    name: Name | None = None
    bot: bool = False


class AskHelp(Request):
    """As a student of a class, ask its organiser for help; with ``asks`` false, take that back."""

    type: Literal["ask_help"]
    class_id: Text
    asks: bool = True


class AnswerHelp(Request):
    """As the organiser of a class, answer a student who asks for help, and then does so no more."""

    type: Literal["answer_help"]
    class_id: Text
    name: Name


class ClassGames(Request):
    """As the organiser of a class, get the last games of a student and of the student's bot."""

    type: Literal["class_games"]
    class_id: Text
    name: Name


class OpenSimul(Request):
    """As the organiser of a class, open a game against each student who is there and plays nobody but computers, or
    against those of ``names``. ``side`` is your own: ``alternate`` is first on every other board.
    """

    type: Literal["simul"]
    class_id: Text
    game: Text
    setup: Setup = {}
    clock: FischerClock | PerMoveClock | None = None
    side: Literal["first", "second", "alternate"] = "first"
    names: Names = []
    private: bool = False
