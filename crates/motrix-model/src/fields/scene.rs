//! Sites, cameras and lights.

use super::tree::data_id;
use super::{Entry, each, flag, index, optional, rows, wide, wide_rows};
use crate::{BodyId, MaterialId, TextureId};

pub(super) const SITES: &[Entry] = &[
    ("site_type", |m| each(&m.sites, |s| f64::from(s.kind.code()))),
    ("site_dataid", |m| each(&m.sites, |s| data_id(s.kind))),
    ("site_bodyid", |m| each(&m.sites, |s| index(s.body.index()))),
    ("site_pos", |m| rows(&m.sites, |s| s.position)),
    ("site_quat", |m| rows(&m.sites, |s| s.orientation)),
    ("site_size", |m| rows(&m.sites, |s| s.size)),
    ("site_group", |m| each(&m.sites, |s| f64::from(s.group))),
    ("site_matid", |m| {
        each(&m.sites, |s| optional(s.material.map(MaterialId::index)))
    }),
    ("site_rgba", |m| rows(&m.sites, |s| wide(s.rgba))),
    ("site_user", |m| wide_rows(&m.sites, |s| &s.user)),
];

pub(super) const CAMERAS: &[Entry] = &[
    ("cam_mode", |m| each(&m.cameras, |c| f64::from(c.mode as u8))),
    ("cam_bodyid", |m| each(&m.cameras, |c| index(c.body.index()))),
    ("cam_targetbodyid", |m| {
        each(&m.cameras, |c| optional(c.target.map(BodyId::index)))
    }),
    ("cam_pos", |m| rows(&m.cameras, |c| c.position)),
    ("cam_quat", |m| rows(&m.cameras, |c| c.orientation)),
    ("cam_poscom0", |m| rows(&m.cameras, |c| c.offset_from_com0)),
    ("cam_pos0", |m| rows(&m.cameras, |c| c.offset_from_body0)),
    ("cam_mat0", |m| rows(&m.cameras, |c| c.rotation0)),
    ("cam_projection", |m| each(&m.cameras, |c| flag(c.orthographic))),
    ("cam_fovy", |m| each(&m.cameras, |c| c.fovy)),
    ("cam_ipd", |m| each(&m.cameras, |c| c.ipd)),
    ("cam_resolution", |m| rows(&m.cameras, |c| c.resolution.map(f64::from))),
    ("cam_output", |m| each(&m.cameras, |c| f64::from(c.output))),
    ("cam_sensorsize", |m| rows(&m.cameras, |c| wide(c.sensor_size))),
    ("cam_intrinsic", |m| rows(&m.cameras, |c| wide(c.intrinsic))),
    ("cam_user", |m| wide_rows(&m.cameras, |c| &c.user)),
];

pub(super) const LIGHTS: &[Entry] = &[
    ("light_mode", |m| each(&m.lights, |l| f64::from(l.mode as u8))),
    ("light_bodyid", |m| each(&m.lights, |l| index(l.body.index()))),
    ("light_targetbodyid", |m| {
        each(&m.lights, |l| optional(l.target.map(BodyId::index)))
    }),
    ("light_type", |m| each(&m.lights, |l| f64::from(l.kind as u8))),
    ("light_texid", |m| {
        each(&m.lights, |l| optional(l.texture.map(TextureId::index)))
    }),
    ("light_castshadow", |m| each(&m.lights, |l| flag(l.cast_shadow))),
    ("light_active", |m| each(&m.lights, |l| flag(l.active))),
    ("light_pos", |m| rows(&m.lights, |l| l.position)),
    ("light_dir", |m| rows(&m.lights, |l| l.direction)),
    ("light_poscom0", |m| rows(&m.lights, |l| l.offset_from_com0)),
    ("light_pos0", |m| rows(&m.lights, |l| l.offset_from_body0)),
    ("light_dir0", |m| rows(&m.lights, |l| l.direction0)),
    ("light_bulbradius", |m| each(&m.lights, |l| f64::from(l.bulb_radius))),
    ("light_intensity", |m| each(&m.lights, |l| f64::from(l.intensity))),
    ("light_range", |m| each(&m.lights, |l| f64::from(l.range))),
    ("light_softness", |m| each(&m.lights, |l| f64::from(l.softness))),
    ("light_attenuation", |m| rows(&m.lights, |l| wide(l.attenuation))),
    ("light_cutoff", |m| each(&m.lights, |l| f64::from(l.cutoff))),
    ("light_exponent", |m| each(&m.lights, |l| f64::from(l.exponent))),
    ("light_ambient", |m| rows(&m.lights, |l| wide(l.ambient))),
    ("light_diffuse", |m| rows(&m.lights, |l| wide(l.diffuse))),
    ("light_specular", |m| rows(&m.lights, |l| wide(l.specular))),
];
