//! The Hessian of one world as small full matrices, one for each tree and each pair of coupled trees; its factors, and
//! solutions with them.
//!
//! A matrix has a row for each dof of the tree that is eliminated first, along the dofs of the other one, padded with zeros to
//! whole lanes. With H(t,t) = L D Lᵀ and Z(u) = L⁻¹ H(t,u), eliminating t leaves H(u,v) − Z(u)ᵀ D⁻¹ Z(v) of its neighbours.

use motrix_spatial::{Lanes, Mask, Part, Real};

use super::graph::{Elimination, Graph};
use super::layout::{Layout, Span};
use super::strip::{load, splat, store};

/// The dofs of a body that moves freely: matrices of that size are worked on in registers.
const FREE: usize = 6;

/// H, then its factors.
#[derive(Clone, Debug)]
pub struct Matrix<L: Lanes> {
    /// Matrices of trees; after the factorisation row j holds the multipliers L(i, j), i > j.
    pub squares: Vec<L::Elem>,
    /// The same by rows: L(i, j), j < i.
    lower: Vec<L::Elem>,
    /// 1/D by place.
    inverse: Vec<L::Elem>,
    /// Matrices between trees, then Z.
    pub blocks: Vec<L::Elem>,
    /// D⁻¹ Z of the tree that is being eliminated, in the places of its blocks.
    scaled: Vec<L::Elem>,
    /// Rows whose numbers are to be added up.
    products: Vec<L::Elem>,
}

impl<L: Lanes> Matrix<L> {
    /// A matrix for trees.
    pub fn new(layout: &Layout) -> Self {
        let zero = L::Elem::from_f64(0.0);
        Self {
            squares: vec![zero; layout.squares],
            lower: vec![zero; layout.squares],
            inverse: layout.zeros(),
            blocks: Vec::new(),
            scaled: Vec::new(),
            products: vec![zero; L::COUNT * L::COUNT],
        }
    }

    /// Starts from the inertia of the trees of some islands, without couplings.
    #[inline(always)]
    pub fn load(&mut self, layout: &Layout, graph: &Graph, mass: &[L::Elem], islands: u32) {
        let zero = L::Elem::from_f64(0.0);
        self.blocks.resize(graph.len.max(self.blocks.len()), zero);
        self.scaled.resize(graph.len.max(self.scaled.len()), zero);
        for step in graph.order.windows(2) {
            if islands >> step[0].island & 1 != 0 {
                let places = layout.trees[step[0].tree].squares();
                self.squares[places.clone()].copy_from_slice(&mass[places]);
                self.blocks[step[0].blocks..step[1].blocks].fill(zero);
            }
        }
    }

    /// Factorises the matrices of some islands.
    #[inline(always)]
    pub fn factor(&mut self, layout: &Layout, graph: &Graph, islands: u32) {
        L::apart(Factor {
            matrix: self,
            layout,
            graph,
            islands,
        });
    }

    #[inline(always)]
    fn eliminate(&mut self, layout: &Layout, graph: &Graph, islands: u32) {
        let mut first = 0;
        for &end in &graph.rounds {
            self.factor_squares(layout, &graph.order[first..end], islands);
            for step in graph.order[first..=end].windows(2) {
                if islands >> step[0].island & 1 == 0 {
                    continue;
                }
                let t = &layout.trees[step[0].tree];
                for link in &graph.links[step[0].links..step[1].links] {
                    let u = &layout.trees[link.tree as usize];
                    self.substitute(t, u, link.block);
                    let [square, first] = [u.square, link.block];
                    self.subtract(t, u, u, [square, first, first]);
                }
                for update in &graph.updates[step[0].updates..step[1].updates] {
                    let (a, b) = (graph.links[update.first as usize], graph.links[update.second as usize]);
                    let (u, v) = (&layout.trees[a.tree as usize], &layout.trees[b.tree as usize]);
                    self.subtract_block(t, u, v, [update.block, a.block, b.block]);
                }
            }
            first = end;
        }
    }

