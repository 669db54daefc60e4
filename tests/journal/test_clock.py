from noughts.journal.clock import SteadyClock


def test_time_never_decreases_while_its_source_is_set_back() -> None:
    clock = SteadyClock(iter([100, 50, 101, 0, 102]).__next__)
    assert [clock() for _ in range(5)] == [100, 100, 101, 101, 102]
