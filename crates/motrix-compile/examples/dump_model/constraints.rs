//! Assets, contact pairs, equalities and tendons.

use motrix_model::*;

use crate::json::*;

pub fn assets(json: &mut Json, model: &Model) {
    let list = &model.meshes;
    names(json, "names/mesh", list, |m| Some(&m.name));
    each!(json, list,
        "mesh_vertnum" => |m| index(m.vertices.len()),
        "mesh_facenum" => |m| index(m.faces.len()),
    );
    all!(json, list,
        "mesh_pos" => |m| m.position,
        "mesh_quat" => |m| m.orientation,
        "mesh_scale" => |m| m.scale,
    );
    let list = &model.materials;
    names(json, "names/material", list, |m| Some(&m.name));
    each!(json, list,
        "mat_texuniform" => |m| flag(m.texture_uniform),
        "mat_emission" => |m| m.emission,
        "mat_specular" => |m| m.specular,
        "mat_shininess" => |m| m.shininess,
        "mat_reflectance" => |m| m.reflectance,
        "mat_metallic" => |m| m.metallic,
        "mat_roughness" => |m| m.roughness,
    );
    all!(json, list,
        "mat_texrepeat" => |m| m.texture_repeat,
        "mat_rgba" => |m| m.rgba,
    );
    let list = &model.textures;
    names(json, "names/texture", list, |t| Some(&t.name));
    each!(json, list,
        "tex_type" => |t| t.kind as u8 as f64,
        "tex_width" => |t| index(t.width),
        "tex_height" => |t| index(t.height),
        "tex_nchannel" => |t| index(t.channels),
    );
    names(json, "names/hfield", &model.hfields, |h| Some(&h.name));
}

pub fn contacts(json: &mut Json, model: &Model) {
    let list = &model.explicit_pairs;
    names(json, "names/pair", list, |p| p.name.as_deref());
    each!(json, list,
        "pair_dim" => |p| p.params.dim,
        "pair_geom1" => |p| index(p.geom1.index()),
        "pair_geom2" => |p| index(p.geom2.index()),
        "pair_margin" => |p| p.params.margin,
        "pair_gap" => |p| p.params.gap,
        "pair_adhesion" => |p| p.params.adhesion,
    );
    all!(json, list,
        "pair_friction" => |p| p.params.friction,
        "pair_solref" => |p| p.params.solref,
        "pair_solreffriction" => |p| p.params.solref_friction,
        "pair_solimp" => |p| p.params.solimp,
    );
    each!(json, model.excludes,
        "exclude_signature" => |e| index(e.body1.index() << 16 | e.body2.index()),
    );
    // the pairs that may touch, for comparison with MuJoCo's own filter
    all!(json, model.pairs, "collision pairs" => |p| [index(p.geom1.index()), index(p.geom2.index())]);
}

pub fn equalities(json: &mut Json, model: &Model) {
    let list = &model.equalities;
    names(json, "names/equality", list, |e| e.name.as_deref());
    let parts: Vec<_> = list.iter().map(|e| equality(&e.kind)).collect();
    each!(json, parts,
        "eq_type" => |p| p.0,
        "eq_obj1id" => |p| p.1,
        "eq_obj2id" => |p| p.2,
        "eq_objtype" => |p| p.3,
    );
    all!(json, parts, "eq_data" => |p| p.4);
    each!(json, list, "eq_active0" => |e| flag(e.active));
    all!(json, list,
        "eq_solref" => |e| e.solref,
        "eq_solimp" => |e| e.solimp,
    );
}

