"""The scenes that engines are compared on, written by scripts or our own models, as folders any engine can load.

Each workload is a folder with `scene.xml` and what it names, and `states.npz`: start states in MuJoCo's layout that
were reached by stepping MuJoCo under the same kind of control noise, so that all engines begin in the middle of the
contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
QUADRUPED = ROOT / "examples/assets/quadruped.xml"
FLOOR = '<geom name="floor" type="plane" size="20 20 0.1" material="ground"/>'


@dataclass(frozen=True)
class Workload:
    """A scene and how it is driven."""

    name: str
    write: Callable[[Path], str]
    """Writes the files of the scene and returns its MJCF."""
    noise: float = 0.0
    """Standard deviation of the controls about those of the first keyframe."""
    decimation: int = 5
    """Steps between changes of the controls."""
    settle: int = 200
    """Steps before the start states are taken."""


def rough(rows: int, seed: int, amplitude: float = 0.3) -> np.ndarray:
    """Rolling hills with noise in every cell, in [0, 1]."""
    rng = np.random.default_rng(seed)
    y, x = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, rows), indexing="ij")
    heights = np.zeros((rows, rows))
    for _ in range(6):
        k = rng.uniform(1, 6, 2) * rng.choice([-1, 1], 2)
        heights += rng.uniform(0.3, 1) * np.sin(2 * np.pi * (k[0] * x + k[1] * y) + rng.uniform(0, 6.28))
    heights = (heights - heights.min()) / np.ptp(heights)
    heights = (1 - amplitude) * heights + amplitude * rng.uniform(0, 1, heights.shape)
    return (heights - heights.min()) / np.ptp(heights)


def write_field(folder: Path, heights: np.ndarray) -> None:
    """MuJoCo's binary height field: rows, columns, heights from -y."""
    with open(folder / "terrain.hfield", "wb") as file:
        np.array(heights.shape, np.int32).tofile(file)
        heights.astype(np.float32).tofile(file)


