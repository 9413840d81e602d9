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
    // SAFETY: `factor` checked that the matrix has all places of the pattern. The rows of the panel have the `N` columns from
    // `start` on, and from `first` on those of the panel's rows up to their own; as the pattern is closed under elimination,
    // each of the `N` rows from `start` on has the columns from `start` to its own.
    unsafe {
        let rows = column::<L, S>(pattern, panel, places, start).map(<*const L>::cast_mut);
        let own = column::<L, S>(pattern, panel, places, first).map(<*const L>::cast_mut);
        let (scale, corner) = factor_corner(&own, inverse.as_mut_ptr().add(first));
        subtract_own(&rows, Run { start: 0, end: N }, &corner);
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
    let shared = pattern.row(panel.first);
    let places = a.as_mut_ptr();
    // SAFETY: `factor` checked that matrix and inverse have all places of the pattern. The rows of the panel have the columns `shared`,
    // and from `first` on those of the panel's rows up to their own; as the pattern is closed under elimination, each row of
    // `shared` has those before its own, too. A row that begins behind a column is only asked for columns that it has.
    unsafe {
        let rows = column::<L, S>(pattern, panel, places, 0).map(<*const L>::cast_mut);
        let own = column::<L, S>(pattern, panel, places, panel.first).map(<*const L>::cast_mut);
        let (scale, corner) = factor_corner(&own, inverse.as_mut_ptr().add(panel.first));
        for run in shared {
            subtract_own(&rows, *run, &corner);
        }
        for (r, run) in shared.iter().enumerate().rev() {
            let mut end = run.end;
            while end > run.start {
                let j = end - 1;
                let to = row(pattern, places, j);
                let l = multipliers(&rows, &scale, j);
                if j == run.start {
                    for before in &shared[..r] {
                        subtract(to, &rows, *before, &l);
                    }
                    subtract(to, &rows, Run { start: j, end }, &l);
                    keep(&rows, j, &l);
                    break;
                }
                // Two rows at a time: what is read of the panel serves both.
                let below = row(pattern, places, j - 1);
                let m = multipliers(&rows, &scale, j - 1);
                for before in &shared[..r] {
                    subtract_two([to, below], &rows, *before, &l, &m);
                }
                let both = Run {
                    start: run.start,
                    end: j,
                };
                subtract_two([to, below], &rows, both, &l, &m);
                subtract(to, &rows, Run { start: j, end }, &l);
                keep(&rows, j, &l);
                keep(&rows, j - 1, &m);
                end -= 2;
            }
        }
    }
}

/// Column 0 of row `j`, if it had one.
#[inline(always)]
fn row<L>(pattern: &Pattern, places: *mut L, j: usize) -> *mut L {
    places.wrapping_add(pattern.base(j))
}

/// Factorises the entries between the rows of a panel. Returns 1/D of each and the multiplier `[s][t]` of row s in row t.
///
/// # Safety
/// Row s is valid for s + 1 entries, `inverse` for S.
#[inline(always)]
unsafe fn factor_corner<L: Lanes, const S: usize>(own: &[*mut L; S], inverse: *mut L) -> ([L; S], [[L; S]; S]) {
    let (mut scale, mut corner) = ([L::ZERO; S], [[L::ZERO; S]; S]);
    // SAFETY: by the caller.
    unsafe {
        for s in (0..S).rev() {
            scale[s] = (*own[s].add(s)).recip();
            *inverse.add(s) = scale[s];
            for t in (0..s).rev() {
                let l = *own[s].add(t) * scale[s];
                corner[s][t] = l;
                for c in 0..=t {
                    *own[t].add(c) = l.neg_mul_add(*own[s].add(c), *own[t].add(c));
                }
                *own[s].add(t) = l;
            }
        }
    }
    (scale, corner)
}

/// Subtracts from each row of a panel its multiples of the later ones, last row first.
///
/// # Safety
/// The rows have the columns.
#[inline(always)]
unsafe fn subtract_own<L: Lanes, const S: usize>(rows: &[*mut L; S], columns: Run, corner: &[[L; S]; S]) {
    for c in columns.start..columns.end {
        let mut own = [L::ZERO; S];
        // SAFETY: by the caller.
        unsafe {
            for s in 0..S {
                own[s] = *rows[s].wrapping_add(c);
            }
            for t in (0..S).rev() {
                for s in (t + 1..S).rev() {
                    own[t] = corner[s][t].neg_mul_add(own[s], own[t]);
                }
                *rows[t].wrapping_add(c) = own[t];
            }
        }
    }
}

/// `A(k, j)/D(k)` for the rows of a panel.
///
/// # Safety
/// The rows have column j.
#[inline(always)]
unsafe fn multipliers<L: Lanes, const S: usize>(rows: &[*mut L; S], scale: &[L; S], j: usize) -> [L; S] {
    let mut l = [L::ZERO; S];
    for s in 0..S {
        // SAFETY: by the caller.
        l[s] = unsafe { *rows[s].wrapping_add(j) } * scale[s];
    }
    l
}

/// `A(k, j) = l` for the rows of a panel.
///
/// # Safety
/// The rows have column j.
#[inline(always)]
unsafe fn keep<L: Lanes, const S: usize>(rows: &[*mut L; S], j: usize, l: &[L; S]) {
    for s in 0..S {
        // SAFETY: by the caller.
        unsafe { *rows[s].wrapping_add(j) = l[s] };
    }
}

/// `A(j, c) −= Σ l(k) · A(k, c)` over the rows of a panel, last row first.
///
/// # Safety
/// All rows have the columns.
#[inline(always)]
unsafe fn subtract<L: Lanes, const S: usize>(to: *mut L, rows: &[*mut L; S], columns: Run, l: &[L; S]) {
    for c in columns.start..columns.end {
        // SAFETY: by the caller.
        unsafe {
            let target = to.wrapping_add(c);
            let mut sum = *target;
            for s in (0..S).rev() {
                sum = l[s].neg_mul_add(*rows[s].wrapping_add(c), sum);
            }
            *target = sum;
        }
    }
}

/// [`subtract`] for two rows.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn subtract_two<L: Lanes, const S: usize>(
    to: [*mut L; 2],
    rows: &[*mut L; S],
    columns: Run,
    l: &[L; S],
    m: &[L; S],
) {
    for c in columns.start..columns.end {
        // SAFETY: by the caller.
        unsafe {
            let (one, two) = (to[0].wrapping_add(c), to[1].wrapping_add(c));
            let (mut x, mut y) = (*one, *two);
            for s in (0..S).rev() {
                let source = *rows[s].wrapping_add(c);
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
