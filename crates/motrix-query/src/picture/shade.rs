//! The colours of what rays meet: surfaces, textures, lamps, shadows and the sky.

use motrix_spatial::algebra::{add, add_scaled, dot, mul, normalize, select3, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::field::{self, part};
use super::instance::Instance;
use super::kernels::Kernels;
use super::look::Look;
use super::packet::{MOST_LANES, Met, Packet, first_lane, gathered, lift, lift3, never, spread};
use super::shape::outward;
use super::shot::Shot;
use super::surface::Form;

/// Shadow rays start this far above the surface, in parts of its depth: less would shade a surface by its own rounding.
const LIFTED: f64 = 2e-4;

/// Surfaces that rays have met, ready for light.
#[derive(Clone, Copy)]
pub struct Surface<L: Lanes> {
    /// Where, in the frame of the camera.
    pub point: Vec3<L>,
    /// Outward unit normal.
    normal: Vec3<L>,
    /// Colour and opacity.
    colour: Vec3<L>,
    pub alpha: L,
    emission: L,
    specular: L,
    /// Exponent of highlights.
    exponent: L,
    /// Share of the light that is mirrored.
    pub reflectance: L,
}

/// The surfaces of what a packet has met. Lanes that met nothing hold anything.
#[inline(always)]
pub fn surface<L: Kernels>(shot: &Shot, packet: &Packet<L>, met: &Met<L>) -> Surface<L> {
    let mut all = Surface {
        point: add_scaled(packet.origin, met.depth, packet.direction),
        normal: [L::ZERO, L::ZERO, L::ONE],
        colour: [L::ZERO; 3],
        alpha: L::ONE,
        emission: L::ZERO,
        specular: L::ZERO,
        exponent: L::ZERO,
        reflectance: L::ZERO,
    };
    let mut left = met.some();
    while left.any() {
        let who = met.instance(first_lane(left));
        let mine = left & met.who.equal(L::c(who as f64));
        let instance = &shot.instances[who];
        let look = &shot.looks[instance.look as usize];
        let local = instance.inside(all.point);
        let texcoords = match instance.form {
            Form::Field(_) | Form::Mesh(_) => L::uneven(instance, &local, met.part, mine, &mut all.normal),
            _ => {
                let normal = instance.turned_back(even_normal(instance, local));
                all.normal = select3(mine, normal, all.normal);
                None
            }
        };
        let mut colour = lift3(&[look.rgba[0], look.rgba[1], look.rgba[2]]);
        if look.texture.is_some() {
            let cosine = facing(&all.normal, &packet.direction);
            // Seen at a slant a pixel covers more of a surface one way and the same the other; in between is neither blurred nor noisy.
            let size = lift::<L>(shot.pixel) * met.depth / cosine.max(L::c(0.02)).sqrt();
            let texel = L::texels(instance, look, &local, &texcoords, size, mine);
            colour = mul(colour, texel);
        }
        all.colour = select3(mine, colour, all.colour);
        all.alpha = L::select(mine, lift(look.rgba[3]), all.alpha);
        all.emission = L::select(mine, lift(look.emission), all.emission);
        all.specular = L::select(mine, lift(look.specular), all.specular);
        all.exponent = L::select(mine, lift(128.0 * look.shininess), all.exponent);
        if look.reflectance > 0.0 {
            let here = mine & mirrors(instance, &local);
            all.reflectance = L::select(here, lift(look.reflectance), all.reflectance);
        }
        left = left & !mine;
    }
    all.normal = normalize(all.normal).0;
    all
}

/// Where a shape may mirror: a plane, and the upper side of a box, as in MuJoCo.
#[inline(always)]
fn mirrors<L: Lanes>(instance: &Instance, local: &Vec3<L>) -> L::Mask {
    /// What of the height of a box counts as its upper side, so that rounding does not matter.
    const UPPER: f32 = 0.9999;
    let above = match instance.form {
        Form::Plane => L::ZERO,
        Form::Box => local[2] - lift(UPPER * instance.size[2]),
        _ => -L::ONE,
    };
    above.ge(L::ZERO)
}

/// What surfaces mirror: the light that comes along the rays they throw back. In a mirror there are no shadows and no mirrors.
#[inline(always)]
pub fn mirrored<L: Kernels>(shot: &Shot, packet: &Packet<L>, met: &Met<L>, s: &Surface<L>) -> Vec3<L> {
    let wanted = met.some() & s.reflectance.gt(L::ZERO);
    let d = packet.direction;
    let back = Packet {
        origin: add_scaled(s.point, met.depth.max(L::ONE) * L::c(LIFTED), s.normal),
        direction: add_scaled(d, L::c(-2.0) * dot(d, s.normal), s.normal),
        after: L::ZERO,
    };
    let mut met = Met::nothing(L::select(wanted, never(), L::c(-1.0)));
    for (place, instance) in shot.instances.iter().enumerate() {
        instance.meet(&back, place, &mut met);
    }
    let some = met.some();
    let mut colour = sky(shot, &back, wanted & !some);
    if some.any() {
        let surface = surface(shot, &back, &met);
        colour = select3(some, lit(shot, &back, &met, &surface, &[]), colour);
    }
    colour
}

/// How much a surface faces the rays: the cosine of the angle, for normals of any length.
#[inline(always)]
fn facing<L: Lanes>(normal: &Vec3<L>, direction: &Vec3<L>) -> L {
    let cosine = -dot(*normal, *direction);
    cosine / (dot(*normal, *normal) * dot(*direction, *direction)).sqrt()
}

/// The outward direction of a primitive at a point of it, in its own frame.
#[inline(always)]
fn even_normal<L: Lanes>(instance: &Instance, p: Vec3<L>) -> Vec3<L> {
    let size: Vec3<L> = lift3(&instance.size);
    match instance.form {
        Form::Sphere => outward::ball(p),
        Form::Capsule => outward::capsule(size[1], p),
        Form::Ellipsoid => outward::ellipsoid(size, p),
        Form::Cylinder => outward::cylinder(size[0], size[1], p),
        Form::Box => outward::block(size, p),
        Form::Plane | Form::Field(_) | Form::Mesh(_) => [L::ZERO, L::ZERO, L::ONE],
    }
}

/// Texture coordinates of all lanes.
pub type Texcoords = Option<[[f32; MOST_LANES]; 2]>;

/// The normals of meshes and terrain, lane by lane, and texture coordinates when a mesh has some.
#[inline(always)]
pub fn uneven<L: Lanes>(
    instance: &Instance,
    local: &Vec3<L>,
    parts: L,
    mine: L::Mask,
    normal: &mut Vec3<L>,
) -> Texcoords {
    let (x, y, z, parts) = (spread(local[0]), spread(local[1]), spread(local[2]), spread(parts));
    let mut n = [[0.0_f32; MOST_LANES]; 3];
    let mut texcoords: Texcoords = None;
    for k in 0..L::COUNT {
        if !mine.lane(k) {
            continue;
        }
        let here = match &instance.form {
            Form::Field(terrain) => field_normal(terrain, x[k], y[k], parts[k]),
            Form::Mesh(mesh) => {
                let on = mesh.surface(parts[k] as usize, [x[k], y[k], z[k]]);
                if let Some([s, t]) = on.texcoord {
                    let all = texcoords.get_or_insert([[0.0; MOST_LANES]; 2]);
                    (all[0][k], all[1][k]) = (s, t);
                }
                on.normal
            }
            _ => [0.0, 0.0, 1.0],
        };
        for c in 0..3 {
            n[c][k] = here[c];
        }
    }
    let out = instance.turned_back([gathered(&n[0]), gathered(&n[1]), gathered(&n[2])]);
    *normal = select3(mine, out, *normal);
    texcoords
}

fn field_normal(terrain: &motrix_collide::HeightField, x: f32, y: f32, number: f32) -> [f32; 3] {
    let number = f64::from(number);
    if number == part::TOP {
        return field::smooth_normal(terrain, f64::from(x), f64::from(y)).map(|x| x as f32);
    }
    if number == part::BOTTOM {
        return [0.0, 0.0, -1.0];
    }
    match (number - part::SIDES) as u32 {
        0 => [-1.0, 0.0, 0.0],
        1 => [1.0, 0.0, 0.0],
        2 => [0.0, -1.0, 0.0],
        _ => [0.0, 1.0, 0.0],
    }
}

/// The colours of a look's texture at points of a piece; `size` is what a pixel covers there, metres.
#[inline(always)]
pub fn texels<L: Lanes>(
    instance: &Instance,
    look: &Look,
    local: &Vec3<L>,
    texcoords: &Texcoords,
    size: L,
    mine: L::Mask,
) -> Vec3<L> {
    let Some(texture) = &look.texture else {
        return [L::ONE; 3];
    };
    let (x, y, z, size) = (spread(local[0]), spread(local[1]), spread(local[2]), spread(size));
    let half = instance.extent();
    let (across, down) = (look.mapping(0, half[0]), look.mapping(1, half[1]));
    let mut out = [[0.0_f32; MOST_LANES]; 3];
    for k in 0..L::COUNT {
        if !mine.lane(k) {
            continue;
        }
        let spread_of = across[0].abs().max(down[0].abs()) * size[k];
        let rgb = if texture.is_cube() {
            texture.around(
                [x[k] / half[0], y[k] / half[1], z[k] / half[2]],
                0.5 * size[k] / half[0],
            )
        } else if let Some([s, t]) = texcoords {
            texture.sample(look.repeat[0] * s[k], look.repeat[1] * t[k], size[k] / half[0])
        } else {
            texture.sample(across[0] * x[k] + across[1], down[0] * y[k] + down[1], spread_of)
        };
        for c in 0..3 {
            out[c][k] = rgb[c];
        }
    }
    [gathered(&out[0]), gathered(&out[1]), gathered(&out[2])]
}

/// The light that comes back from surfaces. `casters` lists for each lamp what may stand in its way; lamps without a list throw no
/// shadows.
#[inline(always)]
pub fn lit<L: Kernels>(shot: &Shot, packet: &Packet<L>, met: &Met<L>, s: &Surface<L>, casters: &[Vec<u32>]) -> Vec3<L> {
    let seen = met.some();
    let back = normalize([-packet.direction[0], -packet.direction[1], -packet.direction[2]]).0;
    let mut scattered = [s.emission; 3];
    let mut mirrored = [L::ZERO; 3];
    for (number, lamp) in shot.lamps.iter().enumerate() {
        scattered = add(scattered, lift3(&lamp.ambient));
        let (towards, distance, share) = lamp.towards(s.point);
        let cosine = dot(s.normal, towards);
        let facing = cosine.gt(L::ZERO) & share.gt(L::ZERO) & seen;
        if !facing.any() {
            continue;
        }
        let mut light = L::select(facing, share, L::ZERO);
        let casters = casters.get(number).map_or(&[][..], Vec::as_slice);
        if !casters.is_empty() {
            let above = met.depth.max(L::ONE) * L::c(LIFTED);
            let way = Packet {
                origin: add_scaled(s.point, above, s.normal),
                direction: towards,
                after: L::ZERO,
            };
            let dark = shadowed(shot, &way, distance, facing, casters);
            light = L::select(dark, L::ZERO, light);
        }
        scattered = add_scaled(scattered, cosine * light, lift3(&lamp.diffuse));
        // Schlick's stand-in for the power of a cosine (1994): x / (n − n x + x).
        let halfway = normalize(add(towards, back)).0;
        let x = dot(s.normal, halfway).max(L::ZERO);
        let n = s.exponent;
        let highlight = x / (x.neg_mul_add(n, n + x)).max(L::c(1e-6));
        mirrored = add_scaled(mirrored, s.specular * highlight * light, lift3(&lamp.specular));
    }
    add(mul(s.colour, scattered), mirrored)
}

/// Lanes whose way to a lamp is blocked; only the `wanted` ones are looked at.
#[inline(always)]
fn shadowed<L: Kernels>(shot: &Shot, packet: &Packet<L>, limit: L, wanted: L::Mask, casters: &[u32]) -> L::Mask {
    let mut met = Met::nothing(L::select(wanted, limit, L::c(-1.0)));
    for &place in casters {
        shot.instances[place as usize].meet(packet, place as usize, &mut met);
        if (met.some() | !wanted).all() {
            break;
        }
    }
    met.some()
}

/// The colour of the sky where packets look past everything.
#[inline(always)]
pub fn sky<L: Lanes>(shot: &Shot, packet: &Packet<L>, wanted: L::Mask) -> Vec3<L> {
    let r = &shot.rotation;
    let d = packet.direction;
    let world: Vec3<L> = [
        dot(lift3(&[r[0], r[1], r[2]]), d),
        dot(lift3(&[r[3], r[4], r[5]]), d),
        dot(lift3(&[r[6], r[7], r[8]]), d),
    ];
    let Some(sky) = &shot.sky else {
        return plain_sky(normalize(world).0[2]);
    };
    // The cube's y axis is up.
    let (x, y, z) = (spread(world[0]), spread(world[1]), spread(world[2]));
    let mut out = [[0.0_f32; MOST_LANES]; 3];
    for k in 0..L::COUNT {
        if wanted.lane(k) {
            let rgb = sky.around([x[k], z[k], -y[k]], 0.0);
            for c in 0..3 {
                out[c][k] = rgb[c];
            }
        }
    }
    [gathered(&out[0]), gathered(&out[1]), gathered(&out[2])]
}

/// White at the horizon, blue above, grey below.
#[inline(always)]
fn plain_sky<L: Lanes>(up: L) -> Vec3<L> {
    let (above, below) = (up.max(L::ZERO).sqrt(), (-up).max(L::ZERO).sqrt());
    let horizon: Vec3<L> = lift3(&[0.93, 0.95, 0.97]);
    let sky = add_scaled(horizon, above, sub(lift3(&[0.42, 0.6, 0.86]), horizon));
    add_scaled(sky, below, sub(lift3(&[0.45, 0.5, 0.55]), sky))
}
