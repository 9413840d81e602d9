"""How a quadruped's step scales: from 1 to 65,536 worlds, one and two threads, memory per world, time to a first step.

As Markdown on standard output. Sizes take turns, so that a busy machine slows all alike; the least CPU time of several
rounds counts. Two threads are compared by wall time, which only a quiet machine shows well.

    python benches/scale.py
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SCENE = Path(__file__).parent.parent / "examples/assets/quadruped.xml"
SIZES = [1, 64, 1024, 4096, 16384, 65536]
# Steps before the measured stretch, steps of a call, and calls: robots still move, and all sizes do equal work.
SETTLE = 50
STEPS = 4
CALLS = 4
# Steps of one measurement, all worlds together.
WORLD_STEPS = 65536
ROUNDS = 5


@dataclass(frozen=True)
class Engine:
    """A batch that can be stepped, and put back to where it was."""

    worlds: int
    restore: Callable[[], None]
    step: Callable[[], None]


def ours(worlds: int) -> Engine:
    """A batch of ours."""
    import motrixsim

    model = motrixsim.load_model(SCENE)
    model.options.contact_model = "mujoco"
    data = motrixsim.SceneData(model, batch=(worlds,))
    model.keyframes[0].apply(data)
    data.actuator_ctrls = controls(data.actuator_ctrls)
    model.step_n(data, SETTLE)
    start = data.snapshot()
    return Engine(worlds, lambda: data.restore(start), lambda: model.step_n(data, STEPS))


def mujocos(worlds: int) -> Engine:
    """A batch of MuJoCo's."""
    import mujoco
    from mujoco import batch

    model = mujoco.MjModel.from_xml_path(str(SCENE))
    worlds_ = batch.Batch(model, nsim=worlds, nthread=1)
    state = [worlds_.bind(name) for name in ("qpos", "qvel", "qacc_warmstart")]
    state[0][:] = model.key_qpos[0]
    worlds_.bind("ctrl")[:] = controls(np.tile(model.key_ctrl[0], (worlds, 1)))
    worlds_.step(nstep=SETTLE)
    start = [np.array(part) for part in state]

    def restore() -> None:
        for part, old in zip(state, start, strict=True):
            part[:] = old

    return Engine(worlds, restore, lambda: worlds_.step(nstep=STEPS))


def controls(rest: np.ndarray) -> np.ndarray:
    return np.asarray(rest + 0.1 * np.random.default_rng(0).normal(size=rest.shape))


def seconds(engine: Engine) -> tuple[float, float]:
    """CPU and wall time of a step of one world, on the same stretch of motion whatever the number of worlds."""
    cpu = wall = 0.0
    repeats = max(1, WORLD_STEPS // (engine.worlds * STEPS * CALLS))
    for _ in range(repeats):
        engine.restore()
        start = time.process_time(), time.perf_counter()
        for _ in range(CALLS):
            engine.step()
        cpu += time.process_time() - start[0]
        wall += time.perf_counter() - start[1]
    done = repeats * CALLS * STEPS * engine.worlds
    return cpu / done, wall / done


def child(threads: int) -> dict[str, Any]:
    """Everything that one number of threads shows."""
    import motrixsim

    motrixsim.init_thread_pool(threads)
    start = time.perf_counter()
    model = motrixsim.load_model(SCENE)
    loaded = time.perf_counter()
    model.step(motrixsim.SceneData(model))
    first = time.perf_counter()
    engines = {f"ours {n}": ours(n) for n in (SIZES if threads == 1 else [4096])}
    if threads == 1:
        engines |= {f"MuJoCo {n}": mujocos(n) for n in SIZES[:3]}
    best: dict[str, list[float]] = {name: [np.inf, np.inf] for name in engines}
    for _ in range(ROUNDS):
        for name, engine in engines.items():
            best[name] = [min(pair) for pair in zip(best[name], seconds(engine), strict=True)]
    return {"load": loaded - start, "first": first - loaded, "best": best}


def memory() -> float:
    """Bytes that a world adds to the process."""
    import motrixsim

    model = motrixsim.load_model(SCENE)
    sizes, kept = [], []
    for worlds in (4096, 65536):
        data = motrixsim.SceneData(model, batch=(worlds,))
        model.step(data)
        kept.append(data)
        sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return (sizes[1] - sizes[0]) / 65536


def ask(what: str) -> Any:
    result = subprocess.run([sys.executable, __file__, what], capture_output=True, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def report() -> None:
    one, two, bytes_per_world = ask("1"), ask("2"), ask("memory")
    best = one["best"]
    print("**Scale: a quadruped on a plane, MuJoCo's contacts, single precision**\n")
    print("| worlds | CPU µs per world and step | of 1024 worlds | times MuJoCo |")
    print("|---:|---:|---:|---:|")
    unit = best["ours 1024"][0]
    for worlds in SIZES:
        cost = best[f"ours {worlds}"][0]
        peer = best.get(f"MuJoCo {worlds}")
        times = f"{peer[0] / cost:.1f}" if peer else ""
        print(f"| {worlds:,} | {cost * 1e6:.2f} | {cost / unit:.2f} | {times} |")
    gain = best["ours 4096"][1] / two["best"]["ours 4096"][1]
    print(
        f"\nTwo threads step 4096 worlds {gain:.2f} times as fast as one; a world takes {bytes_per_world:,.0f} bytes."
    )
    print(f"Loading takes {one['load'] * 1e3:.1f} ms, the first step of one world {one['first'] * 1e3:.2f} ms.")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory"]:
            print(json.dumps(memory()))
        case [threads]:
            print(json.dumps(child(int(threads))))
        case _:
            report()
