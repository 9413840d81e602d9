"""Every element and attribute of MJCF, one small model each, compiled here and by MuJoCo: all fields agree.

The models are made of `mjcf_cases` and `mjcf_values`. MuJoCo's own schema decides what there has to be a case for, and
its compiled model whether an attribute has an effect at all: one that changes no number would test nothing.
"""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import mujoco
import pytest
from mjcf_cases import ELEMENTS, MESHES, NEEDS, SCENE, UNCLAMPED
from mjcf_oracle import changed, differences, field_names
from mjcf_values import VALUES
from test_mjcf_schema import mujoco_schema

import motrixsim

#: Parts of MJCF without a counterpart here: deformable bodies, skins, plugins.
ABSENT = ("flex", "skin", "plugin", "extension", "deformable")

#: Attributes that the compared numbers do not show, and where they are tested or why they need not be.
ELSEWHERE: dict[str, str] = {
    "compiler": "assetdir meshdir texturedir strippath conflict savecanonical savecompiled saveinertial usethread "
    "coordinate passthrough balanceinertia fitaabb autolimits",  # where files are found; tools of MuJoCo; models below
    "compiler/lengthrange": "useexisting inttotal interval tolrange",  # models below
    "option": "sdf_initpoints sdf_iterations",  # signed distance fields
    "option/flag": "ipc speculative",  # refused or noted
    "size": "memory nconmax njmax nstack nuserdata",  # sizes of MuJoCo's buffers
    "visual/global": "bvactive cameraid ellipsoidinertia glow ipd linewidth orthographic realtime",  # MuJoCo's viewer
    "visual/map": "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot "
    "torque",
    "asset/mesh": "file content_type material",  # files: tests of assets
    "asset/hfield": "file content_type",
    "asset/texture": "file content_type fileback filedown filefront fileleft fileright fileup gridlayout gridsize "
    "nchannel colorspace embed",
    "asset/model": "content_type file name",  # attached models: tests of expansion
    "worldbody/body": "fuse simple sleep",  # models below
    "worldbody/body/geom": "hfield",  # tests of height fields
    "worldbody/body/attach": "body frame model prefix",
    "custom/text": "data",
    "custom/tuple/element": "objname objtype prm",
    "keyframe/key": "plastic",  # test_features.py
    **{f"sensor/{tag}": "cutoff" for tag in UNCLAMPED},
}
#: Elements whose attributes are all of that kind.
DRAWN_BY_MUJOCO_ONLY = ("visual/quality", "visual/scale", "visual/rgba")


def model_text(path: str, attributes: dict[str, str | None], default: bool = False) -> str:
    """The scene with the element of `path`, and `attributes` set: on it, or in its default class."""
    root = ET.fromstring(SCENE)
    for parent, needed in NEEDS.get(path, []):
        root.find(parent).append(ET.fromstring(needed))
    element = insert(root, path)
    if default:
        entry = ET.SubElement(root.find("default"), default_tag(path))
        for name in attributes:
            element.attrib.pop(name, None)
        element = entry
    for name, value in attributes.items():
        element.attrib.pop(name, None)
        if value is not None:
            element.set(name, value)
    text = ET.tostring(root, encoding="unicode")
    for mesh, asset in MESHES.items():
        if f'"{mesh}"' in text:
            root.find("asset").append(ET.fromstring(asset))
    return ET.tostring(root, encoding="unicode")


def insert(root: ET.Element, path: str) -> ET.Element:
    """Inserts the element of `path` with all it stands in, and returns it."""
    tags = path.split("/")
    written = ELEMENTS[path]
    if not written:
        return root.find(path)
    new = ET.fromstring(written)
    depth = next(i for i, tag in enumerate(tags) if tag == new.tag and i > 0)
    root.find("/".join(tags[:depth])).append(new)
    rest = tags[depth + 1 :]
    return new.find("/".join(rest)) if rest else new


def default_tag(path: str) -> str:
    """The tag under which the defaults of an element stand."""
    section, tag = path.split("/")[0], path.split("/")[-1]
    return section if section in ("tendon", "equality") else tag


