"""Robots in URDF, one for each part of the format, for `test_urdf`."""

from __future__ import annotations

_INERTIAL = """<inertial><origin xyz=".1 -.2 .3" rpy=".3 -.4 .5"/><mass value="2"/>
    <inertia ixx=".4" iyy=".5" izz=".6" ixy=".01" ixz="-.02" iyz=".03"/></inertial>"""


def link(name: str, inside: str = "", inertial: str = _INERTIAL) -> str:
    return f'<link name="{name}">{inertial}{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
        <origin xyz="0 .1 .5" rpy=".1 .2 .3"/>{inside}</joint>"""


def robot(*parts: str, extension: str = "") -> str:
    return f'<?xml version="1.0"?><robot name="robot">{extension}{"".join(parts)}</robot>'


def arm(kind: str, inside: str = "", extension: str = "") -> str:
    """A base that stands on the world, and a link that one joint holds."""
    return robot(link("base"), link("arm"), joint("j", kind, "base", "arm", inside), extension=extension)


def compiler(attributes: str) -> str:
    return f"<mujoco><compiler {attributes}/></mujoco>"


def shape(geometry: str, kind: str = "collision", inside: str = "", name: str = "") -> str:
    named = f' name="{name}"' if name else ""
    return f'<{kind}{named}><origin xyz="1 2 3" rpy="0 .5 1"/><geometry>{geometry}</geometry>{inside}</{kind}>'


_BOX = shape('<box size=".2 .4 .6"/>', name="crate")
_RED = '<material name="red"><color rgba="1 0 0 .5"/></material>'
_VISUAL = shape('<sphere radius=".3"/>', "visual", '<material name="red"/>')
_MESH = '<mesh filename="{meshes}wedge.stl"/>'
_SCALED = '<mesh filename="{meshes}wedge.stl" scale="1 2 .5"/>'
_LIMIT = '<limit lower="-.5" upper="1.5" effort="7" velocity="3"/>'

#: Robots by what they show. `{meshes}` stands for the folder with `wedge.stl`.
ROBOTS: dict[str, str] = {
    **{f"a {kind} joint": arm(kind) for kind in ("fixed", "continuous", "floating", "planar", "spherical")},
    "a revolute joint": arm("revolute", _LIMIT),
    "a prismatic joint": arm("prismatic", '<axis xyz="0 1 0"/>' + _LIMIT),
    "an axis of any length": arm("revolute", '<axis xyz="1 2 -3"/>' + _LIMIT),
    "a plane that is tilted": arm("planar", '<axis xyz="1 1 0"/>' + _LIMIT),
    "a plane upside down": arm("planar", '<axis xyz="0 0 -1"/>'),
    "limits of a continuous joint": arm("continuous", _LIMIT),
    "an effort without a range": arm("continuous", '<limit effort="5" velocity="1"/>'),
    "an effort of nothing": arm("revolute", '<limit lower="-1" upper="1" effort="0" velocity="1"/>'),
    "limits that are the wrong way round": arm("revolute", '<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
    "limits that are equal": arm("revolute", '<limit lower="0" upper="0" effort="1" velocity="1"/>'),
    "only a lower limit": arm("revolute", '<limit lower="-1" effort="1" velocity="1"/>'),
    "dynamics": arm("revolute", _LIMIT + '<dynamics damping=".7" friction=".3"/>'),
    "what others need of a joint": arm(
        "revolute", _LIMIT + '<calibration rising=".1"/><safety_controller k_velocity="10" soft_lower_limit="-1"/>'
    ),
    "a joint that follows another": robot(
        link("base"),
        link("a"),
        link("b"),
        link("c"),
        joint("first", "revolute", "base", "a", _LIMIT + '<mimic joint="second" multiplier="-2" offset=".1"/>'),
        joint("second", "revolute", "base", "b", _LIMIT),
        joint("third", "prismatic", "b", "c", _LIMIT + '<mimic joint="second"/>'),
    ),
    "boxes, spheres and cylinders": robot(
        link("base", _BOX + shape('<sphere radius=".3"/>') + shape('<cylinder radius=".1" length=".5"/>')),
    ),
    "a capsule": robot(link("base", shape('<capsule radius=".1" length=".5"/>'))),
    "mass of the geoms": robot(
        link("base", _BOX, inertial=""),
        link("arm", _BOX + shape('<sphere radius=".3"/>'), inertial=""),
        joint("j", "continuous", "base", "arm"),
    ),
    "no mass in the last link": robot(
        link("base"),
        link("arm"),
        link("tip", inertial=""),
        joint("j", "continuous", "base", "arm"),
        joint("k", "fixed", "arm", "tip"),
    ),
    "a light mass and inertia, bounded": robot(
        link("base"),
        link("tip", inertial=""),
        joint("j", "continuous", "base", "tip"),
        extension=compiler('boundmass=".01" boundinertia=".001"'),
    ),
    "inertia out of balance": robot(
        link("base"),
        link(
            "arm",
            inertial='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial>',
        ),
        joint("j", "continuous", "base", "arm"),
        extension=compiler('balanceinertia="true"'),
    ),
    "equal moments turned": robot(
        link("base"),
        link(
            "arm",
            inertial='<inertial><origin rpy=".5 .6 .7"/><mass value="1"/>'
            '<inertia ixx="1" iyy="1" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial>',
        ),
        joint("j", "continuous", "base", "arm"),
    ),
    "visuals are dropped": robot(_RED, link("base", _VISUAL + _BOX)),
    "visuals are kept": robot(_RED, link("base", _VISUAL + _BOX), extension=compiler('discardvisual="false"')),
    "fixed links are kept": arm("fixed", extension=compiler('fusestatic="false"')),
    "a colour of its own": robot(
        link("base", shape('<sphere radius=".3"/>', "visual", '<material name="x"><color rgba="0 1 0 1"/></material>')),
        extension=compiler('discardvisual="false"'),
    ),
    "meshes": robot(link("base", shape(_MESH) + shape(_SCALED))),
    "meshes and visuals": robot(
        link("base", shape(_MESH, "visual") + shape(_SCALED) + shape(_MESH)),
        link("arm", shape(_SCALED, "visual") + shape(_MESH), inertial=""),
        joint("j", "continuous", "base", "arm"),
        extension=compiler('discardvisual="false"'),
    ),
    "degrees do not count": arm("revolute", _LIMIT, extension=compiler('angle="degree" eulerseq="zyx"')),
    "options": arm(
        "continuous",
        extension='<mujoco><option timestep="0.001" gravity="0 0 -5" integrator="implicitfast"/><size nuser_body="2"/>'
        "</mujoco>",
    ),
    "total mass and inertia from geoms": robot(
        link("base", _BOX),
        link("arm", _BOX),
        joint("j", "continuous", "base", "arm"),
        extension=compiler('settotalmass="7" inertiafromgeom="true"'),
    ),
    "a world of its own": robot(
        '<link name="world"/>',
        link("arm"),
        joint("j", "floating", "world", "arm"),
    ),
    "two robots in one file": robot(
        link("one"),
        link("two"),
        link("hand"),
        joint("j", "continuous", "two", "hand"),
    ),
    "links before their joints, joints before their links": robot(
        joint("k", "continuous", "a", "c"),
        link("c"),
        joint("j", "continuous", "base", "a"),
        link("a"),
        link("b"),
        joint("i", "continuous", "base", "b"),
        link("base"),
    ),
    "what other programs need": robot(
        link("base"),
        '<gazebo reference="base"><material>Gazebo/Red</material></gazebo>',
        '<transmission name="t"><type>x</type></transmission>',
    ),
}
