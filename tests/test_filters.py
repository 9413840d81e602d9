"""Which geoms may touch, and with which parameters: the rules of MuJoCo, over crowds of balls that all overlap."""

import numpy as np
import pytest

import motrixsim

mujoco = pytest.importorskip("mujoco")


def numbers(values) -> str:
    return " ".join(f"{x:.6g}" for x in values)


class Crowd:
    """Balls in random trees of bodies, some welded to their parents or to the world, all about the origin."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.count = 12
        self.children: dict[int, list[int]] = {}
        for k in range(self.count):
            # Above a third of the bodies are children of the world.
            parent = int(self.rng.integers(-k // 2 - 1, k)) if k else -1
            self.children.setdefault(max(parent, -1), []).append(k)

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def softness(self) -> str:
        """Time constant and damping ratio, or stiffness and damping; then the impedance."""
        r = self.rng
        solref = [-r.uniform(100, 1000), -r.uniform(5, 50)] if self.chance(0.2) else r.uniform(0.01, 1, 2)
        solimp = [*np.sort(r.uniform(0.1, 0.99, 2)), r.uniform(1e-3, 0.01), r.uniform(0.1, 0.9), r.uniform(1, 3)]
        return f'solref="{numbers(solref)}" solimp="{numbers(solimp)}"'

    def surface(self) -> str:
        r = self.rng
        text = f'condim="{r.choice([1, 3, 4, 6])}"'
        margin = r.uniform(0, 0.2) if self.chance(0.5) else 0.0
        text += f' margin="{margin:.4f}" gap="{r.uniform(0, margin):.4f}" {self.softness()}'
        return text

    def ball(self, name: str) -> str:
        r = self.rng
        where = numbers(r.uniform(-0.1, 0.1, 3))
        mask = f'contype="{r.integers(0, 8)}" conaffinity="{r.integers(0, 8)}"' if self.chance(0.6) else ""
        solmix = r.choice([0, 1e-16, 0.5, 1, 3])
        mixed = f'priority="{r.integers(0, 3)}" solmix="{solmix}" friction="{numbers(r.uniform(0, 1, 3))}"'
        return f'<geom name="{name}" size="0.1" pos="{where}" {mask} {mixed} {self.surface()}/>'

    def body(self, k: int, at_top: bool) -> str:
        joints = ["", '<joint type="hinge"/>', '<joint type="ball"/>'] + ["<freejoint/>"] * at_top
        balls = "".join(self.ball(f"g{k}.{i}") for i in range(self.rng.integers(1, 3)))
        inner = "".join(self.body(child, False) for child in self.children.get(k, []))
        mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        return f'<body name="b{k}">{self.rng.choice(joints)}{mass}{balls}{inner}</body>'

    def contact(self) -> str:
        r = self.rng
        text, chosen = "", set()
        for _ in range(4):
            a, b = sorted(r.choice(self.count, 2, replace=False))
            if (a, b) not in chosen:
                chosen.add((a, b))
                text += f'<exclude body1="b{a}" body2="b{b}"/>'
        for _ in range(4):
            a, b = sorted(r.choice(self.count, 2, replace=False))
            if (b, a) not in chosen:
                chosen.add((b, a))
                friction = f'friction="{numbers(r.uniform(0, 1, 5))}"' if self.chance(0.5) else ""
                surface = self.surface() if self.chance(0.5) else ""
                text += f'<pair geom1="g{a}.0" geom2="g{b}.0" {friction} {surface}/>'
        return f"<contact>{text}</contact>"

    def text(self) -> str:
        top = self.ball("ground") + "".join(self.body(k, True) for k in self.children[-1])
        parents = '<flag filterparent="disable"/>' if self.chance(0.3) else ""
        return f"<mujoco><option>{parents}</option><worldbody>{top}</worldbody>{self.contact()}</mujoco>"


FIELDS = ["dim", "friction", "solref", "solreffriction", "solimp", "includemargin", "dist", "exclude"]


def by_pair(geoms, fields) -> dict:
    """Rows of numbers by the pair of geoms they belong to."""
    rows = np.concatenate([np.asarray(f, float).reshape(len(geoms), -1) for f in fields], axis=1)
    return {tuple(sorted(map(int, pair))): row for pair, row in zip(geoms, rows, strict=True)}


@pytest.mark.parametrize("seed", range(30))
def test_what_touches_and_how_is_decided_as_in_mujoco(seed) -> None:
    text = Crowd(seed).text()
    oracle = mujoco.MjModel.from_xml_string(text)
    reference = mujoco.MjData(oracle)
    mujoco.mj_forward(oracle, reference)
    contact = reference.contact
    theirs = by_pair(contact.geom, [getattr(contact, name) for name in FIELDS])

    model = motrixsim.load_mjcf_str(text)
    model.options.contact_model = "mujoco"
    data = motrixsim.SceneData(model, precision="f64")
    model.forward_kinematic(data)
    low = data.low
    geoms = np.asarray(low.contact_geom).reshape(-1, 2)
    ours = by_pair(geoms, [getattr(low, f"contact_{name}") for name in FIELDS])

    assert len(theirs) > 5
    assert ours.keys() == theirs.keys()
    for pair, row in theirs.items():
        np.testing.assert_allclose(ours[pair], row, rtol=1e-9, atol=1e-12, err_msg=f"geoms {pair}")
    # The same pairs are those that the query tells of.
    query = model.get_contact_query(data)
    every = [(a, b) for a in range(oracle.ngeom) for b in range(oracle.ngeom) if a < b]
    acting = [bool(p in theirs) for p in every]
    np.testing.assert_array_equal(query.is_colliding(np.array(every, np.uint32)), acting)
