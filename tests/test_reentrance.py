"""Arguments that convert themselves to arrays may read, or even write, the very data they are meant for."""

import threading
from collections.abc import Callable

import numpy as np
import pytest

import motrixsim

PATIENCE = 30.0
"""Seconds after which a call counts as hanging; it takes microseconds."""


class Curious:
    """An argument that looks at the data while it is being converted."""

    def __init__(self, value: object, data: motrixsim.SceneData) -> None:
        self.value, self.data = value, data
        self.seen = 0

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        self.seen += self.data.dof_pos.size + self.data.time.size
        self.data.set_dof_vel(self.data.dof_vel)
        self.data.model.get_link_poses(self.data)
        return np.asarray(self.value, dtype)


def ends(work: Callable[[], object]) -> object:
    """The result of `work`, which must come in time; a hanging thread is left behind rather than waited for."""
    result: list[object] = []

    def run() -> None:
        try:
            result.append(work())
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the call waits for itself"
    if isinstance(result[0], Exception):
        raise result[0]
    return result[0]


UNIT = [0, 0, 0, 0, 0, 0, 1.0]


def setters(
    model: motrixsim.SceneModel, data: motrixsim.SceneData
) -> dict[str, tuple[Callable[[object], object], object]]:
    """Everything that takes an array and data, with a value that it takes."""
    link, base, geom = model.get_link("robot"), model.floating_bases[0], model.get_geom("foot_geom")
    hip, body, servo = model.get_joint("hip"), model.get_body("robot"), model.get_actuator("servo")
    spring, terrain = model.get_actuator("spring"), model.get_geom("terrain")
    scanner_frame = model.get_link("foot")
    pose, still = model.compute_init_dof_pos(), np.zeros(model.num_dof_vel)
    return {
        "set_dof_pos": (lambda x: data.set_dof_pos(x, model), pose),
        "set_dof_vel": (data.set_dof_vel, still),
        "actuator_ctrls": (lambda x: setattr(data, "actuator_ctrls", x), np.zeros(model.num_actuators)),
        "reset dof_pos": (lambda x: data.reset(model, dof_pos=x), pose),
        "reset dof_vel": (lambda x: data.reset(model, dof_vel=x), still),
        "set_gravity_override": (lambda x: model.set_gravity_override(data, x), [0, 0, -1]),
        "Body.set_dof_pos": (lambda x: body.set_dof_pos(data, x), pose[:9]),
        "Body.set_dof_vel": (lambda x: body.set_dof_vel(data, x), still[:8]),
        "Body.set_actuator_ctrls": (lambda x: body.set_actuator_ctrls(data, x), np.zeros(5)),
        "Joint.set_dof_pos": (lambda x: hip.set_dof_pos(data, x), [0.1]),
        "Joint.set_dof_vel": (lambda x: hip.set_dof_vel(data, x), [0.1]),
        "Joint.set_armature_override": (lambda x: hip.set_armature_override(data, x), 0.1),
        "FloatingBase.set_translation": (lambda x: base.set_translation(data, x), [1, 2, 3]),
        "FloatingBase.set_rotation": (lambda x: base.set_rotation(data, x), [0, 0, 0, 1]),
        "FloatingBase.set_global_linear_velocity": (lambda x: base.set_global_linear_velocity(data, x), [1, 2, 3]),
        "FloatingBase.set_global_angular_velocity": (lambda x: base.set_global_angular_velocity(data, x), [1, 2, 3]),
        "FloatingBase.set_local_angular_velocity": (lambda x: base.set_local_angular_velocity(data, x), [1, 2, 3]),
        "Mocap.set_pose": (lambda x: model.get_body("target").mocap.set_pose(data, x), UNIT),
        "Link.set_mass_override": (lambda x: link.set_mass_override(data, x), 2.0),
        "Link.set_center_of_mass_override": (lambda x: link.set_center_of_mass_override(data, x), [0, 0, 0.1]),
        "Link.set_inertia_override": (lambda x: link.set_inertia_override(data, x), [1, 1, 1, 0.1, 0, 0]),
        "Link.add_external_force": (lambda x: link.add_external_force(data, x), [1, 0, 0]),
        "Link.add_external_force point": (lambda x: link.add_external_force(data, [1, 0, 0], x), [1, 0, 0]),
        "Link.add_external_torque": (lambda x: link.add_external_torque(data, x), [1, 0, 0]),
        "Geom.set_friction_override": (lambda x: geom.set_friction_override(data, x), [1, 0.1, 0.1]),
        "GeomSphere.set_size_override": (lambda x: geom.set_size_override(data, x), [0.1]),
        "Actuator.set_ctrl": (lambda x: servo.set_ctrl(data, x), 0.5),
        "PositionActuator.set_kp_override": (lambda x: servo.set_kp_override(data, x), 5.0),
        "GeneralActuator.set_bias_override": (lambda x: spring.set_bias_override(data, x), 5.0),
        "GeomHField.sample_height": (lambda x: terrain.sample_height(data, x), [[20.0, 0.0]]),
        "GeomHField.sample_normal": (lambda x: terrain.sample_normal(data, x), [[20.0, 0.0]]),
        "GeomHField.set_window_override": (lambda x: terrain.set_window_override(data, x, 1.0, (2, 2)), [0, 0]),
        "TerrainScanner": (lambda x: motrixsim.TerrainScanner(terrain, scanner_frame, x).scan(data), [[0.0, 0.0]]),
        "raycast": (lambda x: motrixsim.raycast(model, data, x, [0, 0, -1.0]), [0, 0, 5.0]),
        "is_colliding": (model.get_contact_query(data).is_colliding, [[0, 1]]),
        "get_link_poses": (lambda x: model.get_link_poses(data, indices=x), [0, 1]),
    }


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "batch"])
def test_an_argument_may_use_the_data_it_is_for(zoo, batch, precision) -> None:
    data = motrixsim.SceneData(zoo, batch, precision=precision)
    for name, (call, value) in setters(zoo, data).items():
        curious = Curious(value, data)
        ends(lambda call=call, curious=curious: call(curious))
        assert curious.seen > 0, name


def test_an_argument_that_fails_changes_nothing(zoo, data) -> None:
    class Broken:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            raise RuntimeError("no array today")

    before = data.digest()
    for name, (call, _) in setters(zoo, data).items():
        with pytest.raises(RuntimeError, match="no array today"):
            ends(lambda call=call: call(Broken()))
        assert np.array_equal(data.digest(), before), name
