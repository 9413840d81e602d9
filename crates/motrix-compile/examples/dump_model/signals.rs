//! Actuators, sensors and keyframes.

use motrix_model::*;

use crate::json::*;

pub fn actuators(json: &mut Json, model: &Model) {
    let list = &model.actuators;
    names(json, "names/actuator", list, |a| a.name.as_deref());
    let targets: Vec<_> = list.iter().map(|a| transmission(&a.transmission)).collect();
    each!(json, targets,
        "actuator_trntype" => |t| t.0,
        "actuator_cranklength" => |t| t.3,
    );
    all!(json, targets, "actuator_trnid" => |t| [t.1, t.2]);
    each!(json, list,
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
    all!(json, list,
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
pub fn outputs(a: &Actuator) -> impl Iterator<Item = OutputConstants> {
    let first = OutputConstants {
        acc0: a.acc0,
        length0: a.length0,
        length_range: a.length_range,
    };
    std::iter::once(first).chain(a.further_outputs.iter().copied())
}

/// MuJoCo's number for the gain.
pub fn gain_code(gain: GainKind) -> f64 {
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

pub fn history(history: Option<History>) -> [f64; 2] {
    history.map_or([0.0; 2], |h| [index(h.samples), h.interpolation as u8 as f64])
}

/// Type, ids and crank length as MuJoCo stores them.
pub fn transmission(transmission: &Transmission) -> (f64, f64, f64, f64) {
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

pub fn sensors(json: &mut Json, model: &Model) {
    let list = &model.sensors;
    names(json, "names/sensor", list, |s| s.name.as_deref());
    json.strings(
        "sensor kind",
        list.iter()
            .map(|s| format!("{:?}", s.kind))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
    );
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
    each!(json, list,
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
    all!(json, list,
        "sensor_history" => |s| history(s.history),
        "sensor_interval" => |s| s.interval,
        "sensor_user" => |s| s.user,
    );
}

pub fn keyframes(json: &mut Json, model: &Model) {
    let list = &model.keyframes;
    names(json, "names/key", list, |k| k.name.as_deref());
    each!(json, list, "key_time" => |k| k.time.unwrap_or(0.0));
    let given = |part: &Option<Vec<f64>>| part.clone().unwrap_or_else(|| vec![f64::MAX]);
    all!(json, list,
        "key_qpos" => |k| given(&k.qpos),
        "key_qvel" => |k| given(&k.qvel),
        "key_act" => |k| given(&k.act),
        "key_ctrl" => |k| given(&k.ctrl),
        "key_mpos" => |k| given(&k.mocap_position),
        "key_mquat" => |k| given(&k.mocap_orientation),
    );
}
