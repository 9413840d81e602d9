"""Pickles, copies, threads, forks and Ctrl-C."""

import copy
import os
import pickle
import threading
import weakref

import numpy as np
import pytest

import motrixsim


def test_data_and_model_travel_together_and_continue_bit_for_bit(zoo, data) -> None:
    zoo.get_link("robot").set_mass_override(data, 3.0)
    zoo.step_n(data, 3)
    model, copied = pickle.loads(pickle.dumps((zoo, data)))
    assert copied.model is model
    assert copied.shape == data.shape
    assert copied.precision == data.precision
    zoo.step_n(data, 3)
    model.step_n(copied, 3)
    np.testing.assert_array_equal(copied.dof_pos, data.dof_pos)
    np.testing.assert_array_equal(copied.time, data.time)


def test_a_pickled_model_needs_no_files_and_keeps_its_options(tmp_path) -> None:
    included, main = tmp_path / "part.xml", tmp_path / "main.xml"
    included.write_text("<mujoco><worldbody><body name='b'/></worldbody></mujoco>")
    main.write_text("<mujoco><include file='part.xml'/></mujoco>")
    model = motrixsim.load_model(main)
    model.options.timestep = 0.25
    blob = pickle.dumps(model)
    included.unlink()
    main.unlink()
    again = pickle.loads(blob)
    assert again.link_names == ["b"]
    assert again.options.timestep == 0.25


def test_a_copy_is_independent(zoo, data) -> None:
    for copied in (copy.copy(data), copy.deepcopy(data)):
        assert copied.model is zoo
        zoo.step(copied)
        assert not np.array_equal(copied.dof_pos, data.dof_pos)
    assert copy.copy(zoo) is zoo
    part = motrixsim.SceneData(zoo, (4,))[1:3]
    assert copy.copy(part).shape == (2,)


def test_models_and_data_can_be_watched(zoo) -> None:
    data = motrixsim.SceneData(zoo)
    watched = weakref.ref(data)
    del data
    assert watched() is None
    assert weakref.ref(zoo)() is zoo


def test_the_model_of_a_link_lives_on(tmp_path) -> None:
    link = motrixsim.load_mjcf_str("<mujoco><worldbody><body name='b'/></worldbody></mujoco>").get_link("b")
    assert link.model.get_link("b") == link


def test_threads_step_data_of_their_own_and_of_others(zoo) -> None:
    own = [motrixsim.SceneData(zoo, (9,)) for _ in range(3)]
    shared = motrixsim.SceneData(zoo, (9,))

    def work(data) -> None:
        for _ in range(5):
            zoo.step(data)
            zoo.step(shared)

    threads = [threading.Thread(target=work, args=(data,)) for data in own]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for data in own[1:]:
        np.testing.assert_array_equal(data.dof_pos, own[0].dof_pos)
    np.testing.assert_allclose(shared.time, np.full(9, 15 * 0.002))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_step(run_python) -> None:
    program = """
import os, sys, motrixsim
model = motrixsim.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
data = motrixsim.SceneData(model, (64,))
model.step(data)
child = os.fork()
if child == 0:
    model.step(data)
    os._exit(0 if abs(data.time[0] - 0.004) < 1e-9 else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    result = run_python("-W", "ignore", "-c", program)
    assert result.stdout.strip() == "0", result.stderr


def test_a_spawned_process_takes_models_and_data_over(run_python, tmp_path) -> None:
    program = tmp_path / "workers.py"
    program.write_text("""
import multiprocessing, motrixsim

def work(pair):
    model, data = pair
    model.step_n(data, 5)
    return data.digest().tolist()

if __name__ == "__main__":
    model = motrixsim.load_mjcf_str(
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    data = motrixsim.SceneData(model, (3,))
    data.views.dof_vel[:] = [[1], [2], [3]]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(work, [(model, data)])[0]
    print(found == work((model, data)))
""")
    result = run_python(str(program))
    assert result.stdout.strip() == "True", result.stderr


def test_ctrl_c_ends_many_steps_after_a_whole_one(run_python) -> None:
    program = """
import motrixsim, signal, threading, os
model = motrixsim.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
data = motrixsim.SceneData(model)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    model.step_n(data, 10**12)
except KeyboardInterrupt:
    steps = float(data.time) / 0.002
    print("ended", steps > 0, abs(steps - round(steps)) < 1e-3)
"""
    result = run_python("-c", program)
    assert result.stdout.strip() == "ended True True", result.stderr


def test_the_pool_has_a_size_until_it_starts(run_python) -> None:
    program = """
import motrixsim
motrixsim.init_thread_pool(2)
model = motrixsim.load_mjcf_str("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
model.step(motrixsim.SceneData(model, (64,)))
try:
    motrixsim.init_thread_pool(num_threads=3)
except RuntimeError as error:
    print(error)
"""
    result = run_python("-c", program)
    assert "already started" in result.stdout, result.stderr
    with pytest.raises(ValueError, match="positive"):
        motrixsim.init_thread_pool(0)
    assert motrixsim.real_dtype() == "float32"
