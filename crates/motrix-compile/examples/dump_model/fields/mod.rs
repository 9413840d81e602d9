//! The fields of a compiled model under the names of MuJoCo's `mjModel`.
//!
//! Lists are flat, as MuJoCo stores them; absent references are −1.

mod actuation;
mod scene;
mod settings;
mod tree;

use motrix_model::Model;

/// The values of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Names.
    Strings(Vec<String>),
}

/// Fields in the order in which they were added.
#[derive(Debug, Default)]
pub struct Fields {
    /// Name and values.
    pub list: Vec<(String, Field)>,
}

impl Fields {
    /// All fields of a model.
    pub fn of(model: &Model) -> Self {
        let mut fields = Self::default();
        settings::options(&mut fields, model);
        tree::bodies(&mut fields, model);
        tree::joints(&mut fields, model);
        tree::geoms(&mut fields, model);
        scene::sites_and_cameras(&mut fields, model);
        scene::lights(&mut fields, model);
        scene::assets(&mut fields, model);
        actuation::contacts(&mut fields, model);
        actuation::equalities(&mut fields, model);
        actuation::tendons(&mut fields, model);
        actuation::actuators(&mut fields, model);
        actuation::sensors(&mut fields, model);
        settings::keyframes(&mut fields, model);
        fields
    }

    fn numbers<T: Into<f64>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let numbers = values.into_iter().map(Into::into).collect();
        self.list.push((name.to_owned(), Field::Numbers(numbers)));
    }

    fn strings<S: Into<String>>(&mut self, name: &str, values: impl IntoIterator<Item = S>) {
        let strings = values.into_iter().map(Into::into).collect();
        self.list.push((name.to_owned(), Field::Strings(strings)));
    }

    fn names<'m, T>(&mut self, name: &str, list: &'m [T], of: impl Fn(&'m T) -> Option<&'m str>) {
        self.strings(name, list.iter().map(|x| of(x).unwrap_or("")));
    }
}

fn index(i: usize) -> f64 {
    i as f64
}

fn optional(i: Option<usize>) -> f64 {
    i.map_or(-1.0, index)
}

fn flag(b: bool) -> f64 {
    f64::from(u8::from(b))
}

/// One number per object.
macro_rules! each {
    ($fields:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($fields.numbers($name, $list.iter().map(|$x| $value));)*
    };
}
/// Several numbers per object.
macro_rules! all {
    ($fields:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($fields.numbers($name, $list.iter().flat_map(|$x| $value.to_vec()));)*
    };
}
use {all, each};
