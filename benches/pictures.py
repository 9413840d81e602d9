"""Speed of pictures in CPU time: a large one with and without shadows, many small depth images, updates of the page.

Prints Markdown. Times are minima over repetitions of the CPU time of all threads, so that other work on the machine and
the number of threads do not count.
"""

import contextlib
import importlib.util
import sys
import time
from pathlib import Path

import motrixsim as mx
from motrixsim.render import FreeView, RenderApp, Renderer, look_at
from motrixsim.render.frame import Frame

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


def page_rows(model: mx.SceneModel) -> list[tuple[str, float]]:
    """What the page costs with a thousand bodies: the program's thread and that of the window."""
    if importlib.util.find_spec("viser") is None:
        return []
    worlds = -(-1000 // model.num_links)
    data = mx.SceneData(model, batch=[worlds])
    with contextlib.redirect_stdout(sys.stderr), RenderApp() as app:
        app.launch(model, batch=worlds)
        app.sync(data)
        window = app._window
        sync = cpu_milliseconds(lambda: app.sync(data), 30)
        show = cpu_milliseconds(lambda: window._show(Frame(app)), 30)
    bodies = worlds * model.num_links
    return [(f"`sync` of {bodies} bodies, ms", sync), (f"the page's update of {bodies} bodies, ms", show)]


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
    rows.extend(page_rows(model))

    print(f"Pictures of the biped ({model.num_geoms} geoms), lanes {mx.lane_info().name}, CPU time of all threads:\n")
    print("| what | measured |\n|---|---|")
    for what, measured in rows:
        print(f"| {what} | {measured:,.3g} |" if measured < 1000 else f"| {what} | {measured:,.0f} |")


if __name__ == "__main__":
    main()
