"""What the Python edge costs, as ratios measured in one run, printed as Markdown.

Each pair is timed in turn, and the best of many repetitions counts, so that a busy machine disturbs both sides alike. A
bound in the last column is the aim, not a test.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import motrixsim as mx

QUADRUPED = Path(__file__).parent.parent / "examples" / "assets" / "quadruped.xml"


def best(*works: Callable[[], object], repetitions: int = 60) -> list[float]:
    """The shortest CPU time of each, in seconds, all of the calling thread and its pool."""
    times = [np.inf] * len(works)
    for _ in range(repetitions):
        for k, work in enumerate(works):
            start = time.process_time_ns()
            work()
            times[k] = min(times[k], (time.process_time_ns() - start) * 1e-9)
    return times


def walking(model: mx.SceneModel, count: int) -> mx.SceneData:
    """Worlds that stand and fall differently."""
    data = mx.SceneData(model, (count,))
    rng = np.random.default_rng(0)
    start = np.tile(model.keyframes[0].dof_pos, (count, 1))
    start[:, 7:] += rng.normal(0, 0.2, start[:, 7:].shape)
    data.set_dof_pos(start, model)
    data.actuator_ctrls = start[:, 7:]
    model.step_n(data, 100)
    return data


def getters(model: mx.SceneModel) -> None:
    data = walking(model, 8192)
    for name, get in (("dof_pos", lambda: data.dof_pos), ("get_link_poses", lambda: model.get_link_poses(data))):
        array = get()
        ours, copy = best(get, array.copy)
        print(f"| `{name}` of 8192 worlds, times a copy of the same bytes | {ours / copy:.2f} | 1.5 |")


def resets(model: mx.SceneModel) -> None:
    data = walking(model, 4096)
    kept = data.snapshot()
    pose, still = model.keyframes[0].dof_pos, np.zeros(model.num_dof_vel)
    for share, bound in ((512, "15 %"), (32, "")):
        mask = np.zeros(4096, bool)
        mask[np.random.default_rng(1).choice(4096, share, replace=False)] = True

        def partial(mask: np.ndarray = mask) -> None:
            part = data[mask]
            part.reset(model)
            part.set_dof_vel(still)
            part.set_dof_pos(pose, model)
            model.forward_kinematic(part)
            model.get_link_poses(part)

        def step() -> None:
            model.step(data)

        some, all_worlds = best(partial, step, repetitions=12)
        data.restore(kept)
        what = f"reset of {share} of 4096 worlds ({some * 1e3:.2f} ms), % of a step"
        print(f"| {what} | {100 * some / all_worlds:.1f} | {bound} |")


def resets_beside_mujoco(model: mx.SceneModel) -> None:
    """Both put the same worlds into the keyframe and compute where their bodies then are."""
    import mujoco
    from mujoco import batch

    theirs = batch.Batch(mujoco.MjModel.from_xml_path(str(QUADRUPED)), nsim=4096)
    theirs.bind("xpos"), theirs.bind("xquat")
    data = walking(model, 4096)
    pose, still = model.keyframes[0].dof_pos, np.zeros(model.num_dof_vel)
    for share in (32, 512):
        worlds = np.sort(np.random.default_rng(1).choice(4096, share, replace=False))

        def ours(worlds: np.ndarray = worlds) -> None:
            part = data[worlds]
            part.reset(model, dof_pos=pose, dof_vel=still, forward_kinematic=True)
            model.get_link_poses(part)

        def other(worlds: np.ndarray = worlds) -> None:
            theirs.reset(worlds, keyframe=0, stage=mujoco.mjtStage.mjSTAGE_POS)

        a, b = best(ours, other, repetitions=100)
        times = f"{a * 1e3:.3f} ms, times `mujoco.batch` {b * 1e3:.3f} ms"
        what = f"reset of {share} of 4096 worlds to a keyframe, with poses: {times}"
        print(f"| {what} | {a / b:.2f} | 1 |")


def snapshots(model: mx.SceneModel) -> None:
    data = walking(model, 1024)
    kept = data.snapshot()
    save, restore, step = best(data.snapshot, lambda: data.restore(kept), lambda: model.step(data), repetitions=20)
    print(f"| snapshot of 1024 worlds, times a step | {save / step:.2f} | 1 |")
    print(f"| restore of 1024 worlds, times a step | {restore / step:.2f} | 1 |")


def overhead() -> None:
    model = mx.load_mjcf_str("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    data = mx.SceneData(model, (0,))
    calls = 10_000

    def many() -> None:
        for _ in range(calls):
            model.step(data)

    (seconds,) = best(many, repetitions=5)
    print(f"| `step` of an empty batch, µs | {seconds / calls * 1e6:.2f} | 5 |")


def main() -> None:
    model = mx.load_model(QUADRUPED)
    print("**The Python edge, on the quadruped**\n")
    print("| what | measured | aim |")
    print("|---|---:|---:|")
    getters(model)
    resets(model)
    resets_beside_mujoco(model)
    snapshots(model)
    overhead()


if __name__ == "__main__":
    main()
