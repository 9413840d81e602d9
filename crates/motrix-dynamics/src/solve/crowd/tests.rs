//! Factors of matrices of trees against products with the whole matrix.

use motrix_spatial::lanes::{F32x8Portable, F64x4Portable};
use motrix_spatial::{Lanes, Real};

use super::graph::Graph;
use super::layout::Layout;
use super::matrix::Matrix;
use super::steps;

/// A number between −1 and 1 that follows from two others.
fn noise(i: usize, j: usize) -> f64 {
    let x = ((i * 7919 + j * 104_729 + 13) as f64).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

/// Entry (i, j) of a symmetric matrix that is positive definite.
fn entry(i: usize, j: usize, dofs: usize) -> f64 {
    let (i, j) = (i.max(j), i.min(j));
    if i == j { dofs as f64 } else { noise(i, j) }
}

/// The largest residual of a solution, for trees of the given sizes and couplings between them.
fn residual<L: Lanes>(sizes: &[usize], couplings: &[(usize, usize)]) -> f64 {
    let mut ranges = Vec::new();
    let mut dofs = 0;
    for size in sizes {
        ranges.push(dofs..dofs + size);
        dofs += size;
    }
    let layout = Layout::new::<L>(&ranges).expect("many small trees");
    let mut graph = Graph::default();
    graph.clear(sizes.len());
    for tree in 0..sizes.len() {
        graph.touch(tree, 0);
    }
    for &(a, b) in couplings.iter().filter(|(a, b)| a != b) {
        graph.couple(a, b);
    }
    graph.eliminate(&layout);

    let mut whole = vec![0.0; dofs * dofs];
    let mut mass = vec![L::Elem::default(); layout.squares];
    for span in &layout.trees {
        for i in 0..span.count {
            for j in 0..span.count {
                let x = entry(span.first + i, span.first + j, dofs);
                mass[span.square + i * span.stride + j] = L::Elem::from_f64(x);
                whole[(span.first + i) * dofs + span.first + j] = x;
            }
        }
    }
    let mut matrix = Matrix::<L>::new(&layout);
    matrix.load(&layout, &graph, &mass, 1);
    for &(a, b) in couplings.iter().filter(|(a, b)| a != b) {
        let (t, u) = if graph.precedes(a, b) { (a, b) } else { (b, a) };
        let block = graph.block(a, b).expect("they are coupled");
        let (t, u) = (&layout.trees[t], &layout.trees[u]);
        for i in 0..t.count {
            for j in 0..u.count {
                let x = entry(t.first + i, u.first + j, dofs);
                matrix.blocks[block + i * u.stride + j] = L::Elem::from_f64(x);
                whole[(t.first + i) * dofs + u.first + j] = x;
                whole[(u.first + j) * dofs + t.first + i] = x;
            }
        }
    }
    matrix.factor(&layout, &graph, 1);

    let mut x = layout.zeros::<L::Elem>();
    for span in &layout.trees {
        for i in 0..span.count {
            x[span.start + i] = L::Elem::from_f64(noise(span.first + i, 0));
        }
    }
    matrix.solve(&layout, &graph, &mut x, 1);
    assert_eq!(steps(&graph).len(), sizes.len());
    let solution: Vec<f64> = layout
        .trees
        .iter()
        .flat_map(|span| x[span.start..span.start + span.count].iter().map(|x| x.to_f64()))
        .collect();
    let mut worst = 0.0f64;
    for i in 0..dofs {
        let product: f64 = (0..dofs).map(|j| whole[i * dofs + j] * solution[j]).sum();
        worst = worst.max((product - noise(i, 0)).abs());
    }
    worst
}

/// A whole number below `bound` that follows from two others.
fn pick(i: usize, j: usize, bound: usize) -> usize {
    ((noise(i, j) + 1.0) * 0.5 * bound as f64) as usize % bound
}

#[test]
fn a_matrix_times_its_solution_is_what_was_asked_for() {
    for case in 0..64 {
        let trees = 8 + pick(case, 1, 6);
        // Half of them are free bodies.
        let sizes: Vec<usize> = (0..trees)
            .map(|t| {
                if pick(case, 2 + t, 2) == 0 {
                    6
                } else {
                    1 + pick(case, 50 + t, 11)
                }
            })
            .collect();
        let couplings: Vec<(usize, usize)> = (0..pick(case, 100, 24))
            .map(|k| (pick(case, 101 + k, trees), pick(case, 201 + k, trees)))
            .collect();
        let exact = residual::<f64>(&sizes, &couplings);
        assert!(exact < 1e-12, "{exact} for {sizes:?} {couplings:?}");
        let four = residual::<F64x4Portable>(&sizes, &couplings);
        assert!(four < 1e-12, "{four} for {sizes:?} {couplings:?}");
        let single = residual::<F32x8Portable>(&sizes, &couplings);
        assert!(single < 1e-4, "{single} for {sizes:?} {couplings:?}");
    }
}
