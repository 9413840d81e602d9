"""The bits of a world depend on its own state alone: not on threads, batch, neighbours, order, calls or processes.

Every case of the contract is computed in fresh interpreters whose pools have one, two and three threads; the digests
are printed and must all be those of the first.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import motrixsim

PROGRAM = """
import json, sys, threading
import numpy as np
import motrixsim as mx

model_file, threads = sys.argv[1], int(sys.argv[2])
mx.init_thread_pool(threads)
model = mx.load_model(model_file)
COUNT, STEPS = 37, 40
rng = np.random.default_rng(3)
start = np.tile(model.keyframes[0].dof_pos, (COUNT, 1))
start[:, 7:] += rng.normal(0, 0.2, start[:, 7:].shape)
start[:, 2] += rng.uniform(-0.05, 0.15, COUNT)
speed = rng.normal(0, 0.5, (COUNT, model.num_dof_vel))
controls = start[:, 7:] + rng.normal(0, 0.3, (COUNT, model.num_actuators))

def worlds(rows):
    data = mx.SceneData(model, (len(rows),))
    data.set_dof_pos(start[rows], model)
    data.set_dof_vel(speed[rows])
    data.actuator_ctrls = controls[rows]
    return data

everyone = np.arange(COUNT)
cases = {}

def told(name, data, rows=everyone):
    cases[name] = {int(row): int(digest) for row, digest in zip(rows, data.digest())}

data = worlds(everyone)
model.step_n(data, STEPS)
told("at once", data)
data.reset(model, dof_pos=start, dof_vel=speed)
data.actuator_ctrls = controls
model.step_n(data, STEPS)
told("a later run", data)
data = worlds(everyone)
for _ in range(STEPS):
    model.step(data)
told("step by step", data)
data = worlds(everyone)
for limit in (1, 2, 3, 1):
    model.step_n(data, STEPS // 4, num_threads=limit)
told("threads per call", data)
data = worlds(everyone[::-1])
model.step_n(data, STEPS)
told("backwards", data, everyone[::-1])
for rows in (everyone[:1], everyone[5:14], everyone[::3]):
    data = worlds(rows)
    model.step_n(data, STEPS)
    told(f"{len(rows)} worlds from {rows[0]}", data, rows)
data = worlds(everyone)
odd, even = data[1::2], data[rng.permutation(everyone[::2])]
for _ in range(STEPS):
    model.step(odd)
    model.step(even)
told("parts in turn", data)
shares = [worlds(everyone) for _ in range(3)]
runners = [threading.Thread(target=model.step_n, args=(share, STEPS)) for share in shares]
for runner in runners:
    runner.start()
for runner in runners:
    runner.join()
for k, share in enumerate(shares):
    told(f"thread {k} of three", share)
print(json.dumps(cases))
"""

QUADRUPED = Path(__file__).parent.parent / "examples" / "assets" / "quadruped.xml"


def digests(run_python, threads: int, **environment: str) -> dict[str, dict[str, int]]:
    result = run_python("-c", PROGRAM, str(QUADRUPED), str(threads), **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def expected(run_python) -> dict[str, int]:
    return digests(run_python, 1)["at once"]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_batches_orders_calls_and_runs_change_no_bit(run_python, expected, threads: int, capsys) -> None:
    assert len(set(expected.values())) == 37, "all worlds differ"
    cases = digests(run_python, threads)
    for case, found in cases.items():
        differing = {world for world, digest in found.items() if digest != expected[world]}
        assert not differing, f"{case}, {threads} threads: worlds {differing}"
    # In the log of every run, so that machines can be compared.
    with capsys.disabled():
        print(f"\n{threads} threads:", *sorted(cases["at once"].values())[:4], "...")


@pytest.mark.skipif(
    "f32x8-portable-fma" not in {info.name for info in motrixsim.available_lanes()}, reason="this build lacks it"
)
def test_lanes_without_vector_instructions_change_no_bit(run_python, expected) -> None:
    assert digests(run_python, 2, MOTRIX_LANES="portable-fma")["at once"] == expected


@pytest.mark.slow
def test_a_long_run_does_not_grow(zoo) -> None:
    """A million world-steps with everything a training loop does; what grew per step by one byte would show."""
    resource = pytest.importorskip("resource")
    model = motrixsim.load_mjcf_str("""
    <mujoco><worldbody><geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>""")
    data = motrixsim.SceneData(model, (64,))
    data.watch("reset", history=4)
    rng = np.random.default_rng(0)

    def rounds(count: int) -> None:
        for _ in range(count):
            data.set_dof_vel(rng.normal(0, 1, (64, 6)))
            model.step_n(data, 50)
            model.get_link_poses(data)
            assert model.get_contact_query(data).num_contacts.shape == (64,)
            kept = data.snapshot(slice(0, 8))
            data[rng.integers(2, size=64) == 0].reset(model)
            data.restore(kept, rows=slice(8, 16))
            data.digest()

    rounds(30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(300)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1024, f"{grown} KiB in a million world-steps"