    /// L and D of the own matrices of the trees of a round; those of free bodies two at a time, as each of their numbers waits
    /// for the one before.
    #[inline(always)]
    fn factor_squares(&mut self, layout: &Layout, round: &[Elimination], islands: u32) {
        let mut waiting = None;
        for step in round {
            if islands >> step.island & 1 == 0 {
                continue;
            }
            let t = &layout.trees[step.tree];
            if !is_free::<L>(t) {
                self.factor_square(t);
            } else if let Some(other) = waiting.take() {
                self.factor_free([other, t]);
            } else {
                waiting = Some(t);
            }
        }
        if let Some(t) = waiting {
            self.factor_free([t]);
        }
    }

    /// L and D of the matrices of free bodies, whose rows fit a register each.
    #[inline(always)]
    fn factor_free<const N: usize>(&mut self, trees: [&Span; N]) {
        let mut rows = [[L::ZERO; FREE]; N];
        for n in 0..N {
            for i in 0..FREE {
                rows[n][i] = load::<L>(&self.squares, trees[n].square + i * L::COUNT);
            }
        }
        for j in 0..FREE {
            let beyond = L::Mask::from_bits(beyond::<L>(j, 0));
            let mut multipliers = [L::ZERO; N];
            for n in 0..N {
                let inverse = L::splat(rows[n][j].lane(j)).recip();
                self.inverse[trees[n].start + j] = inverse.lane(0);
                multipliers[n] = L::select(beyond, rows[n][j] * inverse, L::ZERO);
                store(multipliers[n], &mut self.squares, trees[n].square + j * L::COUNT);
            }
            for i in j + 1..FREE {
                for n in 0..N {
                    let l = multipliers[n].lane(i);
                    self.lower[trees[n].square + i * L::COUNT + j] = l;
                    rows[n][i] = L::splat(l).neg_mul_add(rows[n][j], rows[n][i]);
                }
            }
        }
    }

    /// L and D of a tree's own matrix.
    #[inline(always)]
    fn factor_square(&mut self, t: &Span) {
        let (n, stride) = (t.count, t.stride);
        let square = &mut self.squares[t.squares()];
        let lower = &mut self.lower[t.squares()];
        for j in 0..n {
            let inverse = splat::<L>(square, j * stride + j).recip();
            self.inverse[t.start + j] = inverse.lane(0);
            for i in j + 1..n {
                let l = splat::<L>(square, j * stride + i) * inverse;
                lower[i * stride + j] = l.lane(0);
                let (above, row) = square.split_at_mut(i * stride);
                subtract_row::<L>(l, &above[j * stride..(j + 1) * stride], &mut row[..stride]);
            }
            // Multipliers only: nothing up to the diagonal.
            for c in 0..stride / L::COUNT {
                let chunk = &mut square[j * stride + c * L::COUNT..][..L::COUNT];
                let beyond = L::Mask::from_bits(beyond::<L>(j, c));
                L::select(beyond, L::load(chunk) * inverse, L::ZERO).store(chunk);
            }
        }
    }

    /// Z = L⁻¹ H(t,u) in place, and D⁻¹ Z.
    #[inline(always)]
    fn substitute(&mut self, t: &Span, u: &Span, block: usize) {
        let (n, stride) = (t.count, u.stride);
        let multipliers = &self.squares[t.squares()];
        let inverse = &self.inverse[t.start..t.start + n];
        let z = &mut self.blocks[block..block + n * stride];
        let scaled = &mut self.scaled[block..block + n * stride];
        if n == FREE {
            for c in (0..stride).step_by(L::COUNT) {
                let mut rows = [L::ZERO; FREE];
                for i in 0..FREE {
                    rows[i] = load::<L>(z, i * stride + c);
                }
                for j in 0..FREE {
                    for i in j + 1..FREE {
                        rows[i] = splat::<L>(multipliers, j * t.stride + i).neg_mul_add(rows[j], rows[i]);
                    }
                }
                for i in 0..FREE {
                    store(rows[i], z, i * stride + c);
                    store(splat::<L>(inverse, i) * rows[i], scaled, i * stride + c);
                }
            }
            return;
        }
        for j in 0..n {
            for i in j + 1..n {
                let (above, row) = z.split_at_mut(i * stride);
                let l = splat::<L>(multipliers, j * t.stride + i);
                subtract_row::<L>(l, &above[j * stride..(j + 1) * stride], &mut row[..stride]);
            }
        }
        for i in 0..n {
            let inverse = splat::<L>(inverse, i);
            for c in (0..stride).step_by(L::COUNT) {
                store(inverse * load::<L>(z, i * stride + c), scaled, i * stride + c);
            }
        }
    }

