"""One command at a time; the file may be removed while another waits for it."""

import threading
from pathlib import Path

from dev.cluster import lock


def test_a_second_holder_waits_and_then_has_it_though_the_first_removed_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    order: list[str] = []
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        with lock.held(path):
            order.append("second")
            assert path.exists()

    thread = threading.Thread(target=second)
    thread.start()
    with lock.held(path, remove=True):
        inside.set()
        thread.join(0.3)
        order.append("first")
    thread.join()

    assert order == ["first", "second"]


def test_nothing_is_left_when_the_holder_removes_it(tmp_path: Path) -> None:
    with lock.held(tmp_path / "deep" / "lock", remove=True):
        pass
    assert list((tmp_path / "deep").iterdir()) == []
