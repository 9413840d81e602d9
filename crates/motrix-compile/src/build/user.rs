//! User numbers: lists that an element carries along, all of one length per kind of element.

use crate::document::Element;
use crate::problem::{Problem, Problems};

/// The user numbers of an element; more than `<size>` reserves are an error. [`equalize`] fills up later.
pub fn read(element: &Element, length: Option<usize>, problems: &mut Problems) -> Vec<f64> {
    let numbers = element.real_list("user", problems).unwrap_or_default();
    if let Some(length) = length {
        if numbers.len() > length {
            let message = format!("{} user numbers, but <size> reserves {length}", numbers.len());
            problems.push(element.problem_with("user", message));
        }
    }
    numbers
}

/// User numbers of one kind of element beyond this are refused: 512 MB.
const MOST_NUMBERS: usize = 1 << 26;

/// Brings all lists to the `length` that `<size>` reserves, or to that of the longest, with zeros.
pub fn equalize<'u>(lists: impl IntoIterator<Item = &'u mut Vec<f64>>, length: Option<usize>, problems: &mut Problems) {
    let mut lists: Vec<_> = lists.into_iter().collect();
    let longest = length.unwrap_or_else(|| lists.iter().map(|list| list.len()).max().unwrap_or(0));
    if longest.saturating_mul(lists.len()) > MOST_NUMBERS {
        let message = format!(
            "{longest} user numbers for each of {} elements are too many",
            lists.len()
        );
        problems.push(Problem::of_model(message));
        return;
    }
    for list in &mut lists {
        list.resize(longest, 0.0);
    }
}
