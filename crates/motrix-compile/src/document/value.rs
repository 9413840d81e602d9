//! The text of attributes to values, and what to say when it does not work.
//!
//! As in MuJoCo, numbers are separated by white space, an empty list counts as "not given", and keywords must match
//! letter by letter. Unlike MuJoCo, `nan` and `inf` are refused: no length, mass or gain is either, and what they do to a
//! simulation shows far from where they were written.

use std::fmt::Write;

use crate::schema::{Attr, Count, Value, Words};

/// Longest piece of the author's text shown in a message.
const SHOWN: usize = 40;

/// `text` on one line, cut to a length that fits a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short = String::new();
    for (i, word) in text.split_whitespace().enumerate() {
        if short.chars().count() > SHOWN {
            break;
        }
        short.push_str(if i == 0 { "" } else { " " });
        short.extend(word.chars().take(SHOWN + 1));
    }
    if short.chars().count() > SHOWN {
        short = short.chars().take(SHOWN - 1).chain(['…']).collect();
    }
    short
}

/// A text that does not fit: what to say, and the words that might have been meant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Misfit {
    pub message: String,
    pub candidates: Words,
    pub given: String,
}

impl Misfit {
    fn new(message: String) -> Self {
        Self {
            message,
            candidates: &[],
            given: String::new(),
        }
    }
}

type Parsed<T> = Result<T, Misfit>;

/// Numbers in `text`; empty when there are none.
pub(crate) fn reals(text: &str, count: Count) -> Parsed<Vec<f64>> {
    let words = count_words(text, count)?;
    let mut numbers = Vec::with_capacity(words);
    for word in text.split_ascii_whitespace() {
        numbers.push(real(word)?);
    }
    Ok(numbers)
}

/// Whole numbers in `text`; empty when there are none.
pub(crate) fn ints(text: &str, count: Count) -> Parsed<Vec<i32>> {
    let words = count_words(text, count)?;
    let mut numbers = Vec::with_capacity(words);
    for word in text.split_ascii_whitespace() {
        numbers.push(int(word)?);
    }
    Ok(numbers)
}

/// How many words `text` has, if that is allowed.
fn count_words(text: &str, count: Count) -> Parsed<usize> {
    let given = text.split_ascii_whitespace().count();
    let fits = match count {
        Count::Exactly(n) => given == n || given == 0,
        Count::UpTo(n) => given <= n,
        Count::Any => true,
    };
    if fits {
        return Ok(given);
    }
    let expected = match count {
        Count::Exactly(1) => "one number".to_owned(),
        Count::Exactly(n) => format!("{n} numbers"),
        Count::UpTo(n) => format!("at most {n} numbers"),
        Count::Any => "numbers".to_owned(),
    };
    Err(Misfit::new(format!("expected {expected}, found {given}")))
}

fn real(word: &str) -> Parsed<f64> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        // Rust reads an overflowing literal as infinity; its spelling tells it from "inf".
        Ok(_) if word.bytes().any(|b| b.is_ascii_digit()) => {
            Err(Misfit::new(format!("the number \"{}\" is too large", shorten(word))))
        }
        Ok(_) => Err(Misfit::new(format!(
            "expected a finite number, found \"{}\"",
            shorten(word)
        ))),
        Err(_) => Err(Misfit::new(format!("expected a number, found \"{}\"", shorten(word)))),
    }
}

fn int(word: &str) -> Parsed<i32> {
    word.parse::<i32>().map_err(|_| {
        let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
        Misfit::new(if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            format!("the number \"{}\" is too large", shorten(word))
        } else {
            format!("expected a whole number, found \"{}\"", shorten(word))
        })
    })
}

/// `true` or `false`.
pub(crate) fn boolean(text: &str) -> Parsed<bool> {
    keyword(text, &["false", "true"]).map(|position| position == 1)
}

/// The position of `text` in `words`.
pub(crate) fn keyword(text: &str, words: Words) -> Parsed<usize> {
    words.iter().position(|word| *word == text).ok_or_else(|| {
        let mut message = format!("\"{}\" is not one of ", shorten(text));
        for (i, word) in words.iter().enumerate() {
            // A String accepts every write.
            let _ = write!(message, "{}{word}", if i == 0 { "" } else { ", " });
        }
        Misfit {
            message,
            candidates: words,
            given: text.to_owned(),
        }
    })
}

/// The positions in `words` of the words in `text`, each given once.
pub(crate) fn keywords(text: &str, words: Words) -> Parsed<Vec<usize>> {
    let mut positions = Vec::new();
    for word in text.split_ascii_whitespace() {
        let position = keyword(word, words)?;
        if positions.contains(&position) {
            return Err(Misfit::new(format!("\"{word}\" is given twice")));
        }
        positions.push(position);
    }
    Ok(positions)
}

