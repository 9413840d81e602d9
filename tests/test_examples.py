"""Every example runs as a user would run it."""

from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example: Path, run_python) -> None:
    result = run_python(str(example))
    assert result.returncode == 0, result.stderr
    assert result.stdout
