//! Sites, cameras, lights and assets.

use motrix_model::*;

use super::tree::data_id;
use super::{Fields, all, each, flag, index, optional};

pub(super) fn sites_and_cameras(fields: &mut Fields, model: &Model) {
    let list = &model.sites;
    fields.names("names/site", list, |s| s.name.as_deref());
    each!(fields, list,
        "site_type" => |s| f64::from(s.kind.code()),
        "site_bodyid" => |s| index(s.body.index()),
        "site_dataid" => |s| data_id(s.kind),
        "site_matid" => |s| optional(s.material.map(MaterialId::index)),
        "site_group" => |s| s.group,
    );
    all!(fields, list,
        "site_size" => |s| s.size,
        "site_pos" => |s| s.position,
        "site_quat" => |s| s.orientation,
        "site_rgba" => |s| s.rgba,
        "site_user" => |s| s.user,
    );
    let list = &model.cameras;
    fields.names("names/camera", list, |c| c.name.as_deref());
    each!(fields, list,
        "cam_bodyid" => |c| index(c.body.index()),
        "cam_mode" => |c| c.mode as u8 as f64,
        "cam_targetbodyid" => |c| optional(c.target.map(BodyId::index)),
        "cam_projection" => |c| flag(c.orthographic),
        "cam_fovy" => |c| c.fovy,
        "cam_ipd" => |c| c.ipd,
        "cam_output" => |c| c.output,
    );
    all!(fields, list,
        "cam_pos" => |c| c.position,
        "cam_quat" => |c| c.orientation,
        "cam_poscom0" => |c| c.offset_from_com0,
        "cam_pos0" => |c| c.offset_from_body0,
        "cam_mat0" => |c| c.rotation0,
        "cam_resolution" => |c| c.resolution,
        "cam_sensorsize" => |c| c.sensor_size,
        "cam_intrinsic" => |c| c.intrinsic,
        "cam_user" => |c| c.user,
    );
}

pub(super) fn lights(fields: &mut Fields, model: &Model) {
    let list = &model.lights;
    fields.names("names/light", list, |l| l.name.as_deref());
    each!(fields, list,
        "light_bodyid" => |l| index(l.body.index()),
        "light_mode" => |l| l.mode as u8 as f64,
        "light_targetbodyid" => |l| optional(l.target.map(BodyId::index)),
        "light_type" => |l| l.kind as u8 as f64,
        "light_texid" => |l| optional(l.texture.map(TextureId::index)),
        "light_castshadow" => |l| flag(l.cast_shadow),
        "light_active" => |l| flag(l.active),
        "light_bulbradius" => |l| l.bulb_radius,
        "light_intensity" => |l| l.intensity,
        "light_range" => |l| l.range,
        "light_softness" => |l| l.softness,
        "light_cutoff" => |l| l.cutoff,
        "light_exponent" => |l| l.exponent,
    );
    all!(fields, list,
        "light_pos" => |l| l.position,
        "light_dir" => |l| l.direction,
        "light_poscom0" => |l| l.offset_from_com0,
        "light_pos0" => |l| l.offset_from_body0,
        "light_dir0" => |l| l.direction0,
        "light_attenuation" => |l| l.attenuation,
        "light_ambient" => |l| l.ambient,
        "light_diffuse" => |l| l.diffuse,
        "light_specular" => |l| l.specular,
    );
}

pub(super) fn assets(fields: &mut Fields, model: &Model) {
    let list = &model.meshes;
    fields.names("names/mesh", list, |m| Some(&m.name));
    each!(fields, list,
        "mesh_vertnum" => |m| index(m.vertices.len()),
        "mesh_facenum" => |m| index(m.faces.len()),
    );
    all!(fields, list,
        "mesh_pos" => |m| m.position,
        "mesh_quat" => |m| m.orientation,
        "mesh_scale" => |m| m.scale,
    );
    let list = &model.materials;
    fields.names("names/material", list, |m| Some(&m.name));
    each!(fields, list,
        "mat_texuniform" => |m| flag(m.texture_uniform),
        "mat_emission" => |m| m.emission,
        "mat_specular" => |m| m.specular,
        "mat_shininess" => |m| m.shininess,
        "mat_reflectance" => |m| m.reflectance,
        "mat_metallic" => |m| m.metallic,
        "mat_roughness" => |m| m.roughness,
    );
    all!(fields, list,
        "mat_texrepeat" => |m| m.texture_repeat,
        "mat_rgba" => |m| m.rgba,
    );
    let list = &model.textures;
    fields.names("names/texture", list, |t| Some(&t.name));
    each!(fields, list,
        "tex_type" => |t| t.kind as u8 as f64,
        "tex_width" => |t| index(t.width),
        "tex_height" => |t| index(t.height),
        "tex_nchannel" => |t| index(t.channels),
    );
    fields.names("names/hfield", &model.hfields, |h| Some(&h.name));
}
