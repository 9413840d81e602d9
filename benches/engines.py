"""One engine in one process: loads a workload, steps it, and says how long it took.

Run by `compare.py` under the interpreter of the engine, because two engines that import under the same name cannot
live in one process: `python engines.py {motrixsim|mujoco} THREADS OPTIONS`. Requests and answers are JSON, a line each.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

# Standard deviation of what is added to every velocity of every world at the start, in m/s and rad/s.
JOLT = 0.1


class MuJoCo:
    """`mujoco.batch`, MuJoCo's own way to step many worlds."""

    def __init__(self, threads: int, options: dict[str, Any]) -> None:
        import mujoco
        from mujoco import batch

        self.mujoco, self.batches = mujoco, batch
        self.threads, self.options = threads, options

    def load(self, scene: str, worlds: int) -> None:
        self.model = self.mujoco.MjModel.from_xml_path(scene)
        for name, value in self.options.items():
            setattr(self.model.opt, name, value)
        self.batch = self.batches.Batch(self.model, nsim=worlds, nthread=self.threads)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.ctrl, self.warmstart = self.batch.bind("ctrl"), self.batch.bind("qacc_warmstart")

    def reset(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.qpos[:], self.qvel[:], self.warmstart[:] = qpos, qvel, 0

    def step(self, controls: np.ndarray, count: int) -> None:
        if controls.shape[1]:
            self.ctrl[:] = controls
        self.batch.step(nstep=count)

    def state(self) -> np.ndarray:
        return np.array(self.qpos)

    def contacts(self) -> float:
        data, counts = self.mujoco.MjData(self.model), []
        for qpos, qvel in list(zip(self.qpos, self.qvel, strict=True))[:32]:
            data.qpos[:], data.qvel[:] = qpos, qvel
            self.mujoco.mj_forward(self.model, data)
            counts.append(int((data.contact.dist[: data.ncon] < 0).sum()))
        return float(np.mean(counts))


class MotrixSim:
    """Any wheel that imports as `motrixsim`."""

    def __init__(self, threads: int, options: dict[str, Any]) -> None:
        import motrixsim

        self.engine = motrixsim
        motrixsim.init_thread_pool(threads)
        self.precision = options.pop("precision", None)
        self.options = options

    def load(self, scene: str, worlds: int) -> None:
        self.model = self.engine.load_model(scene)
        for name, value in self.options.items():
            setattr(self.model.options, name, value)
        extra = {"precision": self.precision} if self.precision else {}
        self.data = self.engine.SceneData(self.model, batch=(worlds,), **extra)
        self.quaternions = [base.dof_pos_start + 3 for base in self.model.floating_bases]

    def swap(self, qpos: np.ndarray, order: list[int]) -> np.ndarray:
        """Quaternions of free joints in another order of their components."""
        qpos = np.array(qpos)
        for first in self.quaternions:
            qpos[:, first : first + 4] = qpos[:, [first + k for k in order]]
        return qpos

    def reset(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.data.reset(self.model, self.swap(qpos, [1, 2, 3, 0]).astype(np.float32), qvel.astype(np.float32))

    def step(self, controls: np.ndarray, count: int) -> None:
        if controls.shape[1]:
            self.data.actuator_ctrls = controls.astype(np.float32)
        self.model.step_n(self.data, count)

    def state(self) -> np.ndarray:
        return self.swap(np.asarray(self.data.dof_pos), [3, 0, 1, 2])

    def contacts(self) -> float:
        self.model.forward_kinematic(self.data)
        return float(np.mean(self.model.get_contact_query(self.data).num_contacts))


def footprint(engine: MuJoCo | MotrixSim, scene: str, worlds: int, rest: np.ndarray) -> dict[str, float]:
    """Milliseconds to load a scene and for a first step of one world, and bytes that each of many worlds takes."""
    start = time.perf_counter()
    engine.load(scene, 1)
    loaded = time.perf_counter()
    engine.step(rest[None], 1)
    stepped = time.perf_counter()
    # A batch is made while the model and the batch before it are still held: the second peak has its own worlds more.
    peaks = []
    for count in (worlds // 4, worlds):
        engine.load(scene, count)
        engine.step(np.tile(rest, (count, 1)), 1)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return {
        "load": (loaded - start) * 1e3,
        "first": (stepped - loaded) * 1e3,
        "bytes": (peaks[1] - peaks[0]) / worlds,
    }


def serve(engine: MuJoCo | MotrixSim) -> None:
    """Answers requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # engines may print; the answers stay clean
    noise = np.empty(0)
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        match request["do"]:
            case "load":
                folder = Path(request["folder"])
                worlds = request["worlds"]
                engine.load(str(folder / "scene.xml"), worlds)
                saved = np.load(folder / "states.npz")
                pick = np.arange(worlds) % len(saved["qpos"])
                rest, rng = saved["rest"], np.random.default_rng(1)
                # No two worlds are alike: those that are would be solved alike, too easily in lanes.
                velocities = saved["qvel"][pick]
                start = (saved["qpos"][pick], velocities + JOLT * rng.normal(size=velocities.shape))
                noise = rest + request["noise"] * rng.normal(size=(request["ticks"], worlds, len(rest)))
                engine.reset(*start)
                engine.step(noise[0], request["decimation"])
            case "run":
                # The same stretch of motion, as often as asked.
                answer = {"cpu": 0.0, "wall": 0.0}
                for _ in range(request.get("repeats", 1)):
                    engine.reset(*start)
                    cpu, wall = time.process_time(), time.perf_counter()
                    for controls in noise:
                        engine.step(controls, request["decimation"])
                    answer["cpu"] += time.process_time() - cpu
                    answer["wall"] += time.perf_counter() - wall
            case "footprint":
                folder = Path(request["folder"])
                rest = np.load(folder / "states.npz")["rest"]
                answer = footprint(engine, str(folder / "scene.xml"), request["worlds"], rest)
            case "look":
                qpos = engine.state()
                finite = np.isfinite(qpos).all(1)
                answer = {
                    "contacts": engine.contacts(),
                    "finite": float(finite.mean()),
                    "height": float(np.abs(qpos[finite][:, 2]).mean()) if finite.any() else float("nan"),
                }
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    kind = {"mujoco": MuJoCo, "motrixsim": MotrixSim}[sys.argv[1]]
    serve(kind(int(sys.argv[2]), json.loads(sys.argv[3])))
