"""MuJoCo beside the engine: the same model and state in both, and how far two arrays are apart."""

import mujoco
import numpy as np

import motrixsim


def load(text):
    ours = motrixsim.load_mjcf_str(text)
    ours.options.contact_model = "mujoco"
    return ours, mujoco.MjModel.from_xml_string(text)


def to_dof_pos(model, qpos):
    """MuJoCo's w x y z to the API's i j k w."""
    out = qpos.copy()
    for joint in range(model.njnt):
        kind, first = model.jnt_type[joint], model.jnt_qposadr[joint]
        quat = {0: first + 3, 1: first}.get(int(kind))
        if quat is not None:
            out[quat : quat + 4] = qpos[[quat + 1, quat + 2, quat + 3, quat]]
    return out


def random_state(model, seed, size):
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv) * size, 1.0)
    mujoco.mju_normalize4(data.qpos[3:7]) if model.jnt_type[0] == 0 else None
    data.qvel[:] = rng.normal(size=model.nv) * size * 5
    data.ctrl[:] += rng.normal(size=model.nu) * 0.3
    return data


def place(scene, model, reference, precision):
    data = motrixsim.SceneData(scene, precision=precision)
    data.set_dof_pos(to_dof_pos(model, reference.qpos), scene)
    data.set_dof_vel(reference.qvel)
    if model.nu:
        data.actuator_ctrls = reference.ctrl.copy()
    scene.forward_kinematic(data)
    return data


def worst(a, b):
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    return np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0))
