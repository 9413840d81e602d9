"""URDF: every part of the format compiles to the numbers of MuJoCo's own reader, and what that one cannot do is tested
by what it means."""

from __future__ import annotations

import pickle
import struct
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_oracle import differences
from urdf_cases import ROBOTS, joint, link, robot

import motrixsim


def write_wedge(path: Path) -> None:
    """A tetrahedron that is not symmetric, as a binary STL file."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1.3, 0], [0, 0, 1.7]], "f4")
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    path.parent.mkdir(parents=True, exist_ok=True)
    triangles = [struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces]
    path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + b"".join(triangles))


def load(path: Path, **options: object) -> motrixsim.SceneModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return motrixsim.load_model(path, **options)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_compiles_to_the_numbers_of_mujoco(name: str, tmp_path: Path) -> None:
    write_wedge(tmp_path / "wedge.stl")
    file = tmp_path / "robot.urdf"
    file.write_text(ROBOTS[name].replace("{meshes}", ""))
    oracle = mujoco.MjModel.from_xml_path(str(file))
    assert differences(load(file), oracle) == []


MESH_ROBOT = ROBOTS["meshes"]


def oracle_of_meshes(folder: Path) -> mujoco.MjModel:
    """MuJoCo knows no packages, so that its robot has the mesh beside it."""
    write_wedge(folder / "wedge.stl")
    (folder / "plain.urdf").write_text(MESH_ROBOT.replace("{meshes}", ""))
    return mujoco.MjModel.from_xml_path(str(folder / "plain.urdf"))


def package_robot(folder: Path) -> Path:
    folder.mkdir(parents=True)
    file = folder / "robot.urdf"
    file.write_text(MESH_ROBOT.replace("{meshes}", "package://arm/meshes/"))
    return file


def test_packages_are_found_above_the_file(tmp_path: Path) -> None:
    oracle = oracle_of_meshes(tmp_path)
    write_wedge(tmp_path / "arm" / "meshes" / "wedge.stl")
    file = package_robot(tmp_path / "arm" / "urdf")
    assert differences(load(file), oracle) == []


def test_packages_can_be_anywhere_when_that_is_told(tmp_path: Path) -> None:
    oracle = oracle_of_meshes(tmp_path)
    write_wedge(tmp_path / "opt" / "arm_of_somebody" / "meshes" / "wedge.stl")
    file = package_robot(tmp_path / "robots")
    with pytest.raises(motrixsim.LoadError, match="tell where the package arm is"):
        load(file)
    model = load(file, packages={"arm": tmp_path / "opt" / "arm_of_somebody"})
    assert differences(model, oracle) == []
    assert differences(pickle.loads(pickle.dumps(model)), oracle) == []
    for wrong in (["arm"], {"arm": 3}, {3: "arm"}):
        with pytest.raises(TypeError):
            load(file, packages=wrong)


def test_a_last_link_without_mass_that_moves_is_told(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    text = robot(link("base"), "\n", link("tip", inertial=""), joint("j", "continuous", "base", "tip"))
    file.write_text(text)
    with pytest.raises(ValueError, match="mass and inertia"):
        mujoco.MjModel.from_xml_path(str(file))
    with pytest.raises(motrixsim.LoadError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert problem.line == text[: text.index('<link name="tip"')].count("\n") + 1
    assert 'name="tip"' in problem.element
    assert "needs mass and inertia" in problem.message


def test_a_joint_that_follows_keeps_following(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(ROBOTS["a joint that follows another"])
    model = load(file)
    data = motrixsim.SceneData(model)
    for _ in range(200):
        motrixsim.step(model, data)
    first, third, second = (
        model.low.jnt_qposadr[model.low.names("joint").index(n)] for n in ("first", "third", "second")
    )
    q = np.asarray(data.dof_pos)
    # Equalities are soft; gravity pulls them apart by this much at most.
    assert abs(q[int(first)] - (-2 * q[int(second)] + 0.1)) < 0.05
    assert abs(q[int(third)] - q[int(second)]) < 0.05