    /// H(u,u) −= Z(u)ᵀ D⁻¹ Z(u).
    #[inline(always)]
    fn subtract(&mut self, t: &Span, u: &Span, v: &Span, [target, a, b]: [usize; 3]) {
        let target = &mut self.squares[target..target + u.count * v.stride];
        subtract_product::<L>(t.count, u, v, &self.scaled[a..], &self.blocks[b..], target);
    }

    /// H(u,v) −= Z(u)ᵀ D⁻¹ Z(v).
    #[inline(always)]
    fn subtract_block(&mut self, t: &Span, u: &Span, v: &Span, [target, a, b]: [usize; 3]) {
        // What is between two neighbours comes after what is between each of them and the tree that goes first.
        let (before, after) = self.blocks.split_at_mut(target);
        let target = &mut after[..u.count * v.stride];
        subtract_product::<L>(t.count, u, v, &self.scaled[a..], &before[b..], target);
    }

    /// Solves H x = b in place, for the trees of some islands.
    #[inline(always)]
    pub fn solve(&mut self, layout: &Layout, graph: &Graph, x: &mut [L::Elem], islands: u32) {
        L::apart(Solve {
            matrix: self,
            layout,
            graph,
            x,
            islands,
        });
    }

    #[inline(always)]
    fn substitute_all(&mut self, layout: &Layout, graph: &Graph, x: &mut [L::Elem], islands: u32) {
        for step in graph.order.windows(2) {
            if islands >> step[0].island & 1 == 0 {
                continue;
            }
            let t = &layout.trees[step[0].tree];
            self.forward(t, x);
            for link in &graph.links[step[0].links..step[1].links] {
                let u = &layout.trees[link.tree as usize];
                let z = &self.blocks[link.block..link.block + t.count * u.stride];
                for c in (0..u.stride).step_by(L::COUNT) {
                    let mut sum = load::<L>(x, u.start + c);
                    for k in 0..t.count {
                        let pull = splat::<L>(x, t.start + k) * splat::<L>(&self.inverse, t.start + k);
                        sum = pull.neg_mul_add(load::<L>(z, k * u.stride + c), sum);
                    }
                    store(sum, x, u.start + c);
                }
            }
        }
        for step in graph.order.windows(2).rev() {
            if islands >> step[0].island & 1 == 0 {
                continue;
            }
            let t = &layout.trees[step[0].tree];
            for c in 0..t.stride / L::COUNT {
                let rows = (t.count - c * L::COUNT).min(L::COUNT);
                let mut sum = L::ZERO;
                if step[0].links < step[1].links {
                    for k in 0..rows {
                        let mut product = L::ZERO;
                        for link in &graph.links[step[0].links..step[1].links] {
                            let u = &layout.trees[link.tree as usize];
                            let z = &self.blocks[link.block + (c * L::COUNT + k) * u.stride..][..u.stride];
                            product = add_products(z, &x[u.places()], product);
                        }
                        store(product, &mut self.products, k * L::COUNT);
                    }
                    sum = add_up_rows(&self.products, rows);
                }
                let at = t.start + c * L::COUNT;
                let rest = load::<L>(x, at) - sum;
                store(rest * load::<L>(&self.inverse, at), x, at);
            }
            self.backward(t, x);
        }
    }

    /// y = L⁻¹ b.
    #[inline(always)]
    fn forward(&self, t: &Span, x: &mut [L::Elem]) {
        let square = &self.squares[t.squares()];
        let x = &mut x[t.places()];
        if is_free::<L>(t) {
            let mut y = L::load(x);
            for j in 0..FREE - 1 {
                y = L::splat(y.lane(j)).neg_mul_add(load::<L>(square, j * L::COUNT), y);
            }
            y.store(x);
            return;
        }
        for j in 0..t.count {
            let pull = splat::<L>(x, j);
            subtract_row::<L>(pull, &square[j * t.stride..(j + 1) * t.stride], x);
        }
    }

    /// x = L⁻ᵀ y.
    #[inline(always)]
    fn backward(&self, t: &Span, x: &mut [L::Elem]) {
        let lower = &self.lower[t.squares()];
        let x = &mut x[t.places()];
        if is_free::<L>(t) {
            let mut y = L::load(x);
            for j in (1..FREE).rev() {
                y = L::splat(y.lane(j)).neg_mul_add(load::<L>(lower, j * L::COUNT), y);
            }
            y.store(x);
            return;
        }
        for j in (0..t.count).rev() {
            let pull = splat::<L>(x, j);
            subtract_row::<L>(pull, &lower[j * t.stride..(j + 1) * t.stride], x);
        }
    }
}

