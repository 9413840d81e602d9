//! Typed access to the effective attributes of an element.
//!
//! Each getter takes the value from the strongest layer that has one. A value that does not fit is recorded with place,
//! expectation and finding, and `None` is returned as if it were not given, so that the caller can go on.

use super::compiler::{AUTO, Auto};
use super::element::{Attribute, Element};
use super::value::{self, Misfit};
use crate::problem::{Problem, Problems};
use crate::schema::{Count, Words};

impl Element {
    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        Some(&self.find(name)?.1.value)
    }

    /// The name of another element.
    pub fn reference(&self, name: &str) -> Option<&str> {
        self.text(name)
    }

    /// A number.
    pub fn real(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        self.reals::<1>(name, problems).map(|[number]| number)
    }

    /// Exactly `N` numbers.
    pub fn reals<const N: usize>(&self, name: &str, problems: &mut Problems) -> Option<[f64; N]> {
        let numbers = self.parse(name, problems, |text| value::reals(text, Count::Exactly(N)))?;
        numbers.try_into().ok()
    }

    /// Any number of numbers.
    pub fn real_list(&self, name: &str, problems: &mut Problems) -> Option<Vec<f64>> {
        self.parse(name, problems, |text| value::reals(text, Count::Any))
    }

    /// Up to `N` numbers on top of `builtin`. Every layer replaces as many leading numbers as it gives: with
    /// `friction="0.5 0.1"` in the class and `friction="2"` on the geom, the result is `[2, 0.1, builtin[2]]`.
    pub fn reals_over<const N: usize>(&self, name: &str, builtin: [f64; N], problems: &mut Problems) -> [f64; N] {
        self.given_reals_over(name, builtin, problems).unwrap_or(builtin)
    }

    /// As [`Element::reals_over`], but `None` when no layer gives any number.
    pub fn given_reals_over<const N: usize>(
        &self,
        name: &str,
        builtin: [f64; N],
        problems: &mut Problems,
    ) -> Option<[f64; N]> {
        let mut result = builtin;
        let mut filled = 0;
        for layer in self.layers() {
            // A stronger layer has already set the first `filled` numbers.
            let Some(numbers) = layer.parse_own(name, problems, |text| value::reals(text, Count::UpTo(N))) else {
                continue;
            };
            if numbers.len() > filled {
                result[filled..numbers.len()].copy_from_slice(&numbers[filled..]);
                filled = numbers.len();
            }
            if filled == N {
                break;
            }
        }
        (filled > 0).then_some(result)
    }

    /// A whole number.
    pub fn int(&self, name: &str, problems: &mut Problems) -> Option<i32> {
        self.ints::<1>(name, problems).map(|[number]| number)
    }

    /// Exactly `N` whole numbers.
    pub fn ints<const N: usize>(&self, name: &str, problems: &mut Problems) -> Option<[i32; N]> {
        let numbers = self.parse(name, problems, |text| value::ints(text, Count::Exactly(N)))?;
        numbers.try_into().ok()
    }

    /// Any number of whole numbers.
    pub fn int_list(&self, name: &str, problems: &mut Problems) -> Option<Vec<i32>> {
        self.parse(name, problems, |text| value::ints(text, Count::Any))
    }

    /// `true` or `false`.
    pub fn boolean(&self, name: &str, problems: &mut Problems) -> Option<bool> {
        self.parse(name, problems, value::boolean)
    }

    /// `false`, `true` or `auto`.
    pub fn auto(&self, name: &str, problems: &mut Problems) -> Option<Auto> {
        self.keyword(name, AUTO, problems)
    }

    /// A red-green-blue-alpha colour.
    pub fn rgba(&self, name: &str, problems: &mut Problems) -> Option<[f32; 4]> {
        self.reals::<4>(name, problems)
            .map(|colour| colour.map(|channel| channel as f32))
    }

    /// A number of bytes such as `10M`; `None` also for `-1`.
    pub fn bytes(&self, name: &str, problems: &mut Problems) -> Option<u64> {
        self.parse(name, problems, value::bytes).flatten()
    }

    /// What the keyword means according to `meanings`. Words that the schema accepts but `meanings` lacks are an error of
    /// the model, said in the words of `meanings`.
    pub fn keyword<T: Copy>(&self, name: &str, meanings: &[(&'static str, T)], problems: &mut Problems) -> Option<T> {
        let (layer, attribute) = self.find(name)?;
        let meaning = meanings.iter().find(|(word, _)| *word == &*attribute.value);
        if meaning.is_none() {
            layer.not_among(attribute, meanings.iter().map(|(word, _)| *word), problems);
        }
        meaning.map(|(_, meaning)| *meaning)
    }

    /// The position in `words` of each of the words given, in the order given; empty if none.
    pub fn keywords(&self, name: &str, words: Words, problems: &mut Problems) -> Vec<usize> {
        self.parse(name, problems, |text| value::keywords(text, words))
            .unwrap_or_default()
    }

    fn not_among(&self, attribute: &Attribute, words: impl Iterator<Item = &'static str>, problems: &mut Problems) {
        let words: Vec<_> = words.collect();
        let message = format!(
            "\"{}\" is not one of {}",
            value::shorten(&attribute.value),
            words.join(", ")
        );
        problems.push_with_proposal(self.problem_with(attribute.name, message), &attribute.value, || words);
    }

    /// The strongest value of attribute `name`, as `parse` understands it.
    fn parse<T>(&self, name: &str, problems: &mut Problems, parse: impl Fn(&str) -> Result<T, Misfit>) -> Option<T> {
        self.find(name)?.0.parse_own(name, problems, parse)
    }

    /// The element's own value of attribute `name`; defaults are not asked. An empty text is no value.
    fn parse_own<T>(
        &self,
        name: &str,
        problems: &mut Problems,
        parse: impl Fn(&str) -> Result<T, Misfit>,
    ) -> Option<T> {
        let attribute = self.own(name).filter(|attribute| !attribute.value.trim().is_empty())?;
        parse(&attribute.value)
            .map_err(|misfit| self.push_misfit(attribute, misfit, problems))
            .ok()
    }

    /// Records a value that does not fit.
    pub(crate) fn push_misfit(&self, attribute: &Attribute, misfit: Misfit, problems: &mut Problems) {
        let problem = Problem::error(attribute.place.clone(), self.shown_with(attribute.name), misfit.message);
        problems.push_with_proposal(problem, &misfit.given, || misfit.candidates.iter().copied());
    }
}
