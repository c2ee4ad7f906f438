"""Where Go's sort leaves items with equal keys.

strategicpatch sorts with a comparison that calls equal items "less", in both directions. Go's sort.Sort
(insertion for up to twelve items, pattern-defeating quicksort above) then moves duplicates in a way that is
its own, but always the same; charts with a duplicate environment variable are patched accordingly.
"""

from typing import Any

Keyed = tuple[str, Any]

SMALL = 12
NINTHER = 50
STEPS = 5


def go_sorted(items: list[Keyed]) -> list[Keyed]:
    """Sorted by key; equal keys in the order Go would leave them."""
    if len({key for key, _ in items}) == len(items):
        return sorted(items, key=_key)
    data = list(items)
    if len(data) <= SMALL:
        # Insertion puts an item before its equals.
        data.reverse()
        data.sort(key=_key)
        return data
    _Sort(data).run(0, len(data), len(data).bit_length())
    return data


def _key(item: Keyed) -> str:
    return item[0]


class _Sort:
    def __init__(self, data: list[Keyed]) -> None:
        self._data = data

    def _less(self, i: int, j: int) -> bool:
        return self._data[i][0] <= self._data[j][0]

    def _swap(self, i: int, j: int) -> None:
        data = self._data
        data[i], data[j] = data[j], data[i]

    def run(self, low: int, high: int, patience: int) -> None:
        balanced = partitioned = True
        while high - low > SMALL:
            length = high - low
            if patience == 0:
                self._heap(low, high)
                return
            if not balanced:
                self._scatter(low, length)
                patience -= 1
            pivot, swaps = self._pivot(low, length)
            if swaps == 12:
                self._data[low:high] = self._data[low:high][::-1]
                pivot = high - 1 - (pivot - low)
            if balanced and partitioned and swaps in (0, 12) and self._almost_sorted(low, high):
                return
            middle, partitioned = self._split(low, high, pivot)
            if middle - low < high - middle:
                balanced = middle - low >= length // 8
                self.run(low, middle, patience)
                low = middle + 1
            else:
                balanced = high - middle >= length // 8
                self.run(middle + 1, high, patience)
                high = middle
        self._insert(low, high)

    def _insert(self, low: int, high: int) -> None:
        for i in range(low + 1, high):
            j = i
            while j > low and self._less(j, j - 1):
                self._swap(j, j - 1)
                j -= 1

    def _pivot(self, low: int, length: int) -> tuple[int, int]:
        """A median, and how many swaps it took to find: none or all of them say that the data has an order."""
        candidates = [low + length // 4 * n for n in (1, 2, 3)]
        swaps = 0

        def median(*places: int) -> int:
            nonlocal swaps
            order = list(places)
            for left in (0, 1, 0):
                if self._less(order[left + 1], order[left]):
                    swaps += 1
                    order[left], order[left + 1] = order[left + 1], order[left]
            return order[1]

        if length >= NINTHER:
            candidates = [median(place - 1, place, place + 1) for place in candidates]
        return median(*candidates), swaps

    def _almost_sorted(self, low: int, high: int) -> bool:
        """Tries to get by with a few shifts."""
        i = low + 1
        for _ in range(STEPS):
            while i < high and not self._less(i, i - 1):
                i += 1
            if i == high:
                return True
            if high - low < NINTHER:
                return False
            self._swap(i, i - 1)
            if i - low >= 2:
                j = i - 1
                while j >= 1 and self._less(j, j - 1):
                    self._swap(j, j - 1)
                    j -= 1
            if high - i >= 2:
                j = i + 1
                while j < high and self._less(j, j - 1):
                    self._swap(j, j - 1)
                    j += 1
        return False

    def _split(self, low: int, high: int, pivot: int) -> tuple[int, bool]:
        self._swap(low, pivot)
        i, j, exchanged = low + 1, high - 1, False
        while True:
            while i <= j and self._less(i, low):
                i += 1
            while i <= j and not self._less(j, low):
                j -= 1
            if i > j:
                self._swap(j, low)
                return j, not exchanged
            self._swap(i, j)
            exchanged = True
            i += 1
            j -= 1

    def _scatter(self, low: int, length: int) -> None:
        state, size = length, 1 << length.bit_length()
        middle = low + length // 4 * 2
        for place in (middle - 1, middle, middle + 1):
            state ^= state << 13 & 0xFFFF_FFFF_FFFF_FFFF
            state ^= state >> 7
            state ^= state << 17 & 0xFFFF_FFFF_FFFF_FFFF
            other = state & (size - 1)
            self._swap(place, low + (other - length if other >= length else other))

    def _heap(self, low: int, high: int) -> None:
        size = high - low
        for root in range((size - 1) // 2, -1, -1):
            self._sink(low, root, size)
        for last in range(size - 1, -1, -1):
            self._swap(low, low + last)
            self._sink(low, 0, last)

    def _sink(self, first: int, root: int, size: int) -> None:
        while (child := 2 * root + 1) < size:
            if child + 1 < size and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child
