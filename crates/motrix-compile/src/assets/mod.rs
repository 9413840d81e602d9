//! Asset files and inline asset data to what the model holds: meshes, height fields, textures.
//!
//! Everything here maps bytes and numbers to values and reads no file: the caller opens files, resolves attributes, and adds
//! the place in the document to an [`AssetError`]. The bytes are not trusted: whatever they are, the answer is an asset
//! or an error, and memory stays proportional to the input or to a limit named beside the check.
//!
//! | asset | from | to |
//! |---|---|---|
//! | [`mesh`] | OBJ, STL, MSH, inline numbers, built-in shapes | centred surface, mass properties, convex hull |
//! | [`height_field`] | PNG, MuJoCo's binary layout, inline numbers | [`motrix_collide::HeightField`] |
//! | [`texture`] | PNG, procedural patterns | bytes per pixel |

use std::fmt;

pub mod height_field;
pub mod mesh;
mod png;
pub mod texture;

/// What is wrong with the data of an asset, in a sentence for the author of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetError(String);

impl AssetError {
    /// The sentence itself.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AssetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AssetError {}

impl From<String> for AssetError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for AssetError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// The name of an asset that has a file but no name: the file's, without directories and extension.
pub fn name_from_file(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::name_from_file;

    #[test]
    fn names_are_file_names_without_directories_and_extension() {
        for (file, name) in [
            ("foot.stl", "foot"),
            ("a/b.c/left.foot.obj", "left.foot"),
            ("a\\foot", "foot"),
            ("", ""),
        ] {
            assert_eq!(name_from_file(file), name);
        }
    }
}