def quadruped(options: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        return with_options(QUADRUPED.read_text(), options)

    return write


def with_options(scene: str, options: str) -> str:
    """The scene with one more `<option>` element, which MJCF merges with the first."""
    return scene.replace("<worldbody>", f"<option {options}/><worldbody>", 1) if options else scene


def quadruped_on_a_field(folder: Path) -> str:
    write_field(folder, rough(400, seed=4, amplitude=0.06))
    scene = QUADRUPED.read_text()
    asset = '<hfield name="terrain" file="terrain.hfield" size="10 10 0.8 0.5"/></asset>'
    scene = scene.replace("</asset>", asset, 1)
    return scene.replace(FLOOR, '<geom name="floor" type="hfield" hfield="terrain" pos="0 0 -0.5"/>')


def pile_of(count: int, side: int = 3, seed: int = 1) -> str:
    """Bodies of four shapes over a square grid, in layers."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(count):
        layer, row, column = i // side**2, (i // side) % side, i % side
        place = 0.24 * np.array([column - (side - 1) / 2, row - (side - 1) / 2, 0.75 + layer])
        place += rng.uniform(-0.02, 0.02, 3)
        turn = rng.normal(size=4)
        kind, size = [
            ("sphere", rng.uniform(0.06, 0.09, 1)),
            ("box", rng.uniform(0.05, 0.08, 3)),
            ("capsule", rng.uniform(0.05, 0.07, 2)),
            ("cylinder", rng.uniform(0.05, 0.07, 2)),
        ][i % 4]
        bodies.append(
            f'<body pos="{numbers(place)}" quat="{numbers(turn / np.linalg.norm(turn))}"><freejoint/>'
            f'<geom type="{kind}" size="{numbers(size)}" density="500"/></body>'
        )
    return "\n".join(bodies)


def numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.4f}" for value in values)


def pile(folder: Path) -> str:
    return f"""<mujoco><worldbody><geom type="plane" size="20 20 0.1"/>{pile_of(25)}</worldbody></mujoco>"""


def pile_on_a_field(folder: Path) -> str:
    write_field(folder, rough(200, seed=2, amplitude=0.1))
    return f"""<mujoco>
  <asset><hfield name="terrain" file="terrain.hfield" size="4 4 0.5 0.5"/></asset>
  <worldbody><geom type="hfield" hfield="terrain" pos="0 0 -0.5"/>{pile_of(25)}</worldbody>
</mujoco>"""


def ant(folder: Path) -> str:
    """Four legs of two hinges on a sphere."""
    legs, motors = [], []
    for i, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        legs.append(f"""
<body>
  <geom type="capsule" size="0.08" fromto="0 0 0 {0.2 * sx} {0.2 * sy} 0"/>
  <body pos="{0.2 * sx} {0.2 * sy} 0">
    <joint name="hip{i}" axis="0 0 1" range="-40 40"/>
    <geom type="capsule" size="0.08" fromto="0 0 0 {0.2 * sx} {0.2 * sy} 0"/>
    <body pos="{0.2 * sx} {0.2 * sy} 0">
      <joint name="ankle{i}" axis="{-sy} {sx} 0" range="30 100"/>
      <geom type="capsule" size="0.08" fromto="0 0 0 {0.4 * sx} {0.4 * sy} 0"/>
    </body>
  </body>
</body>""")
        motors.append(f'<motor joint="hip{i}" gear="150"/><motor joint="ankle{i}" gear="150"/>')
    return f"""<mujoco>
  <option timestep="0.01" integrator="implicitfast"/>
  <default>
    <joint armature="1" damping="1"/>
    <geom density="5" friction="1 0.5 0.5" margin="0.01" conaffinity="0"/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
  </default>
  <worldbody>
    <geom type="plane" size="40 40 1" conaffinity="1"/>
    <body pos="0 0 0.75"><freejoint/><geom type="sphere" size="0.25"/>{"".join(legs)}</body>
  </worldbody>
  <actuator>{"".join(motors)}</actuator>
</mujoco>"""


def humanoid(folder: Path) -> str:
    """Twenty-one hinges on a free trunk, capsules and spheres that also touch each other."""
    motors: list[str] = []

    def joint(name: str, axis: str, low: int, high: int, gear: int) -> str:
        motors.append(f'<motor joint="{name}" gear="{gear}"/>')
        return f'<joint name="{name}" axis="{axis}" range="{low} {high}"/>'

    def leg(side: str, s: int) -> str:
        return f"""
<body pos="0 {0.1 * s} -0.04">
  {joint(f"{side}_hip_x", f"{s} 0 0", -25, 10, 40)}{joint(f"{side}_hip_z", f"0 0 {s}", -60, 35, 40)}
  {joint(f"{side}_hip_y", "0 1 0", -110, 20, 120)}
  <geom type="capsule" size="0.06" fromto="0 0 0 0 {0.01 * s} -0.34"/>
  <body pos="0 {0.01 * s} -0.4">
    {joint(f"{side}_knee", "0 1 0", -2, 160, 80)}
    <geom type="capsule" size="0.049" fromto="0 0 0 0 0 -0.3"/>
    <body pos="0 0 -0.39">
      {joint(f"{side}_ankle_y", "0 1 0", -50, 50, 20)}{joint(f"{side}_ankle_x", f"{s} 0 0.5", -50, 50, 20)}
      <geom type="capsule" size="0.027" fromto="-0.07 {-0.01 * s} 0 0.14 {-0.03 * s} 0"/>
      <geom type="capsule" size="0.027" fromto="-0.07 {0.01 * s} 0 0.14 {0.03 * s} 0"/>
    </body>
  </body>
</body>"""

    def arm(side: str, s: int) -> str:
        return f"""
<body pos="0 {0.17 * s} 0.06">
  {joint(f"{side}_shoulder1", f"2 {s} {s}", -85, 60, 20)}{joint(f"{side}_shoulder2", f"0 -1 {s}", -85, 60, 20)}
  <geom type="capsule" size="0.04" fromto="0 0 0 0.16 {0.16 * s} -0.16"/>
  <body pos="0.18 {0.18 * s} -0.18">
    {joint(f"{side}_elbow", f"0 -1 {s}", -100, 50, 40)}
    <geom type="capsule" size="0.031" fromto="0.01 {-0.01 * s} 0.01 0.17 {-0.17 * s} 0.17"/>
    <geom type="sphere" size="0.04" pos="0.18 {-0.18 * s} 0.18"/>
  </body>
</body>"""

    body = f"""
<body pos="0 0 1.3">
  <freejoint/>
  <geom type="capsule" size="0.07" fromto="0 -0.07 0 0 0.07 0"/>
  <geom type="sphere" size="0.09" pos="0 0 0.19"/>
  <geom type="capsule" size="0.06" fromto="-0.01 -0.06 -0.12 -0.01 0.06 -0.12"/>
  {arm("right", -1)}{arm("left", 1)}
  <body pos="-0.01 0 -0.26">
    {joint("abdomen_z", "0 0 1", -45, 45, 40)}{joint("abdomen_y", "0 1 0", -75, 30, 40)}
    <geom type="capsule" size="0.06" fromto="0 -0.06 0 0 0.06 0"/>
    <body pos="0 0 -0.165">
      {joint("abdomen_x", "1 0 0", -35, 35, 40)}
      <geom type="capsule" size="0.09" fromto="-0.02 -0.07 0 -0.02 0.07 0"/>
      {leg("right", -1)}{leg("left", 1)}
    </body>
  </body>
</body>"""
    return f"""<mujoco>
  <option timestep="0.005"/>
  <default>
    <joint stiffness="2" damping="1" armature="0.02"/>
    <geom condim="1" friction="0.7" solimp="0.9 0.99 0.003" solref="0.015 1"/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
  </default>
  <worldbody><geom type="plane" size="40 40 1" condim="3"/>{body}</worldbody>
  <actuator>{"".join(motors)}</actuator>
</mujoco>"""


def arm_and_cube(folder: Path) -> str:
    """Seven joints, two fingers and a cube between them on a table."""
    links, end, lengths = [], [], [0.15, 0.18, 0.15, 0.2, 0.1, 0.1, 0.08]
    for i, length in enumerate(lengths):
        axis = "0 0 1" if i % 2 == 0 else "0 1 0"
        links.append(
            f'<body pos="0 0 {lengths[i - 1] if i else 0.1}"><joint name="j{i}" axis="{axis}" range="-165 165"/>'
            f'<geom type="capsule" size="0.04" fromto="0 0 0.05 0 0 {length - 0.01}" contype="0" conaffinity="0"/>'
        )
        end.append("</body>")
    hand = """
<body pos="0 0 0.1">
  <geom type="box" size="0.05 0.02 0.01" mass="0.3" contype="0" conaffinity="0"/>
  <body pos="-0.04 0 0.05"><joint name="left" type="slide" axis="1 0 0" range="0 0.04"/>
    <geom type="box" size="0.006 0.015 0.03" mass="0.05"/></body>
  <body pos="0.04 0 0.05"><joint name="right" type="slide" axis="-1 0 0" range="0 0.04"/>
    <geom type="box" size="0.006 0.015 0.03" mass="0.05"/></body>
</body>"""
    servos = "".join(f'<position joint="j{i}" kp="800" kv="40" ctrlrange="-2.8 2.8"/>' for i in range(7))
    home = "0 0.5 0 1.2 0 1.4 0"
    return f"""<mujoco>
  <option timestep="0.005" integrator="implicitfast"/>
  <default><joint armature="0.1" damping="1"/></default>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.02">{"".join(links)}{hand}{"".join(end)}</body>
    <body pos="0.45 0 0.03"><freejoint/>
      <geom type="box" size="0.025 0.025 0.03" mass="0.1" friction="1 0.03 0.003" solref="0.01 1"/></body>
  </worldbody>
  <actuator>{servos}<position joint="left" kp="500" kv="20" ctrlrange="0 0.04"/>
    <position joint="right" kp="500" kv="20" ctrlrange="0 0.04"/></actuator>
  <keyframe><key qpos="{home} 0.01 0.01 0.45 0 0.03 1 0 0 0" ctrl="{home} 0.02 0.02"/></keyframe>
</mujoco>"""


def chain(folder: Path) -> str:
    """Thirty links that hang and swing without touching anything."""
    body = ""
    for i in reversed(range(30)):
        axis = "0 1 0" if i % 2 else "1 0 0"
        body = (
            f'<body pos="0 0 {-0.1 if i else 0}"><joint axis="{axis}" damping="0.01"/>'
            f'<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.1" contype="0" conaffinity="0"/>{body}</body>'
        )
    return f'<mujoco><worldbody><body pos="0 0 4">{body}</body></worldbody></mujoco>'


def shapes_on_a_field(folder: Path) -> str:
    """A convex mesh and a box on a large field."""
    write_field(folder, rough(1000, seed=8, amplitude=0.05))
    rng = np.random.default_rng(8)
    points = rng.normal(size=(60, 3))
    points *= 0.12 / np.linalg.norm(points, axis=1, keepdims=True)
    return f"""<mujoco>
  <asset>
    <hfield name="terrain" file="terrain.hfield" size="25 25 1 0.5"/>
    <mesh name="rock" vertex="{numbers(points.ravel())}"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="terrain" pos="0 0 -0.9"/>
    <body pos="0 0 0.5"><freejoint/><geom type="mesh" mesh="rock"/></body>
    <body pos="0.5 0 0.5"><freejoint/><geom type="box" size="0.12 0.1 0.08"/></body>
  </worldbody>
</mujoco>"""


WORKLOADS = {
    workload.name: workload
    for workload in [
        Workload("quadruped", quadruped(), noise=0.3),
        Workload("quadruped-elliptic", quadruped('cone="elliptic" impratio="100"'), noise=0.3),
        Workload("quadruped-field", quadruped_on_a_field, noise=0.3),
        Workload("ant", ant, noise=0.5),
        Workload("humanoid", humanoid, noise=0.5),
        Workload("arm", arm_and_cube, noise=0.1),
        Workload("chain", chain),
        Workload("shapes-field", shapes_on_a_field, settle=400),
        Workload("pile", pile, settle=400),
        Workload("pile-field", pile_on_a_field, settle=400),
    ]
}


def prepare(workload: Workload, folder: Path, states: int = 64) -> None:
    """Writes the scene and its start states, which MuJoCo makes."""
    import mujoco

    folder.mkdir(parents=True, exist_ok=True)
    scene = folder / "scene.xml"
    scene.write_text(workload.write(folder))
    model = mujoco.MjModel.from_xml_path(str(scene))
    rng = np.random.default_rng(0)
    rest = model.key_ctrl[0] if model.nkey else np.zeros(model.nu)
    qpos, qvel = np.zeros((states, model.nq)), np.zeros((states, model.nv))
    for k in range(states):
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qvel[:] = rng.normal(0, 0.3, model.nv)
        for step in range(workload.settle):
            if step % workload.decimation == 0:
                data.ctrl[:] = rest + workload.noise * rng.normal(size=model.nu)
            mujoco.mj_step(model, data)
        qpos[k], qvel[k] = data.qpos, data.qvel
    np.savez(folder / "states.npz", qpos=qpos, qvel=qvel, rest=rest)
