//! Expanded elements to the compiled model.
//!
//! Stages, each of which reads what the one before has made:
//!
//! 1. [`settings`]: options that hold for the whole model;
//! 2. [`assets`]: meshes, height fields, materials;
//! 3. [`body`]: the tree of bodies as drafts, simplified by [`fuse`];
//! 4. [`numbering`]: the lists of the model, depth first;
//! 5. [`contact`], [`tendon`], [`equality`], [`actuator`], [`sensor`], [`custom`], [`keyframe`]: what refers to the tree by
//!    name;
//! 6. the pairs of geoms that may touch;
//! 7. [`constants`]: what follows from the reference configuration, and [`lengthrange`].
//!
//! Every stage records all problems it finds and goes on with the rest.

mod actuator;
mod assets;
mod body;
mod constants;
mod contact;
mod custom;
mod draft;
mod enclosable;
mod equality;
mod fluid;
mod fuse;
mod geom;
mod inertia;
mod joint;
mod keyframe;
mod lengthrange;
mod lidar;
mod limits;
mod mass;
mod material;
mod mechanics;
mod names;
mod numbering;
mod pose;
mod sensor;
mod settings;
mod site;
mod sleep;
mod tendon;
mod texture;
mod user;
mod viewpoint;

use motrix_model::{BodyId, MOST_BODY_PAIRS, MOST_PAIRS, Model, TextureId, TooManyPairs, collision_pairs};

use self::assets::Assets;
use self::body::BodyReader;
use self::fuse::Referenced;
use self::lengthrange::LengthRangeOptions;
use self::names::Names;
use self::numbering::Pending;
use self::settings::{GivenStatistic, UserSizes};
use self::tendon::TendonReader;
use crate::document::{Document, Files};
use crate::problem::{NoteKind, Problem, Problems};
use crate::schema::Namespace;

/// Builds the model that a document describes. It is only of use when no errors were recorded.
pub fn build(document: &Document, files: &dyn Files, problems: &mut Problems) -> Model {
    let users = settings::read_size(&document.settings.size, problems);
    let length_ranges = LengthRangeOptions::read(document.settings.compiler.child("lengthrange"), problems);
    let statistic = GivenStatistic::read(&document.settings.statistic, problems);
    let mut model = Model {
        name: document.name.as_deref().unwrap_or("MuJoCo Model").to_owned(),
        options: settings::read_option(&document.settings.option, problems),
        visual: settings::read_visual(&document.settings.visual, problems),
        ..Model::default()
    };
    if !document.settings.compiler.compiler().fusestatic
        && let Some(excess) = numbering::excess(&document.world)
    {
        problems.push(excess);
        return model;
    }
    let mut assets = Assets::compile(document, files, problems);
    let pending = build_tree(document, &mut assets, users, &mut model, problems);
    let mut names = Names::of_tree(&model);
    names.extend(assets.names());
    resolve_viewpoints(&pending, &names, &mut model, problems);
    build_tendons(document, &assets, users, &mut names, &mut model, problems);
    let lidars = assets.take_lidars();
    assets.store(&mut model);
    build_references(document, users, &lidars, &mut names, &mut model, problems);
    let places = keyframe::Places::new(&pending, &document.outer.actuators, &model);
    model.keyframes = keyframe::read(&document.keyframes, users.keyframes, &places, problems);
    note_unsupported(document, problems);
    equalize_users(&mut model, users, problems);
    mass::check(&pending, &model, problems);
    if problems.has_errors() {
        return model;
    }
    list_pairs(&mut model, problems);
    if problems.has_errors() {
        return model;
    }
    mass::scale_to_total(document.settings.compiler.compiler().settotalmass, &mut model);
    constants::fill(&mut model, &pending.wishes);
    lengthrange::find_length_ranges(&mut model, &length_ranges, problems);
    statistic.overrule(&mut model.statistic);
    sleep::set_policies(&mut model);
    model
}

/// The pairs of geoms that may touch, unless they are too many to be kept.
fn list_pairs(model: &mut Model, problems: &mut Problems) {
    let message = match collision_pairs(model) {
        Ok(lists) => {
            (model.pairs, model.pair_params) = lists;
            return;
        }
        Err(TooManyPairs::Geoms) => format!("more than {MOST_PAIRS} pairs of geoms could touch"),
        Err(TooManyPairs::Bodies) => format!("more than {MOST_BODY_PAIRS} pairs of bodies could touch"),
    };
    problems.push(Problem::of_model(format!(
        "{message}; set contype and conaffinity of those that never do"
    )));
}

