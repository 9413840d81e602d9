"""Speed of pictures in CPU time: a large one with and without shadows, many small depth images, updates of the page,
and how long a browser takes to show the first picture.

Prints Markdown. Times are minima over repetitions of the CPU time of all threads, so that other work on the machine and
the number of threads do not count; only the browser's is by the clock.
"""

import contextlib
import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import motrixsim as mx
from motrixsim.render import FreeView, RenderApp, Renderer, RenderSettings, look_at
from motrixsim.render.frame import Frame

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "examples" / "assets"
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


BALL = """
<mujoco><worldbody><body><freejoint/><geom size=".5" rgba="1 0 0 1"/></body></worldbody></mujoco>
"""


def browser_rows() -> list[tuple[str, float]]:
    """Seconds from opening the page to a picture with the scene in it, without a graphics card."""
    sys.path.insert(0, str(ROOT / "tests"))
    import chromium

    model = mx.load_mjcf_str(BALL)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        try:
            browser = stack.enter_context(contextlib.closing(chromium.Chromium(folder)))
        except chromium.NoBrowserError:
            return []
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        app = stack.enter_context(RenderApp())
        app.launch(model, render_settings=RenderSettings.performance())
        app.sync(mx.SceneData(model))
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            with contextlib.closing(browser.open(app.url, 640, 400)) as page:
                while not ((picture := page.pixels().astype(int))[..., 0] > 2 * picture[..., 1:].max(-1)).any():
                    time.sleep(0.02)
                times.append(time.perf_counter() - begin)
    return [("first picture in a headless Chromium without a graphics card, seconds", min(times))]


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
    rows.append(("64 x 48 depth of 1024 worlds, ms", batch))
    if importlib.util.find_spec("viser") is not None:
        rows.extend(page_rows(model))
        rows.extend(browser_rows())

    lanes = mx.lane_info().name
    print(
        f"Pictures of `examples/assets/biped.xml` ({model.num_geoms} geoms), lanes {lanes}, CPU time of all threads:\n"
    )
    print("| what | measured |\n|---|---|")
    for what, measured in rows:
        print(f"| {what} | {measured:,.3g} |" if measured < 1000 else f"| {what} | {measured:,.0f} |")


if __name__ == "__main__":
    main()
