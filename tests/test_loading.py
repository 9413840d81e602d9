"""Loading: files, paths, texts, and errors that list everything."""

import pickle
import warnings
from pathlib import Path

import pytest

import motrixsim


def test_a_model_is_loaded_from_a_path_or_a_text(tmp_path: Path) -> None:
    text = "<mujoco model='tiny'><worldbody><body name='b'><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    file = tmp_path / "tiny.xml"
    file.write_text(text)
    for model in (motrixsim.load_model(file), motrixsim.load_model(str(file)), motrixsim.load_mjcf_str(text)):
        assert model.name == "tiny"
        assert model.link_names == ["b"]
        assert model.load_report == []


def test_a_bad_model_tells_all_its_problems() -> None:
    text = """<mujoco>
  <worldbody>
    <body><freejoint/><geom sise="1"/></body>
    <body><joint type="hing"/><geom size="1"/></body>
  </worldbody>
</mujoco>"""
    with pytest.raises(motrixsim.LoadError) as caught:
        motrixsim.load_mjcf_str(text)
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, RuntimeError)
    lines = [problem.line for problem in error.problems]
    assert 3 in lines
    assert 4 in lines
    assert any(problem.did_you_mean == "size" for problem in error.problems)
    assert str(error.problems[0]) in str(error)


def test_unknown_attributes_may_be_ignored_and_reported() -> None:
    text = "<mujoco><worldbody><geom size='1' flavour='sweet'/></worldbody></mujoco>"
    with pytest.raises(motrixsim.LoadError):
        motrixsim.load_mjcf_str(text)
    model = motrixsim.load_mjcf_str(text, strict=False)
    assert [entry.kind for entry in model.load_report] == ["ignored"]


def test_what_has_no_effect_is_warned_about_once() -> None:
    text = "<mujoco><worldbody><geom size='1' flavour='sweet' colour='red'/></worldbody></mujoco>"
    with pytest.warns(UserWarning, match="load_report") as warned:
        model = motrixsim.load_mjcf_str(text, strict=False)
    assert len(warned) == 1
    told = str(warned[0].message)
    assert told == f"{model.load_report[0]}, and 1 more (see model.load_report)"
    assert warned[0].filename == __file__, "the warning points at the call"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(model))
        motrixsim.load_mjcf_str("<mujoco/>")


@pytest.mark.parametrize("path", ["nowhere.xml", "", "."])
def test_a_missing_file_is_a_load_error(path: str) -> None:
    with pytest.raises(motrixsim.LoadError):
        motrixsim.load_model(path)


@pytest.mark.parametrize("path", [None, b"x.xml", 3])
def test_what_is_no_path_is_a_type_error(path) -> None:
    with pytest.raises(TypeError):
        motrixsim.load_model(path)
    with pytest.raises(TypeError):
        motrixsim.load_mjcf_str(path)
