"""Recordings: columns, decimation, chosen worlds, formats, and files that a crash cut short."""

import csv
import importlib.util

import numpy as np
import pytest

import motrixsim
from motrixsim.record import Recorder, read

SCENE = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="pole" pos="0 0 2">
      <joint name="hinge" type="hinge" axis="0 1 0"/><geom name="rod" type="capsule" size="0.05 0.4" pos="0.3 0 0"/>
      <site name="tip" pos="0.7 0 0"/>
      <body pos="0.7 0 0"><joint name="ball" type="ball"/><geom name="bob" size="0.1" pos="0.4 0 0"/></body>
    </body>
  </worldbody>
  <sensor><framepos name="where" objtype="site" objname="tip"/><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> motrixsim.SceneModel:
    return motrixsim.load_mjcf_str(SCENE)


def run(recorder, model, data, steps=10) -> None:
    for _ in range(steps):
        motrixsim.step(model, data)
        recorder.sample(data)


def test_columns_are_what_was_asked_for_at_the_times_asked_for(model) -> None:
    data = motrixsim.SceneData(model, (3,), precision="f64")
    data.set_dof_vel(np.array([[0.1], [0.2], [0.3]]) * np.ones((3, model.num_dof_vel)))
    recorder = Recorder(model, decimation=4, worlds=[2, 0])
    recorder.joints(["hinge"])
    recorder.sensors(["where", "angle"])
    recorder.contacts()
    recorder.add("energy", lambda _, data: data.dof_vel[..., 0] ** 2)
    proximity = motrixsim.Proximity("bob", "floor", dist_max=10)
    proximity.request(recorder, ["dist", "prox_type", "fromto"])
    expected = []
    for k in range(10):
        motrixsim.step(model, data)
        assert recorder.sample(data) == (k % 4 == 0)
        if k % 4 == 0:
            distance = proximity.get_proximity(model, data)[0]
            expected.append((data.time[[2, 0]], data.dof_vel[[2, 0], 0] ** 2, distance[[2, 0]]))
    columns = recorder.to_numpy()
    pair = "Proximities/bob_to_floor"
    assert list(columns) == [
        *("time", "Joints/hinge:pos", "Joints/hinge:vel", "Sensors/where:0", "Sensors/where:1", "Sensors/where:2"),
        *("Sensors/angle", "Contacts:count", "energy", f"{pair}:dist", f"{pair}:prox_type"),
        *(f"{pair}/fromto/{geom}:{axis}" for geom in ("bob", "floor") for axis in "xyz"),
    ]
    assert len(recorder) == 3
    assert columns["energy"].shape == (3, 2)
    for name, k in (("time", 0), ("energy", 1), ("Proximities/bob_to_floor:dist", 2)):
        np.testing.assert_array_equal(columns[name], [row[k] for row in expected])
    assert (columns["Proximities/bob_to_floor:prox_type"] == 1).all()


def test_a_single_world_has_no_dimension_of_worlds(model) -> None:
    data = motrixsim.SceneData(model)
    recorder = Recorder(model)
    recorder.joints()
    recorder.positions()
    run(recorder, model, data, 5)
    columns = recorder.to_numpy()
    assert columns["time"].shape == (5,)
    assert "Joints/ball:pos3" in columns
    assert "Joints/ball:vel2" in columns
    np.testing.assert_array_equal(columns["Joints/hinge:pos"], columns["dof_pos:0"])


def test_files_hold_what_arrays_hold(model, tmp_path) -> None:
    data = motrixsim.SceneData(model, (2,), precision="f64")
    recorder = Recorder(model, worlds=[1])
    recorder.joints(["hinge"])
    run(recorder, model, data)
    columns = recorder.to_numpy()
    recorder.save_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as archive:
        assert set(archive) == set(columns)
        np.testing.assert_array_equal(archive["Joints/hinge:vel"], columns["Joints/hinge:vel"])
    recorder.save_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["world"] for line in lines] == ["1"] * 10
    np.testing.assert_array_equal(
        [float(line["Joints/hinge:vel"]) for line in lines], columns["Joints/hinge:vel"][:, 0]
    )
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(ImportError, match="pip install pyarrow"):
            recorder.save_parquet(tmp_path / "run.parquet")
    else:
        import pyarrow.parquet

        recorder.save_parquet(tmp_path / "run.parquet")
        table = pyarrow.parquet.read_table(tmp_path / "run.parquet").to_pydict()
        np.testing.assert_array_equal(table["Joints/hinge:vel"], columns["Joints/hinge:vel"][:, 0])
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []


