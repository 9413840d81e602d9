//! Spatial tendons: straight from site to site, bent around geoms, divided after pulleys.
//!
//! A straight segment from x₀ to x₁ has the length |x₁ − x₀| and pulls with the unit vector u = (x₁ − x₀)/|x₁ − x₀|: its
//! length changes by u·(v₁ − v₀). A segment bent around a geom meets it at w₀ and leaves it at w₁; its arc moves with the
//! geom, so that with u₀ towards w₀ and u₁ away from w₁ the length changes by u₀·(v(w₀) − v₀) + u₁·(v₁ − v(w₁)). As spatial
//! forces: each dof takes the sum of −u₀ at x₀, u₁ at x₁ and, where the path is bent, u₀ at w₀ and −u₁ at w₁, over the bodies
//! that it moves. Whether the path is bent differs from lane to lane; the arc itself is found lane by lane in `f64`.

use motrix_collide::{Pose, WrapShape, wrap};
use motrix_model::{GeomId, Model, PathItem, SiteId, Tendon};
use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Mask, Real, Vec3};

use crate::configuration::Configuration;
use crate::support::Support;
use crate::wrench;

/// Bits of [`Column::moves`], in the order in which the bodies of a segment are given to [`Support`].
const START: u8 = 1;
const END: u8 = 2;
const GEOM: u8 = 4;

/// What a segment may bend around.
#[derive(Clone, Debug)]
pub struct WrapRow {
    /// Sphere or cylinder.
    pub shape: WrapShape,
    /// Geom.
    pub geom: usize,
    /// Body of the geom.
    pub body: usize,
    /// Site that chooses the side.
    pub side: Option<usize>,
}

/// A dof that changes the length of a segment.
#[derive(Clone, Debug)]
pub struct Column {
    /// Column of the tendon's Jacobian.
    pub column: usize,
    /// Dof.
    pub dof: usize,
    /// Which ends of the segment it moves.
    pub moves: u8,
}

/// The way from one site to the next.
#[derive(Clone, Debug)]
pub struct SegmentRow<E> {
    /// Sites at the ends.
    pub sites: [usize; 2],
    /// Bodies of the sites.
    pub bodies: [usize; 2],
    /// What it may bend around.
    pub wrap: Option<WrapRow>,
    /// Share of its length that counts: one over the divisor of the last pulley.
    pub share: E,
    /// Dofs that change its length.
    pub columns: Vec<Column>,
}

/// The segments of a spatial tendon. Items that do not follow the grammar of a path are passed over.
pub fn segments<E: Real>(model: &Model, tendon: &Tendon) -> Vec<SegmentRow<E>> {
    let mut rows = Vec::new();
    let mut divisor = 1.0;
    let mut rest = tendon.path.as_slice();
    loop {
        rest = match rest {
            [PathItem::Pulley(d), ..] => {
                divisor = *d;
                &rest[1..]
            }
            [PathItem::Site(from), PathItem::Site(to), ..] => {
                rows.push(row(model, tendon, [*from, *to], None, divisor));
                &rest[1..]
            }
            [
                PathItem::Site(from),
                PathItem::Sphere(geom, side),
                PathItem::Site(to),
                ..,
            ] => {
                let bend = Some((WrapShape::Sphere, *geom, *side));
                rows.push(row(model, tendon, [*from, *to], bend, divisor));
                &rest[2..]
            }
            [
                PathItem::Site(from),
                PathItem::Cylinder(geom, side),
                PathItem::Site(to),
                ..,
            ] => {
                let bend = Some((WrapShape::Cylinder, *geom, *side));
                rows.push(row(model, tendon, [*from, *to], bend, divisor));
                &rest[2..]
            }
            [_, rest @ ..] => rest,
            [] => return rows,
        }
    }
}

fn row<E: Real>(
    model: &Model,
    tendon: &Tendon,
    sites: [SiteId; 2],
    bend: Option<(WrapShape, GeomId, Option<SiteId>)>,
    divisor: f64,
) -> SegmentRow<E> {
    let mut bodies = sites.map(|s| model.sites[s.index()].body).to_vec();
    let wrap = bend.map(|(shape, geom, side)| {
        let body = model.geoms[geom.index()].body;
        bodies.push(body);
        WrapRow {
            shape,
            geom: geom.index(),
            body: body.index(),
            side: side.map(SiteId::index),
        }
    });
    // Dofs that move all of it change nothing.
    let support = Support::relative(model, &bodies);
    let column_of = |dof: u32| tendon.dofs.iter().position(|d| d.index() == dof as usize);
    let columns = support.dofs.iter().zip(&support.moves).filter_map(|(&dof, &moves)| {
        Some(Column {
            column: column_of(dof)?,
            dof: dof as usize,
            moves,
        })
    });
    SegmentRow {
        sites: sites.map(SiteId::index),
        bodies: [bodies[0].index(), bodies[1].index()],
        wrap,
        share: E::from_f64(1.0 / divisor),
        columns: columns.collect(),
    }
}

