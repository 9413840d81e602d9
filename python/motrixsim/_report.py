"""What a comparison found: the largest difference of each quantity, and what has to be known to read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Report:
    """The largest difference seen of each quantity, in the order in which they came, and remarks."""

    worst: dict[tuple[str, str], tuple[float, float, str]] = field(default_factory=dict)
    remarks: Counter[str] = field(default_factory=Counter)

    def add(self, stage: str, name: str, error: float, bound: float, note: str = "") -> None:
        """Notes a difference; the one that is largest beside its bound counts."""
        seen = self.worst.get((stage, name))
        if seen is None or not nearness(error, bound) <= nearness(*seen[:2]):
            self.worst[stage, name] = (error, bound, note)

    def remark(self, text: str) -> None:
        """Notes what is no difference but should be known, once more if it was noted before."""
        self.remarks[text] += 1

    def failures(self) -> list[tuple[str, str]]:
        """Quantities beyond their bound; what is not a number is beyond any."""
        return [key for key, (error, bound, _) in self.worst.items() if not error <= bound]

    def lines(self, *, everything: bool) -> Iterator[str]:
        """The report as text; without `everything`, stages that agree are one line each."""
        for stage in dict.fromkeys(stage for stage, _ in self.worst):
            rows = {name: row for (where, name), row in self.worst.items() if where == stage}
            bad = {name for name, (error, bound, _) in rows.items() if not error <= bound}
            worst = max(rows, key=lambda name: nearness(*rows[name][:2]))
            summary = f"{len(rows):4} compared, {len(bad)} beyond bound"
            yield f"{stage:16} {summary}; nearest to it: {worst} {rows[worst][0]:.1e}"
            for name, (error, bound, note) in rows.items():
                if everything or name in bad:
                    mark = "  DIFFERS" if name in bad else ""
                    yield f"  {name:24} {error:9.2e}  bound {bound:.0e}{mark}{'  ' + note if note else ''}"
        for text, times in self.remarks.items():
            yield f"remark           {text}{f', {times} times' if times > 1 else ''}"


def nearness(error: float, bound: float) -> float:
    """An error beside its bound."""
    return error / max(bound, 1e-300)