def test_a_file_cut_short_keeps_its_whole_samples_and_grows_on(model, tmp_path) -> None:
    path = tmp_path / "run.rec"
    data = motrixsim.SceneData(model, (2,), precision="f64")
    with Recorder(model, path=path) as recorder:
        recorder.joints(["hinge"])
        run(recorder, model, data)
        # What is written is on the way to the disk before the run ends.
        np.testing.assert_array_equal(read(path)["time"], recorder.to_numpy()["time"])
    whole = read(path)
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.truncate(size - 13)
    cut = read(path)
    np.testing.assert_array_equal(cut["Joints/hinge:pos"], whole["Joints/hinge:pos"][:-1])
    with Recorder(model, path=path) as recorder:
        recorder.joints(["hinge"])
        run(recorder, model, data, 3)
        after = recorder.to_numpy()
    grown = read(path)
    np.testing.assert_array_equal(grown["time"], np.concatenate([cut["time"], after["time"]]))
    other = Recorder(model, path=path)
    other.contacts()
    with pytest.raises(ValueError, match="other columns"):
        other.sample(data)
    assert path.stat().st_size == size + 2 * (size - len(path.read_bytes().split(b"\n", 1)[0]) - 1) // 10


def test_bad_recorders_are_refused(model, tmp_path) -> None:
    data = motrixsim.SceneData(model, (2,))
    with pytest.raises(ValueError, match="decimation"):
        Recorder(model, decimation=0)
    with pytest.raises(TypeError, match="decimation"):
        Recorder(model, decimation=1.5)
    recorder = Recorder(model)
    with pytest.raises(ValueError, match="no joint named 'knee'"):
        recorder.joints(["knee"])
    with pytest.raises(ValueError, match="sensor"):
        recorder.sensors(["nothing"])
    with pytest.raises(TypeError, match="sampler"):
        recorder.add("x", 3)
    recorder.add(["x", "y"], lambda _, data: np.zeros((2, 3)))
    with pytest.raises(ValueError, match="already"):
        recorder.add("x", lambda _, data: np.zeros(2))
    with pytest.raises(ValueError, match="x: the sampler gave shape"):
        recorder.sample(data)
    with pytest.raises(IndexError, match="world 7 of 2"):
        Recorder(model, worlds=[7]).sample(data)
    with pytest.raises(ValueError, match="attrs"):
        motrixsim.Proximity("bob", "floor", 1.0).request(recorder, ["speed"])
    running = Recorder(model)
    running.contacts()
    running.sample(data)
    with pytest.raises(RuntimeError, match="cannot be added"):
        running.contacts()
    with pytest.raises(ValueError, match="another shape"):
        running.sample(data[0])
    (tmp_path / "text").write_text("hello\n")
    with pytest.raises(ValueError, match="not a recording"):
        read(tmp_path / "text")


def test_contacts_are_recorded_with_all_that_is_known_of_them() -> None:
    model = motrixsim.load_mjcf_str("""<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 0.0999"><freejoint/><geom name="box" type="box" size="0.2 0.1 0.1" mass="2"/></body>
      <body pos="3 0 5"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>""")
    # Friction that holds would leave a millinewton across where nothing pulls.
    model.options.contact_model = "mujoco"
    data = motrixsim.SceneData(model, (2,), precision="f64")
    recorder = Recorder(model)
    recorder.contacts(["count", "geoms", "pos", "dist", "force"], most=6)
    run(recorder, model, data, 300)
    columns = recorder.to_numpy()
    assert columns["Contacts:count"][-1].tolist() == [4, 4]
    geoms = [model.get_geom(name).index for name in ("floor", "box")]
    total = np.zeros(3)
    for i in range(4):
        assert columns[f"Contacts/{i}:geom1"][-1, 0] == geoms[0]
        assert columns[f"Contacts/{i}:geom2"][-1, 1] == geoms[1]
        assert -0.01 < columns[f"Contacts/{i}:dist"][-1, 0] < 0
        place = [columns[f"Contacts/{i}/pos:{axis}"][-1, 0] for axis in "xyz"]
        np.testing.assert_allclose(np.abs(place), [0.2, 0.1, 0], atol=0.01)
        total += [columns[f"Contacts/{i}/force:{axis}"][-1, 0] for axis in "xyz"]
    # The floor carries the box.
    np.testing.assert_allclose(total, [0, 0, 2 * 9.81], atol=1e-3)
    assert np.isnan(columns["Contacts/4:dist"]).all()
    for arguments, message in (({"attrs": ["depth"]}, "depth"), ({"most": -1}, "most")):
        with pytest.raises(ValueError, match=message):
            Recorder(model).contacts(**arguments)