/// Bodies with all that stands in them.
fn build_tree<'d>(
    document: &'d Document,
    assets: &mut Assets,
    users: UserSizes,
    model: &mut Model,
    problems: &mut Problems,
) -> Pending<'d> {
    let reader = BodyReader {
        assets,
        users,
        znear: model.visual.znear,
    };
    let mut world = reader.world(&document.world, problems);
    let compiler = document.settings.compiler.compiler();
    if compiler.fusestatic || compiler.discardvisual {
        let referenced = Referenced::of(document, &model.options);
        if compiler.fusestatic {
            fuse::fuse_static(&mut world, true, &referenced, problems);
        }
        if compiler.discardvisual {
            fuse::discard_visuals(&mut world, &referenced);
            assets.discard_meshes(&mut world, &referenced);
        }
    }
    body::check_free_joints(&world, problems);
    numbering::number(world, model, problems)
}

/// Targets of cameras and lights, and textures of lights.
fn resolve_viewpoints(pending: &Pending, names: &Names, model: &mut Model, problems: &mut Problems) {
    for (camera, element) in model.cameras.iter_mut().zip(&pending.cameras) {
        camera.target = names
            .find(element, "target", Namespace::Body, problems)
            .map(BodyId::new);
    }
    for (light, element) in model.lights.iter_mut().zip(&pending.lights) {
        light.target = names
            .find(element, "target", Namespace::Body, problems)
            .map(BodyId::new);
        light.texture = names
            .find(element, "texture", Namespace::Texture, problems)
            .map(TextureId::new);
    }
}

fn build_tendons(
    document: &Document,
    assets: &Assets,
    users: UserSizes,
    names: &mut Names,
    model: &mut Model,
    problems: &mut Problems,
) {
    let reader = TendonReader {
        names,
        model,
        assets,
        users: users.tendon,
    };
    let tendons = document
        .outer
        .tendons
        .iter()
        .filter_map(|element| reader.read(element, problems))
        .collect();
    model.tendons = tendons;
    names.add(
        Namespace::Tendon,
        model.tendons.iter().map(|tendon| tendon.name.as_deref()),
    );
}

/// Everything else that refers to the tree, in an order in which each list refers to those before it.
fn build_references(
    document: &Document,
    users: UserSizes,
    lidars: &[Option<lidar::Pattern>],
    names: &mut Names,
    model: &mut Model,
    problems: &mut Problems,
) {
    let outer = &document.outer;
    contact::read(&outer.contacts, names, model, problems);
    model.equalities = equality::read(&outer.equalities, names, model, problems);
    names.add(
        Namespace::Equality,
        model.equalities.iter().map(|equality| equality.name.as_deref()),
    );
    actuator::read(&outer.actuators, names, users.actuator, model, problems);
    names.add(
        Namespace::Actuator,
        model.actuators.iter().map(|actuator| actuator.name.as_deref()),
    );
    let sensors = sensor::Section {
        elements: &outer.sensors,
        lidars,
        users: users.sensor,
    };
    sensor::read(&sensors, names, model, problems);
    names.add(
        Namespace::Sensor,
        model.sensors.iter().map(|sensor| sensor.name.as_deref()),
    );
    model.custom = custom::read(&outer.customs, problems);
}

/// Deformable bodies, skins and plugins.
fn note_unsupported(document: &Document, problems: &mut Problems) {
    for element in &document.outer.deformables {
        let what = if element.tag() == "skin" {
            "skins"
        } else {
            "deformable bodies (flex)"
        };
        problems.push(element.problem(what).note(NoteKind::NotSupported));
    }
    for element in &document.extensions {
        problems.push(element.problem("plugins").note(NoteKind::NotSupported));
    }
}

/// Brings all user lists of one kind to the same length.
fn equalize_users(model: &mut Model, users: UserSizes, problems: &mut Problems) {
    user::equalize(model.bodies.iter_mut().map(|body| &mut body.user), users.body, problems);
    user::equalize(
        model.joints.iter_mut().map(|joint| &mut joint.user),
        users.joint,
        problems,
    );
    user::equalize(model.geoms.iter_mut().map(|geom| &mut geom.user), users.geom, problems);
    user::equalize(model.sites.iter_mut().map(|site| &mut site.user), users.site, problems);
    user::equalize(
        model.cameras.iter_mut().map(|camera| &mut camera.user),
        users.camera,
        problems,
    );
    user::equalize(
        model.tendons.iter_mut().map(|tendon| &mut tendon.user),
        users.tendon,
        problems,
    );
    user::equalize(
        model.actuators.iter_mut().map(|actuator| &mut actuator.user),
        users.actuator,
        problems,
    );
    user::equalize(
        model.sensors.iter_mut().map(|sensor| &mut sensor.user),
        users.sensor,
        problems,
    );
}
