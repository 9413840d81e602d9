"""The wheel carries every lane type, takes the fastest, and can be told to take another."""

import pytest

import motrixsim

PRINT_LANES = "import motrixsim; print(motrixsim.lane_info('f32').name, motrixsim.lane_info('f64').name)"


def test_the_lanes_in_use_are_among_those_available() -> None:
    available = motrixsim.available_lanes()
    for precision in ("f32", "f64"):
        assert motrixsim.lane_info(precision) in available


def test_single_precision_is_the_default() -> None:
    assert motrixsim.lane_info() == motrixsim.lane_info("f32")


def test_a_lane_type_says_what_it_is() -> None:
    for lanes in motrixsim.available_lanes():
        assert lanes.name.startswith(lanes.precision)
        assert repr(lanes) == f"LaneInfo(name={lanes.name!r}, count={lanes.count}, precision={lanes.precision!r})"


def test_an_unknown_precision_is_a_value_error() -> None:
    with pytest.raises(ValueError, match='unknown precision "f16", expected "f32" or "f64"'):
        motrixsim.lane_info("f16")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("portable", "f32x8-portable f64"),
        ("portable-fma", "f32x8-portable-fma f64"),
        ("scalar", "f64 f64"),
    ],
)
def test_the_environment_forces_a_lane_type(request_: str, expected: str, run_python) -> None:
    if expected.split()[0] not in [lanes.name for lanes in motrixsim.available_lanes()]:
        pytest.skip("a development build with few lane types, or a processor without them")
    result = run_python("-c", PRINT_LANES, MOTRIX_LANES=request_)
    assert result.stdout.strip() == expected, result.stderr


def test_the_wheel_runs_avx2_where_the_processor_has_it(run_python) -> None:
    if not any(lanes.name == "f64x4-avx2" for lanes in motrixsim.available_lanes()):
        pytest.skip("this processor has no AVX2, or this is a development build with few lane types")
    result = run_python("-c", PRINT_LANES, MOTRIX_LANES="")
    assert result.stdout.strip() == "f32x8-avx2 f64x4-avx2", result.stderr


def test_an_unknown_lane_type_is_an_error_that_names_the_known_ones(run_python) -> None:
    result = run_python("-c", PRINT_LANES, MOTRIX_LANES="mmx")
    assert result.returncode != 0
    assert "RuntimeError" in result.stderr
    assert "avx2, portable, portable-fma or scalar" in result.stderr
