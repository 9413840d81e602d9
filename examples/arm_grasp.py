"""An arm picks up a cube: inverse kinematics from site Jacobians, in worlds whose cubes lie in different places."""

from pathlib import Path

import numpy as np

import motrixsim as mx

ASSETS = Path(__file__).parent / "assets"
WORLDS = 8
HOME = np.array([0.0, 0.25, 1.5, 0.0, 1.39, 0.0])  # the hand points down
OPEN, SHUT = 0.0, 0.035


def turn_towards(rotation: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The rotation vector, to first order, that takes one batch of frames to another: half the sum of axis products."""
    return 0.5 * sum(np.cross(rotation[..., :, k], wanted[..., :, k]) for k in range(3))


class Reach:
    """Servo targets that bring the hand to a point above the table, pointing down."""

    def __init__(self, model: mx.SceneModel, data: mx.SceneData) -> None:
        self.model, self.data, self.site = model, data, model.get_site("grasp")
        names = ["yaw", "shoulder", "elbow", "roll", "wrist", "flange"]
        self.dofs = np.array([model.get_joint(name).dof_vel_index for name in names])
        self.columns = np.array([list(self.site.dof_vel_indices).index(dof) for dof in self.dofs])
        self.actuators = np.array([model.get_actuator_index(name) for name in names])
        self.grip = model.get_actuator_index("grip")
        self.targets = np.tile(HOME, (WORLDS, 1))
        self.down = self.site.get_rotation_mat(data)

    def to(self, goal: np.ndarray, grip: float, seconds: float) -> None:
        """Follows a straight line to the goal by damped least squares: dq = J' (J J' + e I)^-1 dx."""
        start = self.site.get_position(self.data)
        steps = round(seconds / (10 * self.model.options.timestep))
        for k in range(steps):
            way = min(1.0, 1.25 * (k + 1) / steps)  # the last fifth is for settling
            where = start + way * (goal - start)
            error = np.concatenate(
                [
                    turn_towards(self.site.get_rotation_mat(self.data), self.down),
                    where - self.site.get_position(self.data),
                ],
                axis=1,
            )
            jacobian = self.site.get_jacobian(self.data)[:, :, self.columns].astype(float)
            square = jacobian @ jacobian.transpose(0, 2, 1) + 1e-4 * np.eye(6)
            change = jacobian.transpose(0, 2, 1) @ np.linalg.solve(square, error[..., None])
            self.targets += 0.3 * change[..., 0]
            controls = self.data.actuator_ctrls
            controls[:, self.actuators] = self.targets
            controls[:, self.grip] = grip
            self.data.actuator_ctrls = controls
            self.model.step_n(self.data, 10)


def main() -> None:
    model = mx.load_model(ASSETS / "arm.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    positions = data.dof_pos
    for k, name in enumerate(["yaw", "shoulder", "elbow", "roll", "wrist", "flange"]):
        positions[:, model.get_joint(name).dof_pos_index] = HOME[k]
    data.set_dof_pos(positions, model)
    cube = model.floating_bases[0]
    where = np.array([0.38, 0.0, 0.0251]) + np.random.default_rng(0).uniform(-0.06, 0.06, (WORLDS, 3)) * [1, 2, 0]
    cube.set_translation(data, where)
    model.forward_kinematic(data)

    reach = Reach(model, data)
    above, high = np.array([0, 0, 0.12]), np.array([0, 0, 0.15])
    reach.to(where + above, OPEN, 1.0)
    reach.to(where, OPEN, 0.8)
    reach.to(where, SHUT, 0.4)
    reach.to(where + high, SHUT, 1.0)
    lifted = cube.get_translation(data)[:, 2] - where[:, 2]
    print(f"cubes lifted by {np.round(lifted, 3)} m")
    print(f"{np.mean(lifted > 0.1):.0%} of the grasps hold")


if __name__ == "__main__":
    main()