/// Type, first object, second object, kind of objects, data: as MuJoCo stores them.
pub fn equality(kind: &EqualityKind) -> (f64, f64, f64, f64, Vec<f64>) {
    const BODY: f64 = 1.0;
    const SITE: f64 = 6.0;
    let objects = |bodies: [BodyId; 2], sites: &Option<[SiteId; 2]>| match sites {
        Some(sites) => (index(sites[0].index()), index(sites[1].index()), SITE),
        None => (index(bodies[0].index()), index(bodies[1].index()), BODY),
    };
    let padded = |data: &[f64]| data.iter().copied().chain(std::iter::repeat(0.0)).take(11).collect();
    match kind {
        EqualityKind::Connect {
            body1,
            body2,
            anchors,
            sites,
        } => {
            let (first, second, of) = objects([*body1, *body2], sites);
            (0.0, first, second, of, padded(&anchors.concat()))
        }
        EqualityKind::Weld {
            body1,
            body2,
            data,
            sites,
        } => {
            let (first, second, of) = objects([*body1, *body2], sites);
            (1.0, first, second, of, data.to_vec())
        }
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => {
            let second = optional(joint2.map(JointId::index));
            (2.0, index(joint1.index()), second, 0.0, padded(polynomial))
        }
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => {
            let second = optional(tendon2.map(TendonId::index));
            (3.0, index(tendon1.index()), second, 0.0, padded(polynomial))
        }
    }
}

pub fn tendons(json: &mut Json, model: &Model) {
    let list = &model.tendons;
    names(json, "names/tendon", list, |t| t.name.as_deref());
    each!(json, list,
        "tendon_type" => |t| t.kind as u8 as f64,
        "tendon_num" => |t| index(t.path.len()),
        "tendon_limited" => |t| flag(t.limited),
        "tendon_actfrclimited" => |t| flag(t.actuator_force_limited),
        "tendon_group" => |t| t.group,
        "tendon_matid" => |t| optional(t.material.map(MaterialId::index)),
        "tendon_width" => |t| t.width,
        "tendon_margin" => |t| t.margin,
        "tendon_stiffness" => |t| t.stiffness,
        "tendon_springyield" => |t| t.spring_yield,
        "tendon_damping" => |t| t.damping,
        "tendon_armature" => |t| t.armature,
        "tendon_frictionloss" => |t| t.frictionloss,
        "tendon_length0" => |t| t.length0,
        "tendon_invweight0" => |t| t.invweight,
    );
    all!(json, list,
        "tendon_range" => |t| t.range,
        "tendon_actfrcrange" => |t| t.actuator_force_range,
        "tendon_solref_lim" => |t| t.solref_limit,
        "tendon_solimp_lim" => |t| t.solimp_limit,
        "tendon_solref_fri" => |t| t.solref_friction,
        "tendon_solimp_fri" => |t| t.solimp_friction,
        "tendon_stiffnesspoly" => |t| t.stiffness_poly,
        "tendon_dampingpoly" => |t| t.damping_poly,
        "tendon_lengthspring" => |t| t.spring_length,
        "tendon_rgba" => |t| t.rgba,
        "tendon_user" => |t| t.user,
    );
    json.numbers(
        "ten_J_colind",
        list.iter().flat_map(|t| t.dofs.iter().map(|dof| index(dof.index()))),
    );
    let wraps: Vec<_> = list.iter().flat_map(|t| &t.path).map(path_item).collect();
    each!(json, wraps,
        "wrap_type" => |w| w.0,
        "wrap_objid" => |w| w.1,
        "wrap_prm" => |w| w.2,
    );
}

pub fn path_item(item: &PathItem) -> (f64, f64, f64) {
    let side = |site: &Option<SiteId>| optional(site.map(SiteId::index));
    match item {
        PathItem::Joint(id, coefficient) => (1.0, index(id.index()), *coefficient),
        PathItem::Pulley(divisor) => (2.0, -1.0, *divisor),
        PathItem::Site(id) => (3.0, index(id.index()), 0.0),
        PathItem::Sphere(id, site) => (4.0, index(id.index()), side(site)),
        PathItem::Cylinder(id, site) => (5.0, index(id.index()), side(site)),
    }
}
