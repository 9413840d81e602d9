//! Factorisation of a symmetric matrix in its pattern, and substitution, a panel of rows at a time.
//!
//! Each entry receives its terms in the order of the rows they come from, whatever the panels: they decide what is in a
//! register, never a bit of the result.

use motrix_spatial::{Lanes, Part};

use super::panels::{bases, column, shared_run, unrolled};
use super::{Panel, Pattern, Run};

/// Factorises A = LᵀDL in place: L below the diagonal, D on it; `inverse[i]` becomes 1/D(i).
///
/// Right-looking: the last panel is eliminated first, by subtracting `A(k,j)/D(k) · A(k,·)` for its rows *k* from each row *j*
/// of its pattern.
#[inline(always)]
pub fn factor<L: Lanes>(pattern: &Pattern, a: &mut [L], inverse: &mut [L]) {
    L::apart(Factor { pattern, a, inverse });
}

struct Factor<'a, L> {
    pattern: &'a Pattern,
    a: &'a mut [L],
    inverse: &'a mut [L],
}

impl<L: Lanes> Part for Factor<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self { pattern, a, inverse } = self;
        assert!(a.len() >= pattern.len() && inverse.len() >= pattern.rows());
        for panel in pattern.panels().iter().rev() {
            match panel.count {
                1 => factor_rows::<L, 1>(pattern, panel, a, inverse),
                2 => factor_rows::<L, 2>(pattern, panel, a, inverse),
                3 => factor_rows::<L, 3>(pattern, panel, a, inverse),
                _ => factor_rows::<L, 4>(pattern, panel, a, inverse),
            }
        }
    }
}

/// Eliminates a panel.
#[inline(always)]
fn factor_rows<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, a: &mut [L], inverse: &mut [L]) {
    unrolled!(factor_short, factor_panel, S, pattern, panel, a, inverse)
}

/// [`factor_panel`] for rows that share the `N` columns from `start` on.
#[inline(always)]
fn factor_short<L: Lanes, const S: usize, const N: usize>(
    pattern: &Pattern,
    panel: &Panel,
    start: usize,
    a: &mut [L],
    inverse: &mut [L],
) {
    let (first, places) = (panel.first, a.as_mut_ptr());
    let mut scale = [L::ZERO; S];
    // SAFETY: `factor` checked that the matrix has all places of the pattern. The rows of the panel have the `N` columns from
    // `start` on, and from `first` on those of the panel's rows up to their own; as the pattern is closed under elimination,
    // each of the `N` rows from `start` on has the columns from `start` to its own.
    unsafe {
        let rows = column::<L, S>(pattern, panel, places, start).map(<*const L>::cast_mut);
        let own = column::<L, S>(pattern, panel, places, first).map(<*const L>::cast_mut);
        for s in (0..S).rev() {
            scale[s] = (*own[s].add(s)).recip();
            inverse[first + s] = scale[s];
            for t in (0..s).rev() {
                let l = *own[s].add(t) * scale[s];
                for c in 0..N {
                    *rows[t].add(c) = l.neg_mul_add(*rows[s].add(c), *rows[t].add(c));
                }
                for c in 0..=t {
                    *own[t].add(c) = l.neg_mul_add(*own[s].add(c), *own[t].add(c));
                }
                *own[s].add(t) = l;
            }
        }
        let target = |j: usize| places.add(pattern.base(start + j).wrapping_add(start));
        // From the last row on.
        if N > 5 {
            subtract_short::<L, S, 6>(target(5), &rows, &scale);
        }
        if N > 4 {
            subtract_short::<L, S, 5>(target(4), &rows, &scale);
        }
        if N > 3 {
            subtract_short::<L, S, 4>(target(3), &rows, &scale);
        }
        if N > 2 {
            subtract_short::<L, S, 3>(target(2), &rows, &scale);
        }
        if N > 1 {
            subtract_short::<L, S, 2>(target(1), &rows, &scale);
        }
        if N > 0 {
            subtract_short::<L, S, 1>(target(0), &rows, &scale);
        }
    }
}

