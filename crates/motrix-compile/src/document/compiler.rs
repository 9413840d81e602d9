//! `<compiler>`: how the rest of the file is to be read.

use std::sync::Arc;

use super::element::Element;
use super::files::{directory_of, file_name, join};
use super::orientation::EulerSequence;
use crate::problem::Problems;

/// A choice that can be left to the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auto {
    /// No.
    False,
    /// Yes.
    True,
    /// As the other attributes suggest.
    Auto,
}

/// Words of [`Auto`], for [`Element::keyword`].
pub const AUTO: &[(&str, Auto)] = &[("false", Auto::False), ("true", Auto::True), ("auto", Auto::Auto)];

/// What to do when an attached model and the one it is attached to disagree about a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Keep the parent's value and say so.
    Warning,
    /// Take what both can live with.
    Merge,
    /// Refuse.
    Error,
}

/// The settings of `<compiler>`, with MuJoCo's defaults.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Compiler {
    /// A range alone makes something limited.
    pub autolimits: bool,
    /// Least mass of a moving body, kg.
    pub boundmass: f64,
    /// Least diagonal inertia of a moving body, kg m².
    pub boundinertia: f64,
    /// Total mass to scale to, kg; `None` keeps masses.
    pub settotalmass: Option<f64>,
    /// Repair inertias that violate A + B >= C.
    pub balanceinertia: bool,
    /// Drop directories from asset paths.
    pub strippath: bool,
    /// Angles in the file are degrees.
    pub degrees: bool,
    /// Fit primitives to the bounding box of a mesh rather than to its inertia box.
    pub fitaabb: bool,
    pub eulerseq: EulerSequence,
    pub meshdir: String,
    pub texturedir: String,
    pub discardvisual: bool,
    pub fusestatic: bool,
    pub inertiafromgeom: Auto,
    /// First and last geom group that counts for inertia.
    pub inertiagrouprange: [i32; 2],
    pub saveinertial: bool,
    /// Move the frame of free bodies to their inertial frame.
    pub alignfree: bool,
    pub conflict: Conflict,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            autolimits: true,
            boundmass: 0.0,
            boundinertia: 0.0,
            settotalmass: None,
            balanceinertia: false,
            strippath: false,
            degrees: true,
            fitaabb: false,
            eulerseq: EulerSequence::default(),
            meshdir: String::new(),
            texturedir: String::new(),
            discardvisual: false,
            fusestatic: false,
            inertiafromgeom: Auto::Auto,
            inertiagrouprange: [0, 5],
            saveinertial: false,
            alignfree: false,
            conflict: Conflict::Warning,
        }
    }
}

