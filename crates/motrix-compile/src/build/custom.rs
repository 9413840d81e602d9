//! `<custom>`: numbers, texts and tuples of the user.

use motrix_model::Custom;

use crate::document::Element;
use crate::problem::Problems;

/// Longest list of numbers, as in MuJoCo.
const MOST_NUMBERS: i32 = 500;

/// Reads all user data.
pub fn read(elements: &[Element], problems: &mut Problems) -> Vec<Custom> {
    elements.iter().filter_map(|element| one(element, problems)).collect()
}

fn one(element: &Element, problems: &mut Problems) -> Option<Custom> {
    let Some(name) = element.name().map(str::to_owned) else {
        problems.push(element.problem("user data needs a name"));
        return None;
    };
    match element.tag() {
        "numeric" => Some(Custom::Numeric {
            name,
            data: numbers(element, problems)?,
        }),
        "text" => {
            let data = element.text("data").map(str::to_owned);
            if data.is_none() {
                problems.push(element.problem("the text is empty"));
            }
            Some(Custom::Text { name, data: data? })
        }
        _ => Some(Custom::Tuple {
            name,
            items: items(element, problems)?,
        }),
    }
}

/// The numbers given, filled up with zeros to `size`.
fn numbers(element: &Element, problems: &mut Problems) -> Option<Vec<f64>> {
    let mut data = element.real_list("data", problems).unwrap_or_default();
    let size = element
        .int("size", problems)
        .unwrap_or(data.len().min(MOST_NUMBERS as usize + 1) as i32);
    if !(1..=MOST_NUMBERS).contains(&size) {
        problems.push(element.problem(format!("the size must be between 1 and {MOST_NUMBERS}")));
        return None;
    }
    let size = size as usize;
    if data.len() > size {
        problems.push(element.problem_with("data", format!("{} numbers, but size is {size}", data.len())));
        return None;
    }
    data.resize(size, 0.0);
    Some(data)
}

/// References to objects, each with a number.
fn items(element: &Element, problems: &mut Problems) -> Option<Vec<(String, String, f64)>> {
    let mut items = Vec::new();
    for item in element.children() {
        let (Some(kind), Some(name)) = (item.text("objtype"), item.text("objname")) else {
            continue;
        };
        let parameter = item.real("prm", problems).unwrap_or(0.0);
        items.push((kind.to_owned(), name.to_owned(), parameter));
    }
    if items.is_empty() {
        problems.push(element.problem("the tuple is empty"));
        return None;
    }
    Some(items)
}