/// What a segment does per unit of force along it: spatial forces on the bodies that it touches, and its length; all scaled by its
/// share.
pub struct Pull<L> {
    /// On the body of the first site.
    pub start: Force<L>,
    /// On the body of the second site.
    pub end: Force<L>,
    /// On the body of the geom that it bends around.
    pub geom: Force<L>,
    /// Length.
    pub length: L,
}

/// The pull of a segment.
#[inline(always)]
pub fn pull<L: Lanes>(row: &SegmentRow<L::Elem>, at: &Configuration<L>) -> Pull<L> {
    let share = L::splat(row.share);
    let sites = &at.poses.site_position;
    let [x0, x1] = [sites[row.sites[0]], sites[row.sites[1]]];
    let (mut u0, mut length) = normalize(sub(x1, x0));
    let mut u1 = u0;
    let mut geom = zero6();
    if let Some(wrap) = &row.wrap {
        let arc = arc(wrap, at, x0, x1);
        if arc.bent.any() {
            let (towards, before) = normalize(sub(arc.start, x0));
            let (away, after) = normalize(sub(x1, arc.end));
            u0 = select3(arc.bent, towards, u0);
            u1 = select3(arc.bent, away, u1);
            length = L::select(arc.bent, before + arc.length + after, length);
            let bent = L::select(arc.bent, share, L::ZERO);
            let meets = wrench::of_force(scale(u0, bent), at.arm(wrap.body, arc.start));
            let leaves = wrench::of_force(scale(u1, bent), at.arm(wrap.body, arc.end));
            geom = sub6(&meets, &leaves);
        }
    }
    Pull {
        start: wrench::of_force(scale(u0, -share), at.arm(row.bodies[0], x0)),
        end: wrench::of_force(scale(u1, share), at.arm(row.bodies[1], x1)),
        geom,
        length: share * length,
    }
}

/// Adds the derivatives of a segment's length to the Jacobian and returns the length, both scaled by its share.
#[inline(always)]
pub fn segment<L: Lanes>(row: &SegmentRow<L::Elem>, at: &Configuration<L>, jacobian: &mut [L]) -> L {
    let pull = pull(row, at);
    for column in &row.columns {
        let mut force = zero6();
        if column.moves & START != 0 {
            force = pull.start;
        }
        if column.moves & END != 0 {
            force = add6(&force, &pull.end);
        }
        if column.moves & GEOM != 0 {
            force = add6(&force, &pull.geom);
        }
        jacobian[column.column] += dot6(&at.cdof[column.dof], &force);
    }
    pull.length
}

/// The bent part of a segment, in the lanes that have one. Other lanes hold the start of the segment.
struct Arcs<L: Lanes> {
    bent: L::Mask,
    start: Vec3<L>,
    end: Vec3<L>,
    length: L,
}

/// The arcs of all lanes.
#[inline(always)]
fn arc<L: Lanes>(row: &WrapRow, at: &Configuration<L>, x0: Vec3<L>, x1: Vec3<L>) -> Arcs<L> {
    let poses = at.poses;
    let mut arcs = Arcs {
        bent: L::Mask::NONE,
        start: x0,
        end: x0,
        length: L::ZERO,
    };
    let mut bits = 0;
    for k in 0..L::COUNT {
        let pose = Pose {
            position: lane3(poses.geom_position[row.geom], k),
            rotation: lane9(&poses.geom_rotation[row.geom], k),
        };
        let radius = at.params.geoms[row.geom].size[0].lane(k).to_f64();
        let side = row.side.map(|site| lane3(poses.site_position[site], k));
        if let Some(arc) = wrap(row.shape, &pose, radius, lane3(x0, k), lane3(x1, k), side) {
            bits |= 1 << k;
            for i in 0..3 {
                arcs.start[i].set_lane(k, L::Elem::from_f64(arc.start[i]));
                arcs.end[i].set_lane(k, L::Elem::from_f64(arc.end[i]));
            }
            arcs.length.set_lane(k, L::Elem::from_f64(arc.length));
        }
    }
    arcs.bent = L::Mask::from_bits(bits);
    arcs
}

/// Lane `k` of a vector.
#[inline(always)]
fn lane3<L: Lanes>(v: Vec3<L>, k: usize) -> [f64; 3] {
    [v[0].lane(k).to_f64(), v[1].lane(k).to_f64(), v[2].lane(k).to_f64()]
}

/// Lane `k` of a rotation.
#[inline(always)]
fn lane9<L: Lanes>(m: &[L; 9], k: usize) -> [f64; 9] {
    let mut out = [0.0; 9];
    for i in 0..9 {
        out[i] = m[i].lane(k).to_f64();
    }
    out
}
