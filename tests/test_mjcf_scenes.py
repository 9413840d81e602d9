"""Models in which rules of MJCF meet, many of several files: compiled here and by MuJoCo, all fields agree."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_oracle import differences

import motrixsim

SCENES = Path(__file__).parent / "models" / "scenes"

#: Meshes of flat faces without triangles: any triangulation of the hull is as good as MuJoCo's.
UNTRIANGULATED = ("a_built_in_cone", "a_built_in_wedge")


@pytest.mark.parametrize("name", sorted(folder.name for folder in SCENES.iterdir()))
def test_a_scene_compiles_to_the_numbers_of_mujoco(name: str) -> None:
    file = SCENES / name / "main.xml"
    oracle = mujoco.MjModel.from_xml_path(str(file))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = motrixsim.load_model(file)
    assert differences(model, oracle, triangles=name not in UNTRIANGULATED) == []


def test_what_bends_is_told_and_the_rest_loads() -> None:
    text = """<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body>
      <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" radius=".01"/></worldbody>
      <deformable><flex name="f" dim="1" body="b" vertex="0 0 0 1 0 0" element="0 1"/></deformable></mujoco>"""
    model = motrixsim.load_mjcf_str(text)
    assert model.link_names == ["b"]
    told = [(entry.kind, entry.element) for entry in model.load_report]
    assert told == [("not supported", '<flexcomp name="cloth">'), ("not supported", '<flex name="f">')]


@pytest.mark.parametrize("legs", [(1, 1, 1), (2, 1, 1), (1, 2, 3), (3, 1, 2), (3, 3, 1)])
def test_a_tetrahedron_has_the_triangles_and_axes_of_mujoco(legs: tuple[int, int, int]) -> None:
    """Equal moments leave it to the rounding of sums over the triangles which axes are found."""
    vertices = " ".join(str(x) for x in np.vstack([np.zeros(3), np.diag(legs)]).ravel())
    text = f"""<mujoco><asset><mesh name="m" vertex="{vertices}"/></asset>
      <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    assert differences(motrixsim.load_mjcf_str(text), mujoco.MjModel.from_xml_string(text)) == []
