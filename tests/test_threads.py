"""What a batch promises, with pools of one, two and three threads: the files that test it are run again in each."""

from pathlib import Path

import pytest

CONTRACTS = ["test_snapshots.py", "test_health.py", "test_faults.py"]
# Starts the pool before the tests do.
PROGRAM = (
    "import sys, motrixsim, pytest; motrixsim.init_thread_pool(int(sys.argv[1])); sys.exit(pytest.main(sys.argv[2:]))"
)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_contracts_of_a_batch_hold_with(threads: int, run_python) -> None:
    files = [str(Path(__file__).parent / name) for name in CONTRACTS]
    result = run_python("-c", PROGRAM, str(threads), "-q", "-p", "no:cacheprovider", *files)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-1000:]
