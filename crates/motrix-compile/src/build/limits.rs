//! Ranges that may act as limits: `limited="auto"` follows the range, unless `compiler autolimits` forbids it.

use crate::document::{AUTO, Auto, Element};
use crate::problem::Problems;

/// Whether the limit `range` of `element` acts, and the range as written.
pub fn read(element: &Element, limited: &str, range: &str, problems: &mut Problems) -> (bool, [f64; 2]) {
    let choice = element.keyword(limited, AUTO, problems).unwrap_or(Auto::Auto);
    let given = element.reals(range, problems).unwrap_or([0.0; 2]);
    (resolve(element, (limited, choice), (range, given), problems), given)
}

/// As [`read`] with the values already known, because a shortcut may have set them.
pub fn resolve(
    element: &Element,
    (limited, choice): (&str, Auto),
    (range, given): (&str, [f64; 2]),
    problems: &mut Problems,
) -> bool {
    check_autolimits(element, limited, choice, range, given, problems);
    let acts = acts(choice, given);
    if acts && given[0] >= given[1] {
        problems.push(element.problem_with(range, "the lower limit must be below the upper one"));
    }
    acts
}

/// The limit of a ball joint: the largest angle from the reference, the lower number being 0.
pub fn read_ball(element: &Element, problems: &mut Problems) -> (bool, [f64; 2]) {
    let choice = element.keyword("limited", AUTO, problems).unwrap_or(Auto::Auto);
    let given = element.reals("range", problems).unwrap_or([0.0; 2]);
    check_autolimits(element, "limited", choice, "range", given, problems);
    let acts = acts(choice, given);
    if acts && given[0] != 0.0 {
        problems.push(element.problem_with("range", "the range of a ball joint starts at 0"));
    }
    (acts, given)
}

fn acts(choice: Auto, range: [f64; 2]) -> bool {
    choice == Auto::True || (choice == Auto::Auto && range[0] < range[1])
}

fn check_autolimits(
    element: &Element,
    limited: &str,
    choice: Auto,
    range: &str,
    given: [f64; 2],
    problems: &mut Problems,
) {
    if !element.compiler().autolimits && choice == Auto::Auto && given != [0.0; 2] {
        let message = format!("{range} is given without {limited}, and compiler autolimits is \"false\"");
        problems.push(element.problem_with(range, message));
    }
}
