"""Recording how near a gripper comes to things while the arm moves: distances in every world, kept as columns."""

import argparse
from pathlib import Path

import numpy as np

import motrixsim as mx
from motrixsim.record import Recorder

ASSETS = Path(__file__).parent / "assets"
WORLDS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the recording")
    arguments = parser.parse_args()

    model = mx.load_model(ASSETS / "arm.xml")
    data = mx.SceneData(model, batch=[WORLDS])
    model.keyframes[0].apply(data)
    hand_to_cube = mx.Proximity("hand", "cube", dist_max=1.0)
    pad_to_table = mx.Proximity("left_pad", "table", dist_max=1.0)

    # Every world turns to another side.
    targets = data.actuator_ctrls
    targets[:, model.get_actuator_index("yaw")] = np.linspace(-0.5, 0.5, WORLDS)
    targets[:, model.get_actuator_index("shoulder")] += 0.25
    data.actuator_ctrls = targets

    recorder = Recorder(model, decimation=10)
    hand_to_cube.request(recorder)
    pad_to_table.request(recorder, attrs=["dist"])
    for _ in range(500):
        model.step(data)
        recorder.sample(data)
    columns = recorder.to_numpy()
    for name, values in columns.items():
        print(f"{name}: {values.shape} {values.dtype}")
    nearest = columns["Proximities/hand_to_cube:dist"].min(axis=0)
    print(f"the hand came as near as {np.round(nearest, 3)} m to the cube")
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        recorder.save_npz(arguments.out / "distances.npz")
        recorder.save_csv(arguments.out / "distances.csv")


if __name__ == "__main__":
    main()
