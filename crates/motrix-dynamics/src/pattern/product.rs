//! Products with a symmetric matrix in its pattern, a panel of rows at a time.

use motrix_spatial::{Lanes, Part};

use super::panels::{bases, column, shared_run, unrolled};
use super::{Panel, Pattern, Run};

/// `out = A·x` for a symmetric matrix.
#[inline(always)]
pub fn multiply<L: Lanes>(pattern: &Pattern, a: &[L], x: &[L], out: &mut [L]) {
    L::apart(Multiply { pattern, a, x, out });
}

struct Multiply<'a, L> {
    pattern: &'a Pattern,
    a: &'a [L],
    x: &'a [L],
    out: &'a mut [L],
}

impl<L: Lanes> Part for Multiply<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Self { pattern, a, x, out } = self;
        let n = pattern.rows();
        assert!(a.len() >= pattern.len() && x.len() >= n && out.len() >= n);
        for panel in pattern.panels() {
            match panel.count {
                1 => multiply_rows::<L, 1>(pattern, panel, a, x, out),
                2 => multiply_rows::<L, 2>(pattern, panel, a, x, out),
                3 => multiply_rows::<L, 3>(pattern, panel, a, x, out),
                _ => multiply_rows::<L, 4>(pattern, panel, a, x, out),
            }
        }
    }
}

/// What the rows of a panel add to a product.
#[inline(always)]
fn multiply_rows<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, a: &[L], x: &[L], out: &mut [L]) {
    unrolled!(multiply_short, multiply_panel, S, pattern, panel, a, x, out)
}

/// [`multiply_panel`] for rows that share the `N` columns from `start` on.
#[inline(always)]
fn multiply_short<L: Lanes, const S: usize, const N: usize>(
    pattern: &Pattern,
    panel: &Panel,
    start: usize,
    a: &[L],
    x: &[L],
    out: &mut [L],
) {
    // SAFETY: `multiply` checked the lengths; the rows have the `N` columns from `start` on, and those of the rows before them.
    unsafe {
        let rows = column::<L, S>(pattern, panel, a.as_ptr(), start);
        let corner = column::<L, S>(pattern, panel, a.as_ptr(), panel.first);
        let (mut own, mut sum) = ([L::ZERO; S], [L::ZERO; S]);
        for s in 0..S {
            own[s] = *x.get_unchecked(panel.first + s);
            sum[s] = *corner[s].add(s) * own[s];
        }
        let (source, target) = (x.as_ptr().add(start), out.as_mut_ptr().add(start));
        for c in 0..N {
            let value = *source.add(c);
            let mut other = *target.add(c);
            for s in 0..S {
                let e = *rows[s].add(c);
                sum[s] = e.mul_add(value, sum[s]);
                other = e.mul_add(own[s], other);
            }
            *target.add(c) = other;
        }
        for s in 0..S {
            for t in 0..s {
                let e = *corner[s].add(t);
                sum[s] = e.mul_add(own[t], sum[s]);
                sum[t] = e.mul_add(own[s], sum[t]);
            }
        }
        for s in 0..S {
            *out.get_unchecked_mut(panel.first + s) = sum[s];
        }
    }
}

/// [`multiply_rows`] for any pattern.
#[inline(always)]
fn multiply_panel<L: Lanes, const S: usize>(pattern: &Pattern, panel: &Panel, a: &[L], x: &[L], out: &mut [L]) {
    let first = panel.first;
    let base = bases::<S>(pattern, panel);
    let (mut own, mut sum) = ([L::ZERO; S], [L::ZERO; S]);
    for s in 0..S {
        own[s] = x[first + s];
        sum[s] = a[base[s].wrapping_add(first + s)] * own[s];
    }
    for run in pattern.row(first) {
        for c in run.start..run.end {
            // SAFETY: the lengths were checked above, and c is a column of the rows of the panel, below them.
            unsafe {
                let value = *x.get_unchecked(c);
                let target = out.get_unchecked_mut(c);
                let mut other = *target;
                for s in 0..S {
                    let e = *a.get_unchecked(base[s].wrapping_add(c));
                    sum[s] = e.mul_add(value, sum[s]);
                    other = e.mul_add(own[s], other);
                }
                *target = other;
            }
        }
    }
    for s in 0..S {
        for t in 0..s {
            let e = a[base[s].wrapping_add(first + t)];
            sum[s] = e.mul_add(own[t], sum[s]);
            sum[t] = e.mul_add(own[s], sum[t]);
        }
    }
    out[first..first + S].copy_from_slice(&sum);
}
