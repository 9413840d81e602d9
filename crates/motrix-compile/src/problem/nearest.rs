//! The nearest word, for "did you mean".
//!
//! Distance is Damerau-Levenshtein in its optimal-string-alignment form: insertions, deletions, substitutions and
//! swaps of neighbours each cost one. A word is near when at most a third of its letters differ, one in short words,
//! three in long ones. A word that contains the other one (`foot`, `left_foot`) is near too, because that is how names
//! of robot parts are mistaken.

/// Words longer than this are not compared: names are short, and the cost grows with the square of the length.
const LONGEST_WORD: usize = 64;

/// A model with more names than this gets no proposals from the rest: a hint must not cost more than the load.
const MOST_CANDIDATES: usize = 10_000;

/// The fewest letters two words must share for containment to count as nearness.
const SHORTEST_SHARED: usize = 3;

/// The candidate nearest to `given`, if one is near enough. Of equally near ones the first wins.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = given.chars().count();
    let cutoff = if letters < 2 { 0 } else { (letters / 3).clamp(1, 3) };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().take(MOST_CANDIDATES) {
        // Containment is worse than any small slip of the keyboard, and better the fewer letters are left over.
        let rank = match edit_distance(&given.to_lowercase(), &candidate.to_lowercase()) {
            Some(d) if d <= cutoff => d,
            _ if one_contains_the_other(given, candidate) => cutoff + given.len().abs_diff(candidate.len()),
            _ => continue,
        };
        if candidate != given && best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, word)| word)
}

fn one_contains_the_other(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= SHORTEST_SHARED && long.len() <= LONGEST_WORD && long.contains(short)
}

/// How many single-letter slips separate `a` from `b`; `None` for words too long to compare.
pub fn edit_distance(a: &str, b: &str) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().max(b.len()) > LONGEST_WORD {
        return None;
    }
    // rows[i][j]: distance of the first i letters of a from the first j letters of b; three rows are enough.
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substituted = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(last[j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    Some(last[b.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slip_of_the_keyboard_costs_one() {
        for (a, b, d) in [
            ("geom", "goem", 1),
            ("geom", "gem", 1),
            ("geom", "geoms", 1),
            ("geom", "gexm", 1),
        ] {
            assert_eq!(edit_distance(a, b), Some(d), "{a} {b}");
        }
        assert_eq!(edit_distance("", "abc"), Some(3));
        assert_eq!(edit_distance("same", "same"), Some(0));
    }

    #[test]
    fn only_near_words_are_proposed() {
        assert_eq!(nearest("mehs", ["mesh", "mass"]), Some("mesh"));
        assert_eq!(nearest("Box", ["sphere", "box"]), Some("box"));
        assert_eq!(nearest("foot", ["hand", "left_foot"]), Some("left_foot"));
        assert_eq!(nearest("foot", ["hand", "torso"]), None);
        assert_eq!(nearest("x", ["y", "quat"]), None);
    }

    #[test]
    fn very_long_words_are_not_compared() {
        let long = "a".repeat(100_000);
        assert_eq!(nearest(&long, ["aaaa"]), None);
    }
}
