"""Running a simulation in real time beside something that shows it.

`python -m motrixsim.run --file scene.xml` loads a model and shows it in the browser.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

__all__ = ["render_loop"]


def render_loop(
    phys_dt: float,
    render_fps: float,
    phys_step_func: Callable[[], object],
    render_func: Callable[[], object],
) -> None:
    """Steps in real time and renders at most `render_fps` times a second, until the window is closed or Ctrl-C is
    pressed.

    One step comes before the first frame. Each frame steps as often as time has passed since the frame before, but
    never for longer than a frame lasts: a simulation slower than real time falls behind instead of standing still while
    it tries to catch up.
    """
    from .render import RenderClosedError
    from .render.clock import CLOCK

    if not phys_dt > 0 or not render_fps > 0:
        raise ValueError(f"phys_dt and render_fps must be positive, got {phys_dt} and {render_fps}")
    frame = 1.0 / render_fps
    owed = phys_dt
    last = time.perf_counter()
    CLOCK.driven = True
    try:
        while True:
            begin = time.perf_counter()
            owed = 0.0 if CLOCK.paused else owed + CLOCK.speed * (begin - last)
            last = begin
            for _ in range(CLOCK.take_steps()):
                phys_step_func()
            while owed >= phys_dt:
                phys_step_func()
                owed -= phys_dt
                if time.perf_counter() - begin >= frame:
                    owed = 0.0
            render_func()
            rest = frame - (time.perf_counter() - begin)
            if rest > 0:
                time.sleep(rest)
    except (KeyboardInterrupt, RenderClosedError):
        return
    finally:
        CLOCK.driven = False


def main() -> None:
    """Loads a model and runs it in the browser."""
    parser = argparse.ArgumentParser(prog="python -m motrixsim.run", description=main.__doc__)
    parser.add_argument("--file", required=True, help="the MJCF or URDF file of the model")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds to wait before it starts to move")
    arguments = parser.parse_args()

    import motrixsim

    from .render import RenderApp

    model = motrixsim.load_model(arguments.file)
    data = motrixsim.SceneData(model)
    if model.num_keyframes:
        model.keyframes[0].apply(data)
    with RenderApp() as app:
        app.launch(model)
        app.sync(data)
        time.sleep(arguments.delay)
        render_loop(model.options.timestep, 60, lambda: motrixsim.step(model, data), lambda: app.sync(data))


if __name__ == "__main__":
    main()
