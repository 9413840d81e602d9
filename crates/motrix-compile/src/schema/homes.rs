//! Where an element may stand, for messages about one that stands elsewhere.

use std::collections::VecDeque;

use super::{MUJOCO, Rule};

/// Places that are named; an element that may stand in more is told the first ones.
const MOST_PLACES: usize = 3;

/// The elements in which one called `name` may stand, those nearest to the root first. Classes are left out, since they give
/// defaults for almost everything, and so are frames and copies, which may stand wherever bodies may.
pub(super) fn homes_of(name: &str) -> Vec<&'static str> {
    let mut seen: Vec<*const Rule> = Vec::new();
    let mut homes = Vec::new();
    let mut waiting = VecDeque::from([&MUJOCO]);
    while let Some(rule) = waiting.pop_front() {
        if seen.contains(&std::ptr::from_ref(rule)) || matches!(rule.name, "default" | "frame" | "replicate") {
            continue;
        }
        seen.push(rule);
        if rule.child(name).is_some() && !homes.contains(&rule.name) {
            homes.push(rule.name);
        }
        waiting.extend(rule.children.iter().map(|child| child.rule));
    }
    homes.truncate(MOST_PLACES);
    homes
}

#[cfg(test)]
mod tests {
    use super::homes_of;

    #[test]
    fn elements_are_at_home_where_the_schema_says() {
        assert_eq!(homes_of("geom"), ["worldbody", "body", "spatial"]);
        assert_eq!(homes_of("freejoint"), ["body"]);
        assert_eq!(homes_of("gyro"), ["sensor"]);
        assert!(homes_of("goem").is_empty());
    }
}
