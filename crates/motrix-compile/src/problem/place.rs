//! Where something stands: file, line, column, and through which `<include>` the file was reached.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A file that was read, and the place of the `<include>` that asked for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as it is shown to the author.
    pub path: String,
    /// The `<include>`, `<model>` or similar element that led here; `None` for the main file.
    pub included_from: Option<Place>,
}

impl Source {
    /// The file given to the loader.
    pub fn main(path: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            included_from: None,
        })
    }

    /// A file reached through the element at `from`.
    pub fn included(path: impl Into<String>, from: Place) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            included_from: Some(from),
        })
    }
}

/// A position in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Place {
    /// Position `line`:`column` of `source`.
    pub fn new(source: &Arc<Source>, line: u32, column: u32) -> Self {
        Self {
            source: Arc::clone(source),
            line,
            column,
        }
    }

    /// The places of the `<include>`s that led to this file, nearest first.
    pub fn include_chain(&self) -> impl Iterator<Item = &Place> {
        std::iter::successors(self.source.included_from.as_ref(), |place| {
            place.source.included_from.as_ref()
        })
    }

    /// Writes ` (included from scene.xml:3:3)`, or nothing in the main file.
    pub(super) fn write_include_chain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = " (included from ";
        for place in self.include_chain() {
            write!(f, "{separator}{place}")?;
            separator = ", from ";
        }
        f.write_str(if self.source.included_from.is_some() { ")" } else { "" })
    }

    /// The chain of positions from the main file down to this one: the order in which a reader meets them.
    fn reading_order(&self) -> Vec<(&str, u32, u32)> {
        let mut steps: Vec<_> = self
            .include_chain()
            .map(|p| (p.source.path.as_str(), p.line, p.column))
            .collect();
        steps.reverse();
        steps.push((&self.source.path, self.line, self.column));
        steps
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source.path, self.line, self.column)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// Line and column spread places well enough; hashing the whole include chain would be slow.
impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.line, self.column).hash(state);
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.reading_order().cmp(&other.reading_order())
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_sort_as_a_reader_meets_them() {
        let main = Source::main("scene.xml");
        let robot = Source::included("robot.xml", Place::new(&main, 3, 5));
        let mut places = [
            Place::new(&main, 9, 1),
            Place::new(&robot, 100, 1),
            Place::new(&main, 2, 1),
        ];
        places.sort();
        let shown: Vec<_> = places.iter().map(Place::to_string).collect();
        assert_eq!(shown, ["scene.xml:2:1", "robot.xml:100:1", "scene.xml:9:1"]);
    }

    #[test]
    fn the_include_chain_runs_from_the_nearest_file_to_the_main_one() {
        let main = Source::main("scene.xml");
        let robot = Source::included("robot.xml", Place::new(&main, 3, 5));
        let hand = Source::included("hand.xml", Place::new(&robot, 7, 1));
        let chain: Vec<_> = Place::new(&hand, 1, 1).include_chain().map(Place::to_string).collect();
        assert_eq!(chain, ["robot.xml:7:1", "scene.xml:3:5"]);
    }
}