def attribute_sets(path: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    for name, value in VALUES[path].items():
        yield name, value if isinstance(value, dict) else {name: value}


def schema() -> dict[str, set[str]]:
    """MuJoCo's schema with the paths that are used here: `body` stands for all places that bodies can be in."""
    paths = {}
    for path, attributes in mujoco_schema().items():
        path = path.removeprefix("mujoco").lstrip("/")
        if path and not any(word in path for word in ABSENT):
            paths[path.replace("body", "worldbody/body", 1) if path.startswith("body") else path] = attributes
    return paths


def compare(text: str) -> list[str]:
    """Differences between the model compiled here and by MuJoCo."""
    oracle = mujoco.MjModel.from_xml_string(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return differences(motrixsim.load_mjcf_str(text), oracle, triangles=" face=" in text)


def test_there_is_a_case_for_every_attribute() -> None:
    missing = {}
    for path, attributes in schema().items():
        if path.startswith("default") or path in DRAWN_BY_MUJOCO_ONLY:
            continue
        left = attributes - VALUES.get(path, {}).keys() - set(ELSEWHERE.get(path, "").split())
        if left:
            missing[path] = sorted(left)
    assert missing == {}


@pytest.mark.parametrize("path", VALUES)
def test_every_attribute_compiles_to_the_same_numbers(path: str) -> None:
    known = schema().get(path, set(VALUES[path]))
    fields = [name for name in field_names(motrixsim.load_mjcf_str("<mujoco/>").low) if name != "collision_pairs"]
    base = mujoco.MjModel.from_xml_string(model_text(path, {}))
    problems = {}
    for name, attributes in attribute_sets(path):
        if name not in known:
            continue
        text = model_text(path, attributes)
        oracle = mujoco.MjModel.from_xml_string(text)
        if path not in ELSEWHERE or name not in ELSEWHERE[path].split():
            assert changed(oracle, base, fields), f"{name} changes nothing: the case tests nothing"
        found = compare(text)
        if found:
            problems[name] = found[:3]
    assert problems == {}


WITH_DEFAULTS = [path for path in VALUES if path.count("/") > 0 and f"default/{default_tag(path)}" in schema()]


@pytest.mark.parametrize("path", WITH_DEFAULTS)
def test_every_default_compiles_to_the_same_numbers(path: str) -> None:
    known = schema()[f"default/{default_tag(path)}"]
    problems = {}
    for name, attributes in attribute_sets(path):
        if name in known and attributes.keys() <= known and None not in attributes.values():
            text = model_text(path, attributes, default=True)
            try:
                mujoco.MjModel.from_xml_string(text)
            except ValueError:
                continue  # the scene has elements of this kind that cannot have it
            found = compare(text)
            if found:
                problems[name] = found[:3]
    assert problems == {}


#: What needs a model of its own.
MODELS = {
    "autolimits": """<mujoco><compiler autolimits="false"/><worldbody><body><joint range="0 10" limited="false"/>
        <geom size=".1"/></body><body><joint range="0 10" limited="true"/><geom size=".1"/></body></worldbody>
        </mujoco>""",
    "balanceinertia": """<mujoco><compiler balanceinertia="true"/><worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></worldbody></mujoco>""",
    "fitaabb": f"""<mujoco><compiler fitaabb="true"/><asset>{MESHES["slab"]}</asset><worldbody><body><freejoint/>
        <geom type="capsule" mesh="slab"/></body></worldbody></mujoco>""",
    "length ranges": """<mujoco><compiler><lengthrange useexisting="false" inttotal="8" interval="1.5" tolrange=".08"/>
        </compiler><worldbody><body><joint name="j" range="-40 60"/><geom size=".1" pos=".2 0 0"/></body></worldbody>
        <actuator><muscle joint="j" lengthrange="1 2"/></actuator></mujoco>""",
    "set points and controls": """<mujoco><default><pid posrange="-1 2" velrange="-1 3"/><default class="own">
        <pid ctrlrange="-2 3"/></default></default><worldbody><body><joint name="j" range="-60 80"/><geom size=".1"/>
        </body></worldbody><actuator><pid joint="j"/><pid joint="j" class="own"/><pid joint="j" posrange="-3 3"/>
        <pid joint="j" ctrlrange="-4 4" posrange="-5 5"/><pid joint="j" inheritrange=".5"/><motor joint="j"/>
        <pid joint="j" input="vel"/></actuator></mujoco>""",
    "sleep": """<mujoco><option><flag sleep="enable"/></option><worldbody>
        <body sleep="never"><freejoint/><geom size=".1"/></body>
        <body sleep="init" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""",
    "fuse": """<mujoco><compiler fusestatic="true"/><worldbody><body pos="0 0 1"><joint/><geom size=".1"/>
        <body fuse="false" name="kept" pos="1 0 0"><geom size=".2"/></body><body pos="2 0 0"><geom size=".3"/></body>
        </body></worldbody></mujoco>""",
    "simple": """<mujoco><worldbody><body simple="false"><joint type="slide" axis="1 0 0" armature="1"/>
        <geom size=".1"/></body><body pos="0 0 2"><joint type="slide" axis="1 0 0" armature="1"/>
        <geom size=".1"/></body></worldbody></mujoco>""",
    "frames and copies": """<mujoco><worldbody><frame euler="0 0 30" pos="1 0 0"><replicate count="3" euler="0 0 20">
        <body pos="1 0 0" name="b"><joint name="j"/><geom size=".1"/><frame quat="1 1 0 0"><site name="s" pos="1 2 3"/>
        </frame></body></replicate></frame></worldbody></mujoco>""",
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_their_own_compile_to_the_same_numbers(name: str) -> None:
    assert compare(MODELS[name]) == []