/// `A(j, c) −= Σ A(k, j)/D(k) · A(k, c)` over the rows of a panel, last row first, for the `C` columns up to j; A(k, j) becomes
/// its multiplier.
///
/// # Safety
/// All pointers are valid for `C` entries.
#[inline(always)]
unsafe fn subtract_short<L: Lanes, const S: usize, const C: usize>(target: *mut L, rows: &[*mut L; S], scale: &[L; S]) {
    // SAFETY: by the caller.
    unsafe {
        let mut l = [L::ZERO; S];
        for s in 0..S {
            l[s] = *rows[s].add(C - 1) * scale[s];
        }
        for c in 0..C {
            let mut sum = *target.add(c);
            for s in (0..S).rev() {
                sum = l[s].neg_mul_add(*rows[s].add(c), sum);
            }
            *target.add(c) = sum;
        }
        for s in 0..S {
            *rows[s].add(C - 1) = l[s];
        }
    }
}

/// [`factor_rows`] for any pattern.
#[inline(always)]
fn factor_panel<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, a: &mut [L], inverse: &mut [L]) {
    let first = panel.first;
    let base = bases::<S>(pattern, panel);
    let shared = pattern.row(first);
    let mut scale = [L::ZERO; S];
    for s in (0..S).rev() {
        let row = base[s].wrapping_add(first);
        scale[s] = a[row + s].recip();
        inverse[first + s] = scale[s];
        for t in (0..s).rev() {
            let l = a[row + t] * scale[s];
            for run in shared {
                subtract(a, [base[s]], base[t], *run, [l]);
            }
            let own = Run {
                start: first,
                end: first + t + 1,
            };
            subtract(a, [base[s]], base[t], own, [l]);
            a[row + t] = l;
        }
    }
    for (r, run) in shared.iter().enumerate().rev() {
        let mut end = run.end;
        while end > run.start {
            let j = end - 1;
            let to = pattern.base(j);
            let l = multipliers(a, &base, &scale, j);
            if j == run.start {
                for before in &shared[..r] {
                    subtract(a, base, to, *before, l);
                }
                subtract(a, base, to, Run { start: j, end }, l);
                keep(a, &base, j, &l);
                break;
            }
            // Two rows at a time: what is read of the panel serves both.
            let below = pattern.base(j - 1);
            let m = multipliers(a, &base, &scale, j - 1);
            for before in &shared[..r] {
                subtract_two(a, &base, [to, below], *before, &l, &m);
            }
            let both = Run {
                start: run.start,
                end: j,
            };
            subtract_two(a, &base, [to, below], both, &l, &m);
            subtract(a, base, to, Run { start: j, end }, l);
            keep(a, &base, j, &l);
            keep(a, &base, j - 1, &m);
            end -= 2;
        }
    }
}

/// `A(k, j)/D(k)` for the rows of a panel.
#[inline(always)]
fn multipliers<L: Lanes, const S: usize>(a: &[L], base: &[usize; S], scale: &[L; S], j: usize) -> [L; S] {
    let mut l = [L::ZERO; S];
    for s in 0..S {
        l[s] = a[base[s].wrapping_add(j)] * scale[s];
    }
    l
}

/// `A(k, j) = l` for the rows of a panel.
#[inline(always)]
fn keep<L: Lanes, const S: usize>(a: &mut [L], base: &[usize; S], j: usize, l: &[L; S]) {
    for s in 0..S {
        a[base[s].wrapping_add(j)] = l[s];
    }
}

