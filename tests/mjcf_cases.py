"""The smallest elements of MJCF, and the scene around them, for `mjcf_values` to set attributes on.

`ELEMENTS` gives, for the path of an element, what is inserted under its parent in `SCENE`.
"""

from __future__ import annotations

SCENE = """
<mujoco model="scene">
  <compiler/> <option/> <size/> <statistic/> <visual/>
  <default>
    <default class="special">
      <mesh inertia="shell"/> <texture rgb1="1 0 1"/> <material shininess=".9"/> <joint armature=".7"/>
      <geom friction=".3"/>
      <site group="4"/> <camera fovy="70"/> <light cutoff="20"/> <pair margin=".07"/> <equality solref=".07 1"/>
      <tendon damping=".07"/> <general gear="7"/>
    </default>
  </default>
  <asset>
    <texture name="checker" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 0 1"/>
    <texture name="sky" type="skybox" builtin="gradient" width="4" height="4" rgb1="1 1 1"/>
    <material name="paint" texture="checker" rgba=".1 .2 .3 1"/>
    <hfield name="hills" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2 3 4 5"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <site name="origin" pos="0 0 2"/>
    <camera name="eye" pos="0 -3 2" zaxis="0 -1 .3"/>
    <body name="arm" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" range="-60 80" damping=".1"/>
      <geom name="bone" type="capsule" fromto="0 0 0 .4 0 0" size=".05"/>
      <geom name="pulley" type="cylinder" size=".08 .1" pos=".2 0 .1" euler="90 0 0"/>
      <geom name="ring" size=".07" pos=".2 0 -.1"/>
      <site name="shoulder" pos="0 .1 .1"/>
      <body name="rod" pos=".4 0 0">
        <joint name="slide" type="slide" axis="1 0 0" range="-.2 .3"/>
        <geom name="bar" type="box" size=".2 .03 .02" pos=".1 0 0"/>
        <site name="tip" pos=".3 .02 0" quat="1 .2 0 0"/>
        <body name="head" pos=".3 0 0">
          <joint name="ball" type="ball" range="0 50"/>
          <geom name="skull" type="ellipsoid" size=".1 .12 .14" pos="0 0 .1"/>
          <site name="crown" pos="0 0 .2"/>
        </body>
      </body>
    </body>
    <body name="box" pos="1 1 1"><freejoint name="free"/><geom name="cube" type="box" size=".1 .2 .3"/></body>
    <body name="bob" pos="0 2 1"><joint name="second" type="ball"/><geom name="knob" size=".1" pos="0 0 -.3"/></body>
    <body name="puppet" mocap="true" pos="2 0 0"><geom name="string" size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact/>
  <tendon>
    <fixed name="sum"><joint joint="hinge" coef="2"/><joint joint="slide" coef="-1"/></fixed>
    <spatial name="rope"><site site="origin"/><site site="tip"/></spatial>
  </tendon>
  <equality/>
  <actuator><motor name="motor" joint="slide"/><motor name="second" joint="hinge"/></actuator>
  <sensor/> <custom/> <keyframe/>
</mujoco>
"""

#: Meshes are added where they are used: what they touch is compared in single precision.
MESHES = {
    "wedge": '<mesh name="wedge" vertex="0 0 0  1 0 0  0 2 0  0 0 3  1 1 1"/>',
    "slab": '<mesh name="slab" vertex="0 0 0  2 0 0  0 1 0  2 1 0  0 0 .1  2 0 .1  0 1 .1  2 1 .1"/>',
}

BODY = "worldbody/body"
_INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"/>'

