//! The lane type is the one asked for, or the fastest the processor has; a wrong wish is answered with what could be
//! wished.

use motrix_spatial::{LaneError, LaneKind, Lanes, Precision, with_lanes};

#[test]
fn each_value_of_the_variable_names_a_type_per_precision() {
    let choose = |value, precision| LaneKind::choose(Some(value), precision);
    if LaneKind::F32x8Portable.is_supported() {
        assert_eq!(choose("portable", Precision::Single), Ok(LaneKind::F32x8Portable));
    }
    assert_eq!(choose("portable", Precision::Double), Ok(LaneKind::F64));
    let fused = choose("portable-fma", Precision::Single);
    if LaneKind::F32x8PortableFma.is_supported() {
        assert_eq!(fused, Ok(LaneKind::F32x8PortableFma));
    } else {
        assert_eq!(fused, Err(LaneError::NoFma));
    }
    assert_eq!(choose("portable-fma", Precision::Double), Ok(LaneKind::F64));
    assert_eq!(choose("scalar", Precision::Single), Ok(LaneKind::F64));
    assert_eq!(choose("scalar", Precision::Double), Ok(LaneKind::F64));
    assert_eq!(choose("", Precision::Single), Ok(LaneKind::fastest(Precision::Single)));
    assert_eq!(
        LaneKind::choose(None, Precision::Double),
        Ok(LaneKind::fastest(Precision::Double))
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_is_chosen_where_the_processor_has_it_and_refused_elsewhere() {
    let [single, double] =
        [Precision::Single, Precision::Double].map(|precision| LaneKind::choose(Some("avx2"), precision));
    if LaneKind::F32x8Avx2.is_supported() {
        assert_eq!(single, Ok(LaneKind::F32x8Avx2));
        assert_eq!(double.is_ok(), LaneKind::F64x4Avx2.is_supported());
        assert_eq!(LaneKind::fastest(Precision::Single), LaneKind::F32x8Avx2);
    } else {
        assert_eq!((single, double), (Err(LaneError::NoAvx2), Err(LaneError::NoAvx2)));
    }
}

#[test]
fn an_unknown_value_is_answered_with_the_known_ones() {
    let error = LaneKind::choose(Some("AVX-2"), Precision::Single).unwrap_err();
    assert_eq!(error, LaneError::Unknown("AVX-2".to_owned()));
    let text = error.to_string();
    for word in ["MOTRIX_LANES=\"AVX-2\"", "avx2", "portable", "portable-fma", "scalar"] {
        assert!(text.contains(word), "{text:?} lacks {word}");
    }
    assert!(LaneError::NoAvx2.to_string().contains("AVX2 and FMA"));
}

#[test]
fn a_kind_knows_its_type() {
    for &kind in LaneKind::ALL {
        let (name, count) = with_lanes!(kind, L => (L::NAME, L::COUNT));
        assert_eq!(
            (kind.name(), kind.count(), kind.to_string()),
            (name, count, name.to_owned())
        );
        let lanes = match kind.precision() {
            Precision::Single => "f32",
            Precision::Double => "f64",
        };
        assert!(name.starts_with(lanes), "{name}");
    }
    let mut names: Vec<_> = LaneKind::ALL.iter().map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LaneKind::ALL.len(), "names are distinct");
}

#[test]
fn the_variable_of_the_environment_decides() {
    // A process of its own, because the variable is read once.
    const CHILD: &str = "MOTRIX_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        match LaneKind::detect(Precision::Single) {
            Ok(kind) => print!("<{kind}>"),
            Err(error) => print!("<{error}>"),
        }
        return;
    }
    let detect = |value: Option<&str>| {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", "the_variable_of_the_environment_decides", "--nocapture"])
            .env(CHILD, "1");
        match value {
            Some(value) => child.env("MOTRIX_LANES", value),
            None => child.env_remove("MOTRIX_LANES"),
        };
        String::from_utf8(child.output().unwrap().stdout).unwrap()
    };
    let fastest = LaneKind::fastest(Precision::Single);
    assert!(detect(None).contains(&format!("<{fastest}>")));
    if LaneKind::F32x8Portable.is_supported() {
        assert!(detect(Some("portable")).contains("<f32x8-portable>"));
    }
    assert!(detect(Some("scalar")).contains("<f64>"));
    assert!(detect(Some("sse9")).contains("<MOTRIX_LANES=\"sse9\" names no lane type"));
}

/// A kernel of the kind that a closure or a missing attribute would slow down: several operations, one entry.
#[inline(always)]
fn orbit<L: Lanes>(x: L, steps: u32) -> L {
    let mut x = x;
    for _ in 0..steps {
        let (s, c) = x.sin_cos();
        x = s.mul_add(L::c(1.5), c.sqrt().max(L::c(0.1)));
    }
    x
}

motrix_spatial::entry! {
    /// Entry points with several arguments, results and documentation.
    pub trait Orbits {
        /// The point after some steps.
        fn orbit(start: Self, steps: u32) -> Self {
            orbit(start, steps)
        }
        /// How many lanes there are: an entry without arguments.
        fn width() -> usize {
            Self::COUNT
        }
    }
}

/// What a batch does: generic over the lane type, bounded by the trait of the entries.
fn through_the_entry<L: Orbits>(start: f64) -> (L, usize) {
    (L::orbit(L::c(start), 5), L::width())
}

#[test]
fn an_entry_computes_what_its_kernel_computes() {
    for &kind in LaneKind::ALL.iter().filter(|kind| kind.is_supported()) {
        with_lanes!(kind, L => {
            let (point, width) = through_the_entry::<L>(0.7);
            let direct = orbit(L::c(0.7), 5);
            for k in 0..width {
                assert_eq!(point.lane(k), direct.lane(k), "{kind}");
            }
        });
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn compiled_for_avx2_or_not_a_fused_kernel_gives_the_same_bits() {
    use motrix_spatial::lanes::{F32x8Avx2, F32x8PortableFma, F64x4Avx2, F64x4PortableFma};
    if !LaneKind::F64x4Avx2.is_supported() {
        return;
    }
    for i in 0..1000 {
        let start = f64::from(i) * 0.37 - 180.0;
        let (single, portable) = (
            through_the_entry::<F32x8Avx2>(start).0,
            through_the_entry::<F32x8PortableFma>(start).0,
        );
        assert_eq!(single.lane(5).to_bits(), portable.lane(5).to_bits(), "from {start}");
        // No kernels are compiled for four portable doubles; the function itself serves.
        let (double, portable) = (
            through_the_entry::<F64x4Avx2>(start).0,
            orbit(F64x4PortableFma::splat(start), 5),
        );
        assert_eq!(double.lane(2).to_bits(), portable.lane(2).to_bits(), "from {start}");
    }
}
