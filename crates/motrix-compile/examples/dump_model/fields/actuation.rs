//! Contacts, equalities, tendons, actuators and sensors.

use motrix_model::*;

use super::{Fields, all, each, flag, index, optional};

pub(super) fn contacts(fields: &mut Fields, model: &Model) {
    let list = &model.explicit_pairs;
    fields.names("names/pair", list, |p| p.name.as_deref());
    each!(fields, list,
        "pair_dim" => |p| p.params.dim,
        "pair_geom1" => |p| index(p.geom1.index()),
        "pair_geom2" => |p| index(p.geom2.index()),
        "pair_margin" => |p| p.params.margin,
        "pair_gap" => |p| p.params.gap,
        "pair_adhesion" => |p| p.params.adhesion,
    );
    all!(fields, list,
        "pair_friction" => |p| p.params.friction,
        "pair_solref" => |p| p.params.solref,
        "pair_solreffriction" => |p| p.params.solref_friction,
        "pair_solimp" => |p| p.params.solimp,
    );
    each!(fields, model.excludes,
        "exclude_signature" => |e| index(e.body1.index() << 16 | e.body2.index()),
    );
    // the pairs that may touch, for comparison with MuJoCo's own filter
    all!(fields, model.pairs, "collision pairs" => |p| [index(p.geom1.index()), index(p.geom2.index())]);
}

pub(super) fn equalities(fields: &mut Fields, model: &Model) {
    let list = &model.equalities;
    fields.names("names/equality", list, |e| e.name.as_deref());
    let parts: Vec<_> = list.iter().map(|e| equality(&e.kind)).collect();
    each!(fields, parts,
        "eq_type" => |p| p.0,
        "eq_obj1id" => |p| p.1,
        "eq_obj2id" => |p| p.2,
        "eq_objtype" => |p| p.3,
    );
    all!(fields, parts, "eq_data" => |p| p.4);
    each!(fields, list, "eq_active0" => |e| flag(e.active));
    all!(fields, list,
        "eq_solref" => |e| e.solref,
        "eq_solimp" => |e| e.solimp,
    );
}