/// `A(j, c) −= Σ l(k) · A(k, c)` over the rows of a panel, last row first, for columns that all of them have.
#[inline(always)]
fn subtract<L: Lanes, const S: usize>(a: &mut [L], from: [usize; S], to: usize, columns: Run, l: [L; S]) {
    let places = a.as_mut_ptr();
    for c in columns.start..columns.end {
        // SAFETY: `factor` checked that the matrix has all places of the pattern, `columns` are columns of the rows of the
        // panel, and the pattern is closed under elimination, so row j has them too.
        unsafe {
            let target = places.add(to.wrapping_add(c));
            let mut sum = *target;
            for s in (0..S).rev() {
                sum = l[s].neg_mul_add(*places.add(from[s].wrapping_add(c)), sum);
            }
            *target = sum;
        }
    }
}

/// [`subtract`] for two rows.
#[inline(always)]
fn subtract_two<L: Lanes, const S: usize>(
    a: &mut [L],
    from: &[usize; S],
    to: [usize; 2],
    columns: Run,
    l: &[L; S],
    m: &[L; S],
) {
    let places = a.as_mut_ptr();
    for c in columns.start..columns.end {
        // SAFETY: as in `subtract`.
        unsafe {
            let (one, two) = (places.add(to[0].wrapping_add(c)), places.add(to[1].wrapping_add(c)));
            let (mut x, mut y) = (*one, *two);
            for s in (0..S).rev() {
                let source = *places.add(from[s].wrapping_add(c));
                x = l[s].neg_mul_add(source, x);
                y = m[s].neg_mul_add(source, y);
            }
            *one = x;
            *two = y;
        }
    }
}

/// Solves LᵀDL x = b in place, with the factors of [`factor`].
#[inline(always)]
pub fn solve<L: Lanes>(pattern: &Pattern, factors: &[L], inverse: &[L], x: &mut [L]) {
    L::apart(Solve {
        pattern,
        factors,
        inverse,
        x,
    });
}

struct Solve<'a, L> {
    pattern: &'a Pattern,
    factors: &'a [L],
    inverse: &'a [L],
    x: &'a mut [L],
}

impl<L: Lanes> Part for Solve<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self {
            pattern,
            factors,
            inverse,
            x,
        } = self;
        let n = pattern.rows();
        assert!(factors.len() >= pattern.len() && inverse.len() >= n && x.len() >= n);
        for panel in pattern.panels().iter().rev() {
            match panel.count {
                1 => down_rows::<L, 1>(pattern, panel, factors, x),
                2 => down_rows::<L, 2>(pattern, panel, factors, x),
                3 => down_rows::<L, 3>(pattern, panel, factors, x),
                _ => down_rows::<L, 4>(pattern, panel, factors, x),
            }
        }
        for panel in pattern.panels() {
            match panel.count {
                1 => up_rows::<L, 1>(pattern, panel, factors, inverse, x),
                2 => up_rows::<L, 2>(pattern, panel, factors, inverse, x),
                3 => up_rows::<L, 3>(pattern, panel, factors, inverse, x),
                _ => up_rows::<L, 4>(pattern, panel, factors, inverse, x),
            }
        }
    }
}

/// `x(c) −= Σ L(k, c) x(k)` over the rows of a panel.
#[inline(always)]
fn down_rows<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, factors: &[L], x: &mut [L]) {
    unrolled!(down_short, down, S, pattern, panel, factors, x)
}

/// [`down`] for rows that share the `N` columns from `start` on.
#[inline(always)]
fn down_short<L: Lanes, const S: usize, const N: usize>(
    pattern: &Pattern,
    panel: &Panel,
    start: usize,
    factors: &[L],
    x: &mut [L],
) {
    // SAFETY: `solve` checked the lengths; the rows have the `N` columns from `start` on, and those of the rows before them.
    unsafe {
        let rows = column::<L, S>(pattern, panel, factors.as_ptr(), start);
        let corner = column::<L, S>(pattern, panel, factors.as_ptr(), panel.first);
        let place = x.as_mut_ptr().add(panel.first);
        let mut own = [L::ZERO; S];
        for s in (0..S).rev() {
            own[s] = *place.add(s);
            for t in (s + 1..S).rev() {
                own[s] = (*corner[t].add(s)).neg_mul_add(own[t], own[s]);
            }
            *place.add(s) = own[s];
        }
        let target = x.as_mut_ptr().add(start);
        for c in 0..N {
            let mut sum = *target.add(c);
            for s in (0..S).rev() {
                sum = (*rows[s].add(c)).neg_mul_add(own[s], sum);
            }
            *target.add(c) = sum;
        }
    }
}

