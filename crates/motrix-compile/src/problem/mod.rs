//! What can be wrong with a model, and where.
//!
//! Every stage of the compiler hands its findings to one [`Problems`] collector and goes on with the next element, so
//! that a single pass tells the author *everything* that has to be changed. A [`Problem`] names the file, line and
//! column, shows the element with the attribute in question, and proposes the nearest existing word:
//!
//! ```text
//! robot.xml:41:9 <geom mesh="foot">: no mesh named "foot"; did you mean "left_foot"?
//! ```
//!
//! What is understood but does not change the simulation is not an error: it goes to the [`LoadReport`].

mod nearest;
mod place;

use std::collections::HashSet;
use std::fmt;

pub use nearest::{edit_distance, nearest};
pub use place::{Place, Source};

/// Problems beyond this number are counted, not kept: a damaged file must not exhaust memory with messages.
const KEPT: usize = 200;

/// What a finding means for loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The model cannot be loaded.
    Error,
    /// The model loads; the finding stands in the [`LoadReport`].
    Note(NoteKind),
}

/// Why something in the file does not act on the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// Understood, and rightly without influence (for example rendering settings, or a constraint that lost its body).
    NoEffect,
    /// Understood, but this engine does not implement it.
    NotSupported,
    /// Not understood; accepted because the model was loaded with `strict = false`.
    Ignored,
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoteKind::NoEffect => "no effect",
            NoteKind::NotSupported => "not supported",
            NoteKind::Ignored => "ignored",
        })
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Error or note.
    pub severity: Severity,
    /// Where it stands; `None` for problems of the whole model.
    pub place: Option<Place>,
    /// The element as the author wrote it, such as `<geom mesh="foot">`; empty for problems of a file.
    pub element: String,
    /// What is wrong, and what would be right.
    pub message: String,
    /// The nearest existing word, if one is near enough.
    pub did_you_mean: Option<String>,
}

impl Problem {
    /// An error at `place` about the element shown as `element`.
    pub fn error(place: Place, element: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: Some(place),
            element: element.into(),
            message: message.into(),
            did_you_mean: None,
        }
    }

    /// An error without a place in a file: about the model as a whole.
    pub fn of_model(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: None,
            element: String::new(),
            message: message.into(),
            did_you_mean: None,
        }
    }

    /// The same finding as a note.
    pub fn note(mut self, kind: NoteKind) -> Self {
        self.severity = Severity::Note(kind);
        self
    }

    /// Proposes the word of `candidates` nearest to `given`, when one is near.
    pub fn did_you_mean<'a>(mut self, given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        self.did_you_mean = nearest(given, candidates).map(str::to_owned);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}")?;
            place.write_include_chain(f)?;
            f.write_str(if self.element.is_empty() { ": " } else { " " })?;
        }
        if !self.element.is_empty() {
            write!(f, "{}: ", self.element)?;
        }
        f.write_str(&self.message)?;
        match &self.did_you_mean {
            Some(word) => write!(f, "; did you mean \"{word}\"?"),
            None => Ok(()),
        }
    }
}

/// Collects what all stages find.
#[derive(Debug)]
pub struct Problems {
    strict: bool,
    errors: Vec<Problem>,
    error_count: usize,
    notes: Vec<Problem>,
    note_count: usize,
    seen: HashSet<(Option<Place>, String)>,
    /// Where errors stood when reading ended.
    unreadable: HashSet<Place>,
}

impl Problems {
    /// With `strict`, unknown elements and attributes are errors; without, they are ignored and noted.
    pub fn new(strict: bool) -> Self {
        Self {
            strict,
            errors: Vec::new(),
            error_count: 0,
            notes: Vec::new(),
            note_count: 0,
            seen: HashSet::new(),
            unreadable: HashSet::new(),
        }
    }

    /// Whether unknown elements and attributes are errors.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Records a finding. The same message about the same place is recorded once, so that a bad value in a default
    /// class is reported where it stands and not for every element that inherits it.
    pub fn push(&mut self, problem: Problem) {
        let follows = |place: &Place| self.unreadable.contains(place);
        if problem.severity == Severity::Error && problem.place.as_ref().is_some_and(follows) {
            return;
        }
        let (list, count) = match problem.severity {
            Severity::Error => (&mut self.errors, &mut self.error_count),
            Severity::Note(_) => (&mut self.notes, &mut self.note_count),
        };
        if list.len() >= KEPT {
            *count += 1;
        } else if self.seen.insert((problem.place.clone(), problem.message.clone())) {
            *count += 1;
            list.push(problem);
        }
    }

    /// Ends reading. What cannot be read counts as not given from now on; that something is missing there is then no further
    /// finding but a consequence, and is not recorded.
    pub fn end_reading(&mut self) {
        self.unreadable = self.errors.iter().filter_map(|error| error.place.clone()).collect();
    }