/// [`Matrix::factor`], a function of its own.
struct Factor<'a, L: Lanes> {
    matrix: &'a mut Matrix<L>,
    layout: &'a Layout,
    graph: &'a Graph,
    islands: u32,
}

impl<L: Lanes> Part for Factor<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.matrix.eliminate(self.layout, self.graph, self.islands);
    }
}

/// [`Matrix::solve`], a function of its own.
struct Solve<'a, L: Lanes> {
    matrix: &'a mut Matrix<L>,
    layout: &'a Layout,
    graph: &'a Graph,
    x: &'a mut [L::Elem],
    islands: u32,
}

impl<L: Lanes> Part for Solve<'_, L> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        self.matrix
            .substitute_all(self.layout, self.graph, self.x, self.islands);
    }
}

/// Whether a tree is a free body whose dofs fill one register.
#[inline(always)]
fn is_free<L: Lanes>(t: &Span) -> bool {
    t.count == FREE && t.stride == L::COUNT
}

/// Which lanes of chunk `c` of a row lie beyond column `j`.
#[inline(always)]
fn beyond<L: Lanes>(j: usize, c: usize) -> u32 {
    let first = (j + 1).saturating_sub(c * L::COUNT).min(L::COUNT);
    u32::MAX << first
}

/// `target −= l · row`.
#[inline(always)]
fn subtract_row<L: Lanes>(l: L, row: &[L::Elem], target: &mut [L::Elem]) {
    let row = &row[..target.len()];
    let mut c = 0;
    while c + L::COUNT <= target.len() {
        let (row, target) = (&row[c..c + L::COUNT], &mut target[c..c + L::COUNT]);
        l.neg_mul_add(L::load(row), L::load(target)).store(target);
        c += L::COUNT;
    }
}

/// `target(i, ·) −= Σ a(k, i) b(k, ·)` over `n` rows.
#[inline(always)]
fn subtract_product<L: Lanes>(n: usize, u: &Span, v: &Span, a: &[L::Elem], b: &[L::Elem], target: &mut [L::Elem]) {
    if n == FREE && u.count == FREE {
        for c in (0..v.stride).step_by(L::COUNT) {
            let mut rows = [L::ZERO; FREE];
            for k in 0..FREE {
                rows[k] = load::<L>(b, k * v.stride + c);
            }
            for i in 0..FREE {
                let mut sum = load::<L>(target, i * v.stride + c);
                for k in 0..FREE {
                    sum = splat::<L>(a, k * u.stride + i).neg_mul_add(rows[k], sum);
                }
                store(sum, target, i * v.stride + c);
            }
        }
        return;
    }
    for i in 0..u.count {
        for k in 0..n {
            let l = splat::<L>(a, k * u.stride + i);
            let (row, target) = (&b[k * v.stride..(k + 1) * v.stride], &mut target[i * v.stride..]);
            subtract_row::<L>(l, row, &mut target[..v.stride]);
        }
    }
}

/// `sum + a · b`, lane by lane.
#[inline(always)]
pub fn add_products<L: Lanes>(a: &[L::Elem], b: &[L::Elem], mut sum: L) -> L {
    let b = &b[..a.len()];
    let mut c = 0;
    while c + L::COUNT <= a.len() {
        sum = L::load(&a[c..c + L::COUNT]).mul_add(L::load(&b[c..c + L::COUNT]), sum);
        c += L::COUNT;
    }
    sum
}

/// Lane *k* is the sum of row *k* of a square table; lanes beyond the given rows repeat the last one.
#[inline(always)]
pub fn add_up_rows<L: Lanes>(table: &[L::Elem], rows: usize) -> L {
    let index: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut tile = [L::ZERO; 8];
    let rows_of = motrix_spatial::rows::Rows {
        index: &index[..rows],
        stride: L::COUNT,
    };
    L::load_tile(table, rows_of, 0, &mut tile[..L::COUNT]);
    let mut sum = tile[0];
    for column in &tile[1..L::COUNT] {
        sum += *column;
    }
    sum
}
