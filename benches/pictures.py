"""Speed of pictures in CPU time: a large one with and without shadows, many small depth images, updates of the page.

Prints Markdown. Times are minima over repetitions of the CPU time of all threads, so that other work on the machine and
the number of threads do not count.
"""

import time
from pathlib import Path

import numpy as np

import motrixsim as mx
from motrixsim.render import FreeView, Renderer, look_at
from motrixsim.render.page import geom_poses

ASSETS = Path(__file__).parent.parent / "examples" / "assets"
VIEW = FreeView(look_at([2.2, -2.2, 1.2], [0, 0, 0.6]))


def cpu_milliseconds(work, repeat: int) -> float:
    """The least CPU time of a call."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def main() -> None:
    model = mx.load_model(ASSETS / "biped.xml")
    renderer, one = Renderer(model), mx.SceneData(model)
    rows = [
        ("640 x 480 colours with shadows, ms", cpu_milliseconds(lambda: renderer.rgb(one, VIEW, 640, 480), 15)),
        (
            "640 x 480 colours, ms",
            cpu_milliseconds(lambda: renderer.rgb(one, VIEW, 640, 480, shadows=False), 15),
        ),
        ("640 x 480 depth, ms", cpu_milliseconds(lambda: renderer.depth(one, VIEW, 640, 480), 15)),
    ]
    many = mx.SceneData(model, batch=[1024])
    batch = cpu_milliseconds(lambda: renderer.depth(many, VIEW, 64, 48), 3)
    rows.append(("64 x 48 depth of 1024 worlds, pictures per second and core", 1024e3 / batch))
    links = np.tile(model.get_link_poses(one), (100, 1, 1))
    offsets = np.zeros((100, 3))
    page = cpu_milliseconds(lambda: geom_poses(model, links, offsets), 20)
    rows.append((f"poses of {100 * model.num_geoms} geoms for the page, ms", page))

    print(f"Pictures of the biped ({model.num_geoms} geoms), lanes {mx.lane_info().name}, CPU time of all threads:\n")
    print("| what | measured |\n|---|---|")
    for what, measured in rows:
        print(f"| {what} | {measured:,.3g} |" if measured < 1000 else f"| {what} | {measured:,.0f} |")


if __name__ == "__main__":
    main()