/// [`down_rows`] for any pattern.
#[inline(always)]
fn down<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, factors: &[L], x: &mut [L]) {
    let base = bases::<S>(pattern, panel);
    let mut own = [L::ZERO; S];
    for s in (0..S).rev() {
        own[s] = x[panel.first + s];
        for t in s + 1..S {
            // Terms of later rows first, as everywhere.
            let later = S + s - t;
            own[s] = factors[base[later].wrapping_add(panel.first + s)].neg_mul_add(own[later], own[s]);
        }
        x[panel.first + s] = own[s];
    }
    for run in pattern.row(panel.first) {
        for c in run.start..run.end {
            // SAFETY: `solve` checked the lengths, and c is a column of the rows of the panel, below them.
            unsafe {
                let target = x.get_unchecked_mut(c);
                let mut sum = *target;
                for s in (0..S).rev() {
                    sum = factors.get_unchecked(base[s].wrapping_add(c)).neg_mul_add(own[s], sum);
                }
                *target = sum;
            }
        }
    }
}

/// `x(k) = x(k)/D(k) − Σ L(k, c) x(c)` for the rows of a panel.
#[inline(always)]
fn up_rows<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, factors: &[L], inverse: &[L], x: &mut [L]) {
    unrolled!(up_short, up, S, pattern, panel, factors, inverse, x)
}

/// [`up`] for rows that share the `N` columns from `start` on.
#[inline(always)]
fn up_short<L: Lanes, const S: usize, const N: usize>(
    pattern: &Pattern,
    panel: &Panel,
    start: usize,
    factors: &[L],
    inverse: &[L],
    x: &mut [L],
) {
    // SAFETY: as in `down_short`.
    unsafe {
        let rows = column::<L, S>(pattern, panel, factors.as_ptr(), start);
        let corner = column::<L, S>(pattern, panel, factors.as_ptr(), panel.first);
        let place = x.as_mut_ptr().add(panel.first);
        let mut own = [L::ZERO; S];
        for s in 0..S {
            own[s] = *place.add(s) * *inverse.get_unchecked(panel.first + s);
        }
        let source = x.as_ptr().add(start);
        for c in 0..N {
            let value = *source.add(c);
            for s in 0..S {
                own[s] = (*rows[s].add(c)).neg_mul_add(value, own[s]);
            }
        }
        for s in 0..S {
            for t in 0..s {
                own[s] = (*corner[s].add(t)).neg_mul_add(own[t], own[s]);
            }
            *place.add(s) = own[s];
        }
    }
}