    /// Whether an error stands at one of `places`.
    pub fn concern<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> bool {
        let mut places = places.into_iter();
        places.any(|place| self.errors.iter().any(|error| error.place.as_ref() == Some(place)))
    }

    /// Records a finding about the word `given`, with the nearest of `candidates` as a proposal. When findings are only
    /// counted any more, no time is spent on that.
    pub fn push_with_proposal<'a, I: IntoIterator<Item = &'a str>>(
        &mut self,
        problem: Problem,
        given: &str,
        candidates: impl FnOnce() -> I,
    ) {
        if self.is_full() {
            return self.push(problem);
        }
        let mut candidates: Vec<_> = candidates().into_iter().collect();
        // The proposal must not depend on the order of a hash table.
        candidates.sort_unstable();
        self.push(problem.did_you_mean(given, candidates));
    }

    /// Something that is not understood: an error when strict, else a note that it is ignored.
    pub fn unknown(&self, problem: Problem) -> Problem {
        if self.strict {
            problem
        } else {
            problem.note(NoteKind::Ignored)
        }
    }

    /// Records something that is not understood.
    pub fn push_unknown(&mut self, problem: Problem) {
        let problem = self.unknown(problem);
        self.push(problem);
    }

    /// Whether so many findings are kept that further ones are only counted.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= KEPT || self.notes.len() >= KEPT
    }

    /// Records several findings.
    pub fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }

    /// Whether an error was recorded so far.
    pub fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    /// The errors recorded so far, in the order of their discovery.
    pub fn errors(&self) -> &[Problem] {
        &self.errors
    }

    /// Ends collecting: the report when the model may be used, else all errors, in the order of the files.
    pub fn finish(mut self) -> Result<LoadReport, LoadError> {
        let report = LoadReport {
            entries: self.notes,
            further: self.note_count.saturating_sub(KEPT),
        };
        if self.error_count == 0 {
            return Ok(report);
        }
        // A stable sort by place: readers work through a file from top to bottom.
        self.errors.sort_by(|a, b| a.place.cmp(&b.place));
        let further = self.error_count - self.errors.len();
        Err(LoadError {
            problems: self.errors,
            further,
            report,
        })
    }
}

/// Everything that keeps a model from loading.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError {
    /// The errors, sorted by file and position.
    pub problems: Vec<Problem>,
    /// How many more errors there are beyond those kept.
    pub further: usize,
    /// What else was noticed.
    pub report: LoadReport,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i == 0 { "" } else { "\n" })?;
        }
        match self.further {
            0 => Ok(()),
            n => write!(f, "\n... and {n} more"),
        }
    }
}

impl std::error::Error for LoadError {}

/// What a loaded model contains that does not act on its simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// The notes, in the order of their discovery.
    pub entries: Vec<Problem>,
    /// How many more there are beyond those kept.
    pub further: usize,
}

impl LoadReport {
    /// Whether everything in the file acts.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, entry) in self.entries.iter().enumerate() {
            let kind = match entry.severity {
                Severity::Note(kind) => kind.to_string(),
                Severity::Error => "error".to_owned(),
            };
            write!(f, "{}{kind}: {entry}", if i == 0 { "" } else { "\n" })?;
        }
        match self.further {
            0 => Ok(()),
            n => write!(f, "\n... and {n} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Place {
        Place::new(&Source::main("robot.xml"), line, 9)
    }

    #[test]
    fn a_problem_reads_as_place_element_message_and_proposal() {
        let problem = Problem::error(place(41), "<geom mesh=\"foot\">", "no mesh named \"foot\"")
            .did_you_mean("foot", ["left_foot", "hand"]);
        assert_eq!(
            problem.to_string(),
            "robot.xml:41:9 <geom mesh=\"foot\">: no mesh named \"foot\"; did you mean \"left_foot\"?"
        );
    }

    #[test]
    fn errors_are_listed_once_and_in_the_order_of_the_file() {
        let mut problems = Problems::new(true);
        for line in [7, 3, 7] {
            problems.push(Problem::error(place(line), "<geom>", "is odd"));
        }
        let error = problems.finish().unwrap_err();
        assert_eq!(
            error.to_string(),
            "robot.xml:3:9 <geom>: is odd\nrobot.xml:7:9 <geom>: is odd"
        );
    }

    #[test]
    fn a_flood_of_errors_is_counted_rather_than_kept() {
        let mut problems = Problems::new(true);
        for line in 0..1000 {
            problems.push(Problem::error(place(line), "<geom>", "is odd"));
        }
        let error = problems.finish().unwrap_err();
        assert_eq!((error.problems.len(), error.further), (KEPT, 1000 - KEPT));
    }

    #[test]
    fn unknown_things_are_errors_only_when_strict() {
        let mut lenient = Problems::new(false);
        lenient.push_unknown(Problem::error(place(1), "<goem>", "unknown element"));
        let report = lenient.finish().unwrap();
        assert_eq!(report.to_string(), "ignored: robot.xml:1:9 <goem>: unknown element");
    }
}
