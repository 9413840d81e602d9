//! Islands: groups of kinematic trees that constraints couple, each of which can be solved by itself.

use super::dual::Dual;

/// Orders the rows of a problem by island. Islands follow each other by their first tree, rows within one keep their order.
pub fn find(dof_tree: &[usize], dual: &mut Dual) {
    let trees = dof_tree.last().map_or(0, |last| last + 1);
    let groups = &mut dual.groups;
    groups.clear();
    groups.extend(0..trees);
    for i in 0..dual.listing.rows.len() {
        let mut first = None;
        for (dof, _) in dual
            .listing
            .jacobian_of(i)
            .iter()
            .enumerate()
            .filter(|(_, x)| **x != 0.0)
        {
            let tree = dof_tree[dof];
            join(groups, *first.get_or_insert(tree), tree);
        }
    }
    dual.order.clear();
    dual.ends.clear();
    for root in 0..trees {
        let before = dual.order.len();
        for i in 0..dual.listing.rows.len() {
            let touched = dual.listing.jacobian_of(i).iter().position(|x| *x != 0.0);
            // A row that moves nothing belongs anywhere: to the first island.
            let tree = touched.map_or(0, |dof| representative(&dual.groups, dof_tree[dof]));
            if tree == root {
                dual.order.push(i);
            }
        }
        if dual.order.len() > before {
            dual.ends.push(dual.order.len());
        }
    }
}

/// The lowest tree of a group.
fn representative(groups: &[usize], mut tree: usize) -> usize {
    while groups[tree] != tree {
        tree = groups[tree];
    }
    tree
}

fn join(groups: &mut [usize], a: usize, b: usize) {
    let (a, b) = (representative(groups, a), representative(groups, b));
    groups[a.max(b)] = a.min(b);
}