#: Sensors of directions and rotations, which no cutoff can clamp.
UNCLAMPED = ("ballquat", "framequat", "framexaxis", "frameyaxis", "framezaxis")
_FRAMED = {"framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"}
SENSORS = {
    **dict.fromkeys(("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"), 'site="tip"'),
    "camprojection": 'site="tip" camera="pinhole"',
    "rangefinder": 'site="tip"',
    **dict.fromkeys(("jointpos", "jointvel", "jointactuatorfrc"), 'joint="hinge"'),
    **dict.fromkeys(("jointlimitpos", "jointlimitvel", "jointlimitfrc"), 'joint="hinge"'),
    **dict.fromkeys(("ballquat", "ballangvel"), 'joint="ball"'),
    **dict.fromkeys(("tendonpos", "tendonvel", "tendonactuatorfrc"), 'tendon="rope"'),
    **dict.fromkeys(("tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"), 'tendon="tight"'),
    **dict.fromkeys(("actuatorpos", "actuatorvel", "actuatorfrc"), 'actuator="motor"'),
    **dict.fromkeys((*sorted(_FRAMED), "framelinacc", "frameangacc"), 'objtype="body" objname="rod"'),
    **dict.fromkeys(("subtreecom", "subtreelinvel", "subtreeangmom"), 'body="arm"'),
    "insidesite": 'site="tip" objtype="geom" objname="cube"',
    **dict.fromkeys(("distance", "normal", "fromto"), 'geom1="cube" geom2="skull" cutoff="1"'),
    "contact": 'geom1="cube"',
    **dict.fromkeys(("e_potential", "e_kinetic", "clock"), ""),
    "tactile": 'geom="patch" mesh="wedge"',
    "user": 'dim="2" name="mine"',
}
_ACTUATORS = {
    **dict.fromkeys(("general", "motor", "velocity", "muscle", "cylinder"), 'joint="hinge"'),
    "position": 'joint="hinge" kp="3"',
    "intvelocity": 'joint="hinge" actrange="-1 1"',
    "damper": 'joint="hinge" ctrlrange="0 1"',
    "pid": 'joint="hinge" kp="3"',
    "orientation": 'joint="ball" kp="3"',
    "adhesion": 'body="box" ctrlrange="0 1"',
    "dcmotor": 'joint="hinge" motorconst=".5 .4" resistance="2"',
}