impl Compiler {
    /// Reads all `<compiler>` sections; what a later one says wins.
    pub(crate) fn read<'e>(sections: impl IntoIterator<Item = &'e Element>, problems: &mut Problems) -> Self {
        let mut compiler = Self::default();
        for section in sections {
            compiler.read_section(section, problems);
        }
        compiler
    }

    fn read_section(&mut self, section: &Element, problems: &mut Problems) {
        const ANGLE: &[(&str, bool)] = &[("radian", false), ("degree", true)];
        const CONFLICT: &[(&str, Conflict)] = &[
            ("warning", Conflict::Warning),
            ("merge", Conflict::Merge),
            ("error", Conflict::Error),
        ];

        if section.text("coordinate") == Some("global") {
            problems.push(section.problem_with(
                "coordinate",
                "global coordinates are not supported; MuJoCo 2.3.3 or older can convert the model",
            ));
        }
        let mut flag = |name: &str, field: &mut bool| *field = section.boolean(name, problems).unwrap_or(*field);
        flag("autolimits", &mut self.autolimits);
        flag("balanceinertia", &mut self.balanceinertia);
        flag("strippath", &mut self.strippath);
        flag("fitaabb", &mut self.fitaabb);
        flag("discardvisual", &mut self.discardvisual);
        flag("fusestatic", &mut self.fusestatic);
        flag("saveinertial", &mut self.saveinertial);
        flag("alignfree", &mut self.alignfree);

        let mut number = |name: &str, field: &mut f64| *field = section.real(name, problems).unwrap_or(*field);
        number("boundmass", &mut self.boundmass);
        number("boundinertia", &mut self.boundinertia);
        if let Some(mass) = section.real("settotalmass", problems) {
            self.settotalmass = (mass > 0.0).then_some(mass);
        }

        // assetdir stands for both directories, which may say otherwise themselves
        for (name, directory) in [("meshdir", &mut self.meshdir), ("texturedir", &mut self.texturedir)] {
            if let Some(path) = section.own(name).or_else(|| section.own("assetdir")) {
                *directory = path.value.as_ref().to_owned();
            }
        }

        self.degrees = section.keyword("angle", ANGLE, problems).unwrap_or(self.degrees);
        self.inertiafromgeom = section
            .keyword("inertiafromgeom", AUTO, problems)
            .unwrap_or(self.inertiafromgeom);
        self.conflict = section.keyword("conflict", CONFLICT, problems).unwrap_or(self.conflict);
        self.inertiagrouprange = section
            .ints("inertiagrouprange", problems)
            .unwrap_or(self.inertiagrouprange);
        if let Some(sequence) = section.text("eulerseq").and_then(EulerSequence::parse) {
            self.eulerseq = sequence;
        }
    }

    /// An angle of the file in radians.
    pub fn radians(&self, angle: f64) -> f64 {
        // In this order of operations, to the last bit as MuJoCo.
        if self.degrees {
            angle / 180.0 * std::f64::consts::PI
        } else {
            angle
        }
    }
}

/// Which directory of the compiler settings an asset is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetKind {
    /// Meshes, height fields and skins: `meshdir`.
    Mesh,
    /// Textures: `texturedir`.
    Texture,
    /// Everything else: beside the model.
    Model,
}

/// The model an element was written in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// Its `<compiler>` settings.
    pub compiler: Compiler,
    /// The directory of its main file.
    pub directory: String,
    /// Whether it was written as URDF, whose words messages then use.
    pub urdf: bool,
}

impl Origin {
    pub(crate) fn new(compiler: Compiler, main_file: &str, urdf: bool) -> Arc<Self> {
        Arc::new(Self {
            compiler,
            directory: directory_of(main_file),
            urdf,
        })
    }
}

impl Element {
    /// Where the file that attribute `name` mentions may be, best guess first: relative to the model's asset directory,
    /// then to the file in which the element stands. Empty if the attribute is not given.
    pub fn file_candidates(&self, name: &str, kind: AssetKind) -> Vec<String> {
        let Some(attribute) = self.own(name).filter(|attribute| !attribute.value.is_empty()) else {
            return Vec::new();
        };
        let Origin {
            compiler, directory, ..
        } = &*self.origin;
        let file = if compiler.strippath {
            file_name(&attribute.value)
        } else {
            &attribute.value
        };
        let asset_directory = match kind {
            AssetKind::Mesh => compiler.meshdir.as_str(),
            AssetKind::Texture => compiler.texturedir.as_str(),
            AssetKind::Model => "",
        };
        let beside = directory_of(&attribute.place.source.path);
        let mut candidates = vec![join(&join(directory, asset_directory), file)];
        for other in [join(&join(&beside, asset_directory), file), join(&beside, file)] {
            if !candidates.contains(&other) {
                candidates.push(other);
            }
        }
        candidates
    }

    /// The name of an asset: its own, or that of its file without directory and extension.
    pub fn asset_name(&self) -> Option<&str> {
        self.name().or_else(|| {
            let file = file_name(&self.own("file")?.value);
            let stem = file.rfind('.').map_or(file, |dot| &file[..dot]);
            (!stem.is_empty()).then_some(stem)
        })
    }
}