/// Three axes, such as `xyz` or `ZYX`.
fn euler_sequence(text: &str) -> Parsed<()> {
    let fits = text.len() == 3 && text.bytes().all(|b| b"xyzXYZ".contains(&b));
    if fits {
        return Ok(());
    }
    Err(Misfit::new(format!(
        "expected three of the letters x y z X Y Z, found \"{}\"",
        shorten(text)
    )))
}

/// A number of bytes with an optional suffix of 1024, such as `10M`; `None` for `-1`, which asks for the default.
pub(crate) fn bytes(text: &str) -> Parsed<Option<u64>> {
    let trimmed = text.trim();
    if trimmed == "-1" {
        return Ok(None);
    }
    let digits = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match trimmed[digits.len()..].to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        "P" => Some(50),
        "E" => Some(60),
        _ => None,
    };
    let size = shift.and_then(|shift| digits.parse::<u64>().ok()?.checked_mul(1 << shift));
    size.map(Some).ok_or_else(|| {
        Misfit::new(format!(
            "expected a number of bytes such as 10M (K, M, G, T, P, E), found \"{}\"",
            shorten(text)
        ))
    })
}

/// Whether `text` fits `attribute`; meanings that need other elements (names, classes) are checked elsewhere.
pub(crate) fn check(text: &str, attribute: &Attr) -> Parsed<()> {
    match attribute.value {
        Value::Real(count) => reals(text, count).map(drop),
        Value::Int(count) => ints(text, count).map(drop),
        Value::Bool => boolean(text).map(drop),
        Value::Keyword(words) => keyword(text, words).map(drop),
        Value::Keywords(words) => keywords(text, words).map(drop),
        Value::EulerSequence => euler_sequence(text),
        Value::Bytes => bytes(text).map(drop),
        Value::Class if text.is_empty() => Err(Misfit::new("the name of the class is empty".to_owned())),
        Value::File if text.is_empty() => Err(Misfit::new("the path is empty".to_owned())),
        Value::Text
        | Value::File
        | Value::Name(_)
        | Value::Reference(_)
        | Value::References(_)
        | Value::ReferenceBy(_)
        | Value::Class => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<T: std::fmt::Debug>(parsed: Parsed<T>) -> String {
        parsed.unwrap_err().message
    }

    #[test]
    fn numbers_are_separated_by_white_space() {
        assert_eq!(reals(" 1 -2.5\n\t.5e1 +3. ", Count::Any), Ok(vec![1.0, -2.5, 5.0, 3.0]));
        assert_eq!(reals("", Count::Exactly(3)), Ok(vec![]));
        assert_eq!(reals("1 2", Count::UpTo(3)), Ok(vec![1.0, 2.0]));
        assert_eq!(ints("+3 -4", Count::Exactly(2)), Ok(vec![3, -4]));
    }

    #[test]
    fn what_is_not_a_number_is_said() {
        assert_eq!(message(reals("1,2", Count::Any)), "expected a number, found \"1,2\"");
        assert_eq!(message(reals("1 2", Count::Exactly(3))), "expected 3 numbers, found 2");
        assert_eq!(
            message(reals("1 2 3 4", Count::UpTo(3))),
            "expected at most 3 numbers, found 4"
        );
        assert_eq!(
            message(reals("nan", Count::Any)),
            "expected a finite number, found \"nan\""
        );
        assert_eq!(
            message(reals("-inf", Count::Any)),
            "expected a finite number, found \"-inf\""
        );
        assert_eq!(message(reals("1e999", Count::Any)), "the number \"1e999\" is too large");
        assert_eq!(
            message(ints("3.0", Count::Any)),
            "expected a whole number, found \"3.0\""
        );
        assert_eq!(
            message(ints("4294967295", Count::Any)),
            "the number \"4294967295\" is too large"
        );
    }

    #[test]
    fn keywords_must_match_letter_by_letter() {
        assert_eq!(keyword("box", &["sphere", "box"]), Ok(1));
        assert_eq!(
            message(keyword("Box", &["sphere", "box"])),
            "\"Box\" is not one of sphere, box"
        );
        assert_eq!(keywords("force found", &["found", "force"]), Ok(vec![1, 0]));
        assert_eq!(message(keywords("found found", &["found"])), "\"found\" is given twice");
        assert_eq!(boolean("true"), Ok(true));
    }

    #[test]
    fn a_size_in_bytes_may_carry_a_suffix() {
        assert_eq!(bytes(" 3k "), Ok(Some(3072)));
        assert_eq!(bytes("-1"), Ok(None));
        for wrong in ["1.5M", "10MB", "99999999999E", "", "M"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shorten(&"ä".repeat(41)).chars().count(), SHOWN);
        assert_eq!(shorten("short"), "short");
    }
}