#: What is inserted, by path; elements that the scene needs besides come first.
ELEMENTS: dict[str, str] = {
    **dict.fromkeys(("compiler", "option", "size", "statistic"), ""),
    "compiler/lengthrange": "<lengthrange/>",
    "option/flag": "<flag/>",
    **{f"visual/{x}": f"<{x}/>" for x in ("global", "headlight", "map", "rgba")},
    "asset/mesh": '<mesh name="shape" vertex="0 0 0  1 0 0  0 1.3 0  0 0 1.7  .6 .7 .8"/>',
    "asset/hfield": '<hfield name="field" nrow="2" ncol="2" size="1 1 1 1"/>',
    "asset/texture": '<texture name="image" type="2d" builtin="flat" width="6" height="6" rgb1=".5 .6 .7"/>',
    "asset/material": '<material name="glass"/>',
    "asset/material/layer": '<material name="glass"><layer role="rgb" texture="checker"/></material>',
    BODY: '<body name="new"><geom size=".1"/></body>',
    f"{BODY}/inertial": f"<body>{_INERTIAL}</body>",
    f"{BODY}/joint": '<body name="new"><joint name="own"/><geom size=".1" pos=".1 .2 .3"/></body>',
    f"{BODY}/freejoint": '<body name="new"><freejoint name="own"/>'
    '<geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body>',
    f"{BODY}/geom": '<body name="new"><joint/><geom name="own" size=".1 .2 .3"/></body>',
    f"{BODY}/site": '<body name="new"><joint/><geom size=".1"/><site name="own"/></body>',
    f"{BODY}/camera": '<body name="new" pos="1 0 0"><joint/><geom size=".1"/><camera name="own"/></body>',
    f"{BODY}/light": '<body name="new" pos="1 0 0"><joint/><geom size=".1"/><light name="own"/></body>',
    "worldbody/frame": '<frame pos="0 0 .1"><body name="new"><freejoint/><geom name="own" size=".1"/></body></frame>',
    "worldbody/replicate": '<replicate count="3" sep="_">'
    '<body name="new"><freejoint/><geom size=".1"/></body></replicate>',
    "worldbody/attach": '<attach body="box" prefix="other_"/>',
    "contact/pair": '<pair geom1="cube" geom2="skull"/>',
    "contact/exclude": '<exclude body1="box" body2="rod"/>',
    "tendon/fixed": '<fixed name="own"><joint joint="hinge" coef="1"/></fixed>',
    "tendon/fixed/joint": '<fixed name="own"><joint joint="hinge" coef="1"/></fixed>',
    "tendon/spatial": '<spatial name="own"><site site="origin"/><site site="crown"/></spatial>',
    "tendon/spatial/site": '<spatial name="own"><site site="origin"/><site site="crown"/></spatial>',
    "tendon/spatial/geom": '<spatial><site site="origin"/><geom geom="pulley"/><site site="crown"/></spatial>',
    "tendon/spatial/pulley": '<spatial><site site="origin"/><site site="tip"/><pulley divisor="1"/>'
    '<site site="tip"/><site site="crown"/></spatial>',
    "equality/connect": '<connect body1="head" body2="box" anchor=".1 .2 .3"/>',
    "equality/weld": '<weld body1="head" body2="box"/>',
    "equality/joint": '<joint joint1="hinge"/>',
    "equality/tendon": '<tendon tendon1="sum"/>',
    **{f"actuator/{tag}": f'<{tag} name="own" {target}/>' for tag, target in _ACTUATORS.items()},
    **{f"sensor/{tag}": f"<{tag} {target}/>" for tag, target in SENSORS.items()},
    "custom/numeric": '<numeric name="number" data="1"/>',
    "custom/text": '<text name="words" data="a"/>',
    "custom/tuple": '<tuple name="list"><element objtype="body" objname="arm"/></tuple>',
    "custom/tuple/element": '<tuple name="list"><element objtype="body" objname="arm"/></tuple>',
    "keyframe/key": "<key/>",
}

#: What else a case needs in the scene: parent and element.
NEEDS: dict[str, list[tuple[str, str]]] = {
    "sensor/camprojection": [
        ("worldbody", '<camera name="pinhole" resolution="640 480" fovy="50"/>'),
        ("worldbody", '<camera name="wide" resolution="64 48" fovy="90"/>'),
    ],
    "sensor/rangefinder": [("worldbody", '<camera name="pinhole" resolution="4 3" fovy="50"/>')],
    **{
        f"sensor/tendonlimit{x}": [
            ("tendon", '<fixed name="tight" range="-1 1"><joint joint="slide" coef="1"/></fixed>'),
            ("tendon", '<fixed name="tighter" range="-.5 .5"><joint joint="hinge" coef="1"/></fixed>'),
        ]
        for x in ("pos", "vel", "frc")
    },
    "sensor/tactile": [
        ("worldbody", '<geom name="patch" type="mesh" mesh="wedge"/>'),
        ("worldbody", '<geom name="patch2" type="mesh" mesh="slab"/>'),
    ],
    "keyframe/key": [("actuator", '<intvelocity joint="hinge" actrange="-1 1"/>')],
    "compiler": [
        (
            "worldbody",
            '<body name="off"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="10 20 30"/></body>',
        ),
        (
            "worldbody",
            '<body name="both"><joint/><inertial pos="0 0 .1" mass="2" diaginertia="1 1 1"/><geom size=".1" group="5"/>'
            '<geom size=".2" group="1"/><body name="welded" pos=".1 0 0"><geom size=".1"/>'
            '<geom size=".3" group="5"/></body></body>',
        ),
    ],
    "compiler/lengthrange": [("actuator", '<muscle joint="hinge"/>'), ("actuator", '<motor tendon="rope"/>')],
    "size": [("keyframe", '<key name="start"/>')],
    "statistic": [("worldbody", '<light name="lamp"/>')],
}
