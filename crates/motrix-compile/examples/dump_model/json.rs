//! The lists of numbers and names that the model is printed as.

use std::fmt::Write;

/// A JSON object under construction.
#[derive(Default)]
pub struct Json(pub String);

impl Json {
    /// A list of numbers.
    pub fn numbers<T: Into<f64>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        self.list(name, values.into_iter().map(|value| format!("{:?}", value.into())));
    }

    /// A list of strings.
    pub fn strings<'s>(&mut self, name: &str, values: impl IntoIterator<Item = &'s str>) {
        self.list(name, values.into_iter().map(|value| format!("{value:?}")));
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = String>) {
        let start = if self.0.is_empty() { '{' } else { ',' };
        // writing to a string cannot fail
        let _ = write!(
            self.0,
            "{start}\n\"{name}\": [{}]",
            values.collect::<Vec<_>>().join(", ")
        );
    }
}

pub fn index(i: usize) -> f64 {
    i as f64
}

pub fn optional(i: Option<usize>) -> f64 {
    i.map_or(-1.0, index)
}

pub fn flag(b: bool) -> f64 {
    f64::from(u8::from(b))
}

/// One number per object, or several.
macro_rules! each {
    ($json:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($json.numbers($name, $list.iter().map(|$x| $value));)*
    };
}
macro_rules! all {
    ($json:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($json.numbers($name, $list.iter().flat_map(|$x| $value.to_vec()));)*
    };
}

pub fn names<'m, T>(json: &mut Json, name: &str, list: &'m [T], of: impl Fn(&'m T) -> Option<&'m str>) {
    json.strings(name, list.iter().map(|x| of(x).unwrap_or("")));
}