/// Type, first object, second object, kind of objects, data: as MuJoCo stores them.
fn equality(kind: &EqualityKind) -> (f64, f64, f64, f64, Vec<f64>) {
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

pub(super) fn tendons(fields: &mut Fields, model: &Model) {
    let list = &model.tendons;
    fields.names("names/tendon", list, |t| t.name.as_deref());
    each!(fields, list,
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
    all!(fields, list,
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
    fields.numbers(
        "ten_J_colind",
        list.iter().flat_map(|t| t.dofs.iter().map(|dof| index(dof.index()))),
    );
    let wraps: Vec<_> = list.iter().flat_map(|t| &t.path).map(path_item).collect();
    each!(fields, wraps,
        "wrap_type" => |w| w.0,
        "wrap_objid" => |w| w.1,
        "wrap_prm" => |w| w.2,
    );
}

fn path_item(item: &PathItem) -> (f64, f64, f64) {
    let side = |site: &Option<SiteId>| optional(site.map(SiteId::index));
    match item {
        PathItem::Joint(id, coefficient) => (1.0, index(id.index()), *coefficient),
        PathItem::Pulley(divisor) => (2.0, -1.0, *divisor),
        PathItem::Site(id) => (3.0, index(id.index()), 0.0),
        PathItem::Sphere(id, site) => (4.0, index(id.index()), side(site)),
        PathItem::Cylinder(id, site) => (5.0, index(id.index()), side(site)),
    }
}

pub(super) fn actuators(fields: &mut Fields, model: &Model) {
    let list = &model.actuators;
    fields.names("names/actuator", list, |a| a.name.as_deref());
    let targets: Vec<_> = list.iter().map(|a| transmission(&a.transmission)).collect();
    each!(fields, targets,
        "actuator_trntype" => |t| t.0,
        "actuator_cranklength" => |t| t.3,
    );
    all!(fields, targets, "actuator_trnid" => |t| [t.1, t.2]);
    each!(fields, list,
        "actuator_dyntype" => |a| a.dynamics as u8 as f64,
        "actuator_gaintype" => |a| gain_code(a.gain),
        "actuator_biastype" => |a| a.bias as u8 as f64,
        "actuator_ctrladr" => |a| index(a.first_control),
        "actuator_ctrlnum" => |a| index(a.control_count),
        "actuator_ctrlspec" => |a| a.control_inputs,
        "actuator_actadr" => |a| optional(a.first_activation),
        "actuator_actnum" => |a| index(a.activation_count),
        "actuator_forcelimited" => |a| flag(a.force_limited),
        "actuator_actlimited" => |a| flag(a.activation_limited),
        "actuator_actearly" => |a| flag(a.activation_early),
        "actuator_damping" => |a| a.damping,
        "actuator_armature" => |a| a.armature,
        "actuator_group" => |a| a.group,
        "actuator_delay" => |a| a.delay,
    );
    all!(fields, list,
        "actuator_dynprm" => |a| a.dynamics_params,
        "actuator_gainprm" => |a| a.gain_params,
        "actuator_biasprm" => |a| a.bias_params,
        "actuator_ctrllimited" => |a| a.controls.iter().map(|c| flag(c.limited)).collect::<Vec<_>>(),
        "actuator_ctrlrange" => |a| a.controls.iter().flat_map(|c| c.range).collect::<Vec<_>>(),
        "actuator_forcerange" => |a| a.force_range,
        "actuator_actrange" => |a| a.activation_range,
        "actuator_acc0" => |a| outputs(a).map(|o| o.acc0).collect::<Vec<_>>(),
        "actuator_length0" => |a| outputs(a).map(|o| o.length0).collect::<Vec<_>>(),
        "actuator_lengthrange" => |a| outputs(a).flat_map(|o| o.length_range).collect::<Vec<_>>(),
        "actuator_gear" => |a| outputs(a).flat_map(|_| a.gear).collect::<Vec<_>>(),
        "actuator_dampingpoly" => |a| a.damping_poly,
        "actuator_history" => |a| history(a.history),
        "actuator_user" => |a| a.user,
    );
}

/// The constants of all outputs of an actuator.
fn outputs(a: &Actuator) -> impl Iterator<Item = OutputConstants> {
    let first = OutputConstants {
        acc0: a.acc0,
        length0: a.length0,
        length_range: a.length_range,
    };
    std::iter::once(first).chain(a.further_outputs.iter().copied())
}

/// MuJoCo's number for the gain.
fn gain_code(gain: GainKind) -> f64 {
    match gain {
        GainKind::Fixed => 0.0,
        GainKind::Affine => 1.0,
        GainKind::Muscle => 2.0,
        GainKind::DcMotor => 3.0,
        GainKind::Orientation => 4.0,
        GainKind::Pid => 5.0,
        GainKind::User => 6.0,
    }
}

fn history(history: Option<History>) -> [f64; 2] {
    history.map_or([0.0; 2], |h| [index(h.samples), h.interpolation as u8 as f64])
}

/// Type, ids and crank length as MuJoCo stores them.
fn transmission(transmission: &Transmission) -> (f64, f64, f64, f64) {
    match transmission {
        Transmission::Joint(id) => (0.0, index(id.index()), -1.0, 0.0),
        Transmission::JointInParent(id) => (1.0, index(id.index()), -1.0, 0.0),
        Transmission::SliderCrank { crank, slider, length } => {
            (2.0, index(crank.index()), index(slider.index()), *length)
        }
        Transmission::Tendon(id) => (3.0, index(id.index()), -1.0, 0.0),
        Transmission::Site(id, reference) => (4.0, index(id.index()), optional(reference.map(SiteId::index)), 0.0),
        Transmission::Body(id) => (5.0, index(id.index()), -1.0, 0.0),
        Transmission::BallOrientation(id) => (6.0, index(id.index()), -1.0, 0.0),
        Transmission::SiteOrientation(id, reference) => (6.0, index(id.index()), index(reference.index()), 0.0),
    }
}

pub(super) fn sensors(fields: &mut Fields, model: &Model) {
    let list = &model.sensors;
    fields.names("names/sensor", list, |s| s.name.as_deref());
    each!(fields, list, "sensor_type" => |s| sensor_code(&s.kind));
    all!(fields, list, "sensor_intprm" => |s| sensor_params(&s.kind));
    let object = |o: Option<Object>| match o {
        None => [0.0, -1.0],
        Some(Object::Body(id)) => [1.0, index(id.index())],
        Some(Object::XBody(id)) => [2.0, index(id.index())],
        Some(Object::Joint(id)) => [3.0, index(id.index())],
        Some(Object::Geom(id)) => [5.0, index(id.index())],
        Some(Object::Site(id)) => [6.0, index(id.index())],
        Some(Object::Camera(id)) => [7.0, index(id.index())],
        Some(Object::Tendon(id)) => [18.0, index(id.index())],
        Some(Object::Actuator(id)) => [19.0, index(id.index())],
        Some(Object::Mesh(id)) => [10.0, index(id.index())],
    };
    each!(fields, list,
        "sensor_objtype" => |s| object(s.object)[0],
        "sensor_objid" => |s| object(s.object)[1],
        "sensor_reftype" => |s| object(s.reference)[0],
        "sensor_refid" => |s| object(s.reference)[1],
        "sensor_datatype" => |s| s.data as u8 as f64,
        "sensor_needstage" => |s| s.stage as u8 as f64 + 1.0,
        "sensor_dim" => |s| index(s.dim),
        "sensor_adr" => |s| index(s.first),
        "sensor_cutoff" => |s| s.cutoff,
        "sensor_noise" => |s| s.noise,
        "sensor_delay" => |s| s.delay,
    );
    all!(fields, list,
        "sensor_history" => |s| history(s.history),
        "sensor_interval" => |s| s.interval,
        "sensor_user" => |s| s.user,
    );
}

/// MuJoCo's number for a sensor (`mjtSensor`).
fn sensor_code(kind: &SensorKind) -> f64 {
    use SensorKind::*;
    let code = match kind {
        Touch => 0,
        Accelerometer => 1,
        Velocimeter => 2,
        Gyro => 3,
        Force => 4,
        Torque => 5,
        Magnetometer => 6,
        Rangefinder { .. } => 7,
        CamProjection => 8,
        JointPos => 9,
        JointVel => 10,
        TendonPos => 11,
        TendonVel => 12,
        ActuatorPos => 13,
        ActuatorVel => 14,
        ActuatorFrc => 15,
        JointActFrc => 16,
        TendonActFrc => 17,
        BallQuat => 18,
        BallAngVel => 19,
        JointLimitPos => 20,
        JointLimitVel => 21,
        JointLimitFrc => 22,
        TendonLimitPos => 23,
        TendonLimitVel => 24,
        TendonLimitFrc => 25,
        FramePos => 26,
        FrameQuat => 27,
        FrameXAxis => 28,
        FrameYAxis => 29,
        FrameZAxis => 30,
        FrameLinVel => 31,
        FrameAngVel => 32,
        FrameLinAcc => 33,
        FrameAngAcc => 34,
        SubtreeCom => 35,
        SubtreeLinVel => 36,
        SubtreeAngMom => 37,
        InsideSite { .. } => 38,
        GeomDist => 39,
        GeomNormal => 40,
        GeomFromTo => 41,
        Contact { .. } => 42,
        PotentialEnergy => 43,
        KineticEnergy => 44,
        Clock => 45,
        Tactile => 46,
        User => 48,
    };
    f64::from(code)
}

/// What MuJoCo keeps in `sensor_intprm`.
fn sensor_params(kind: &SensorKind) -> [f64; 3] {
    match kind {
        SensorKind::Rangefinder { fields } => [f64::from(*fields), 0.0, 0.0],
        SensorKind::Contact { fields, reduce, num } => [f64::from(*fields), f64::from(*reduce), index(*num)],
        SensorKind::InsideSite { enclosed } => [flag(*enclosed), 0.0, 0.0],
        _ => [0.0; 3],
    }
}
