//! A quadratic minimised inside an ellipsoid: min ½ xᵀA x + bᵀx subject to Σ (xᵢ/dᵢ)² ≤ r², for at most five unknowns.
//!
//! Scaled by d the ellipsoid is a ball, and the minimiser on it is x(λ) = −(A + λ1)⁻¹ b with ‖x(λ)‖ = r. The gap ‖x(λ)‖² − r² falls with λ;
//! Newton's method from λ = 0 finds its zero from the left (MuJoCo's `mju_QCQP`).

/// Most unknowns: two slides, a spin, two rolls.
pub const MOST: usize = 5;
/// Most steps of Newton's method.
const STEPS: usize = 20;
/// Gaps, steps and determinants below this count as zero, as in MuJoCo.
const TINY: f64 = 1e-10;

/// Minimises in place of `x`; tells whether the minimiser lies on the ellipsoid. `a` is `n × n`, row-major.
pub fn minimise(a: &[f64], b: &[f64], d: &[f64], r: f64, x: &mut [f64]) -> bool {
    let n = x.len();
    let mut scaled = [[0.0; MOST]; MOST];
    let mut bias = [0.0; MOST];
    for i in 0..n {
        bias[i] = b[i] * d[i];
        for j in 0..n {
            scaled[i][j] = a[i * n + j] * d[i] * d[j];
        }
    }
    let (mut lambda, mut v) = (0.0, [0.0; MOST]);
    for _ in 0..STEPS {
        let Some(factor) = Factor::new(&scaled, lambda, n) else {
            x.fill(0.0);
            return false;
        };
        v = factor.solve(&bias, n).map(|y| -y);
        let gap = dot(&v, &v, n) - r * r;
        if gap < TINY {
            break;
        }
        let slope = -2.0 * dot(&v, &factor.solve(&v, n), n);
        let step = -gap / slope;
        if step < TINY {
            break;
        }
        lambda += step;
    }
    for i in 0..n {
        x[i] = v[i] * d[i];
    }
    lambda != 0.0
}

fn dot(a: &[f64; MOST], b: &[f64; MOST], n: usize) -> f64 {
    (0..n).map(|i| a[i] * b[i]).sum()
}

/// Cholesky factor of A + λ1.
struct Factor([[f64; MOST]; MOST]);

impl Factor {
    /// None for a matrix that is singular by MuJoCo's measure: the determinant up to three unknowns, else each pivot.
    fn new(a: &[[f64; MOST]; MOST], lambda: f64, n: usize) -> Option<Self> {
        let mut l = [[0.0; MOST]; MOST];
        let mut determinant = 1.0;
        for i in 0..n {
            for j in 0..=i {
                let mut sum = a[i][j];
                if i == j {
                    sum += lambda;
                }
                for k in 0..j {
                    sum -= l[i][k] * l[j][k];
                }
                if i == j {
                    if sum <= 0.0 || (n > 3 && sum < TINY) {
                        return None;
                    }
                    determinant *= sum;
                    l[i][i] = sum.sqrt();
                } else {
                    l[i][j] = sum / l[j][j];
                }
            }
        }
        (n > 3 || determinant >= TINY).then_some(Self(l))
    }

    fn solve(&self, b: &[f64; MOST], n: usize) -> [f64; MOST] {
        let l = &self.0;
        let mut x = *b;
        for i in 0..n {
            for k in 0..i {
                x[i] -= l[i][k] * x[k];
            }
            x[i] /= l[i][i];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= l[k][i] * x[k];
            }
            x[i] /= l[i][i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_inside_the_ellipsoid_solves_the_linear_system() {
        let a = [2.0, 0.5, 0.5, 1.0];
        let mut x = [0.0; 2];
        assert!(!minimise(&a, &[-1.0, 0.3], &[1.0, 1.0], 10.0, &mut x));
        let residual = [2.0 * x[0] + 0.5 * x[1] - 1.0, 0.5 * x[0] + x[1] + 0.3];
        assert!(residual.iter().all(|r| r.abs() < 1e-14), "{residual:?}");
    }

    #[test]
    fn on_the_ellipsoid_the_gradient_points_out_of_it() {
        for n in [2, 3, 5] {
            let mut a = vec![0.1; n * n];
            for i in 0..n {
                a[i * n + i] = 1.0 + i as f64;
            }
            let b: Vec<f64> = (0..n).map(|i| 5.0 - 3.0 * i as f64).collect();
            let d: Vec<f64> = (0..n).map(|i| 0.5 + 0.2 * i as f64).collect();
            let mut x = vec![0.0; n];
            assert!(minimise(&a, &b, &d, 1.0, &mut x));
            let size: f64 = (0..n).map(|i| (x[i] / d[i]).powi(2)).sum();
            assert!((size - 1.0).abs() < 1e-9, "{n}: {size}");
            // Stationarity: A x + b = −λ x / d².
            let ratio = |i: usize| {
                let row: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                -(row + b[i]) * d[i] * d[i] / x[i]
            };
            for i in 1..n {
                assert!((ratio(i) - ratio(0)).abs() < 1e-6 * ratio(0).abs(), "{n}: {i}");
            }
        }
    }
}