/// [`up_rows`] for any pattern.
#[inline(always)]
fn up<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, factors: &[L], inverse: &[L], x: &mut [L]) {
    let first = panel.first;
    let base = bases::<S>(pattern, panel);
    let mut own = [L::ZERO; S];
    for s in 0..S {
        own[s] = x[first + s] * inverse[first + s];
    }
    for run in pattern.row(first) {
        for c in run.start..run.end {
            // SAFETY: as in `down`.
            unsafe {
                let value = *x.get_unchecked(c);
                for s in 0..S {
                    own[s] = factors
                        .get_unchecked(base[s].wrapping_add(c))
                        .neg_mul_add(value, own[s]);
                }
            }
        }
    }
    for s in 0..S {
        for t in 0..s {
            own[s] = factors[base[s].wrapping_add(first + t)].neg_mul_add(own[t], own[s]);
        }
        x[first + s] = own[s];
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, PatternBuilder, multiply};
    use super::*;

    /// A free body with three legs of three hinges each, and a second free body.
    fn tree() -> Pattern {
        let mut parent: Vec<Option<usize>> = vec![None, Some(0), Some(1), Some(2), Some(3), Some(4)];
        for leg in 0..3 {
            parent.extend([Some(5), Some(6 + 3 * leg), Some(7 + 3 * leg)]);
        }
        parent.push(None);
        parent.extend((15..20).map(Some));
        Pattern::of_tree(&parent)
    }

    /// A matrix of a pattern whose diagonal outweighs its rows, and the same matrix in full.
    fn matrix(pattern: &Pattern) -> (Vec<f64>, Vec<Vec<f64>>) {
        let n = pattern.rows();
        let mut a = vec![0.0; pattern.len()];
        let mut full = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in pattern.columns(i) {
                let value = ((7 * i + 3 * j) % 11) as f64 / 11.0 - 0.4;
                a[pattern.at(i, j)] = value;
                full[i][j] = value;
                full[j][i] = value;
            }
            a[pattern.diagonal(i)] = 12.0 + i as f64;
            full[i][i] = 12.0 + i as f64;
        }
        (a, full)
    }

    fn product(full: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
        full.iter()
            .map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    fn check(pattern: &Pattern) {
        let n = pattern.rows();
        let rows: usize = pattern.panels().iter().map(|panel| panel.count).sum();
        assert_eq!(rows, n, "panels hold every row once");
        let (mut a, full) = matrix(pattern);
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let b = product(&full, &x);
        let mut out = vec![0.0; n];
        multiply(pattern, &a, &x, &mut out);
        assert!(near(&out, &b), "a product is that of the full matrix");
        let mut inverse = vec![0.0; n];
        factor(pattern, &mut a, &mut inverse);
        solve(pattern, &a, &inverse, &mut out);
        assert!(near(&out, &x), "a solution solves");
    }

    #[test]
    fn a_tree_is_factorised_without_fill() {
        let pattern = tree();
        check(&pattern);
        let counts: Vec<_> = pattern.panels().iter().map(|panel| panel.count).collect();
        // The first leg goes on where the trunk ends.
        assert_eq!(counts, [3, 3, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn couplings_are_factorised_with_their_fill() {
        let tree = tree();
        let (mut builder, mut pattern) = (PatternBuilder::default(), Pattern::default());
        let supports: [&[u32]; 4] = [&[0, 1, 2, 6, 7], &[7, 8, 9], &[6, 7, 12, 13, 14], &[12, 15, 16, 20]];
        for count in 0..=supports.len() {
            builder.build(&tree, supports[..count].iter().copied(), &mut pattern);
            check(&pattern);
            for i in 0..tree.rows() {
                assert!(tree.columns(i).all(|j| pattern.columns(i).any(|k| k == j)));
            }
            for support in &supports[..count] {
                let last = support[support.len() - 1] as usize;
                let others = support[..support.len() - 1].iter();
                assert!(others.clone().all(|&j| pattern.columns(last).any(|k| k == j as usize)));
            }
        }
    }

    #[test]
    fn a_coupling_that_is_absent_changes_no_bit() {
        let tree = tree();
        let (mut builder, mut wide) = (PatternBuilder::default(), Pattern::default());
        builder.build(&tree, [&[7u32, 8, 9, 13][..], &[2, 16, 18][..]].into_iter(), &mut wide);
        let (mut narrow_matrix, _) = matrix(&tree);
        let mut wide_matrix = vec![0.0; wide.len()];
        for i in 0..tree.rows() {
            for j in tree.columns(i).chain([i]) {
                wide_matrix[wide.at(i, j)] = narrow_matrix[tree.at(i, j)];
            }
        }
        let n = tree.rows();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let (mut a, mut b, mut inverse) = (x.clone(), x, vec![0.0; n]);
        factor(&tree, &mut narrow_matrix, &mut inverse);
        solve(&tree, &narrow_matrix, &inverse, &mut a);
        factor(&wide, &mut wide_matrix, &mut inverse);
        solve(&wide, &wide_matrix, &inverse, &mut b);
        assert_eq!(a, b);
    }
}
