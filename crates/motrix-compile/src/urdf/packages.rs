//! Paths into ROS packages: `package://robot_description/meshes/foot.stl` to a file.
//!
//! A package's folder is told by the caller ([`WithPackages`]) or found by looking for `robot_description/meshes/foot.stl` in
//! the folder of the URDF file and in those above it, then for `meshes/foot.stl` alone: checkouts are often renamed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::document::files::{FileError, Files, is_absolute, join};

/// Folders above the URDF file that are looked into.
const MOST_STEPS_UP: usize = 16;

/// Files of which some are in packages whose folders are known.
pub struct WithPackages {
    files: Arc<dyn Files>,
    folders: BTreeMap<String, String>,
}

impl WithPackages {
    /// Reads from `files`; `folders` says where packages are, by name.
    pub fn new(files: Arc<dyn Files>, folders: BTreeMap<String, String>) -> Self {
        Self { files, folders }
    }
}

impl Files for WithPackages {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        self.files.read(path)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn package(&self, name: &str) -> Option<String> {
        self.folders.get(name).cloned().or_else(|| self.files.package(name))
    }
}

/// A path into a package that was not found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unresolved {
    /// What to say.
    pub(super) message: String,
    /// The path without its scheme, to go on with.
    pub(super) path: String,
}

/// The file that `filename` in a URDF file in `directory` means, as a path that MJCF understands there: absolute or relative to
/// the directory.
pub(super) fn resolve(filename: &str, directory: &str, files: &dyn Files) -> Result<String, Unresolved> {
    if let Some(path) = filename.strip_prefix("file://") {
        return Ok(path.to_owned());
    }
    let in_package = filename
        .strip_prefix("package://")
        .or_else(|| filename.strip_prefix("model://"));
    let Some(path) = in_package else {
        return Ok(filename.to_owned());
    };
    let (package, rest) = path.split_once('/').unwrap_or((path, ""));
    if let Some(folder) = files.package(package) {
        return Ok(from_here(&join(&folder, rest), directory));
    }
    for wanted in [path, rest] {
        for up in (0..MOST_STEPS_UP).map(|steps| "../".repeat(steps)) {
            let candidate = format!("{up}{wanted}");
            if files.exists(&join(directory, &candidate)) {
                return Ok(candidate);
            }
        }
    }
    let here = if directory.is_empty() {
        "the current folder"
    } else {
        directory
    };
    Err(Unresolved {
        message: format!("there is no {path} in {here} or above; tell where the package {package} is"),
        path: path.to_owned(),
    })
}

/// A path that is relative to where the program runs, relative to `directory` instead.
fn from_here(path: &str, directory: &str) -> String {
    let leads_out = directory.split('/').any(|step| step == "..");
    if is_absolute(path) || directory.is_empty() || is_absolute(directory) || leads_out {
        return path.to_owned();
    }
    let steps = directory.split('/').filter(|step| !step.is_empty()).count();
    format!("{}{path}", "../".repeat(steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::files::MemoryFiles;

    fn files(paths: &[&str]) -> MemoryFiles {
        let mut files = MemoryFiles::new();
        for path in paths {
            files.insert(path, "");
        }
        files
    }

    #[test]
    fn packages_are_found_beside_and_above_the_file() {
        let here = files(&["ws/src/arm/meshes/a.stl", "ws/src/arm/urdf/arm.urdf"]);
        let resolved = resolve("package://arm/meshes/a.stl", "ws/src/arm/urdf", &here);
        assert_eq!(resolved.as_deref(), Ok("../../arm/meshes/a.stl"));
        assert_eq!(
            join("ws/src/arm/urdf", "../../arm/meshes/a.stl"),
            "ws/src/arm/meshes/a.stl"
        );
        assert_eq!(
            resolve("package://other/x.stl", "ws", &files(&["ws/other/x.stl"])).as_deref(),
            Ok("other/x.stl")
        );
    }

    #[test]
    fn a_package_in_a_renamed_folder_is_found_by_what_is_inside() {
        let renamed = files(&["arm-main/meshes/a.stl"]);
        assert_eq!(
            resolve("package://arm/meshes/a.stl", "arm-main/urdf", &renamed).as_deref(),
            Ok("../meshes/a.stl")
        );
    }

    #[test]
    fn a_folder_that_is_told_wins() {
        let folders = BTreeMap::from([
            ("arm".to_owned(), "/opt/arm".to_owned()),
            ("hand".to_owned(), "lib/hand".to_owned()),
        ]);
        let told = WithPackages::new(Arc::new(files(&["arm/a.stl"])), folders);
        assert_eq!(
            resolve("package://arm/a.stl", "", &told).as_deref(),
            Ok("/opt/arm/a.stl")
        );
        let relative = resolve("package://hand/a.stl", "robots/urdf", &told).unwrap();
        assert_eq!(join("robots/urdf", &relative), "lib/hand/a.stl");
    }

    #[test]
    fn other_paths_stay_as_they_are() {
        let none = MemoryFiles::new();
        assert_eq!(
            resolve("../meshes/a.stl", "urdf", &none).as_deref(),
            Ok("../meshes/a.stl")
        );
        assert_eq!(resolve("file:///opt/a.stl", "urdf", &none).as_deref(), Ok("/opt/a.stl"));
        let missing = resolve("package://arm/a.stl", "urdf", &none).unwrap_err();
        assert_eq!(
            missing.message,
            "there is no arm/a.stl in urdf or above; tell where the package arm is"
        );
    }
}
