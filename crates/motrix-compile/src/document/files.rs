//! The only door to the file system.
//!
//! Model text and assets are read through [`Files`], so that a model can come from disk ([`DiskFiles`]), from memory
//! ([`MemoryFiles`]) or from anything a caller provides.
//!
//! **Paths that leave the model's folder** (`../meshes/foot.stl`, absolute paths) are allowed for files on disk: robot
//! descriptions share mesh folders, and MuJoCo reads them. What is bounded is the size of each file. A service that
//! loads models of strangers passes its own `Files` that refuses what it does not serve.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Why a file could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is no such file.
    NotFound,
    /// The file is larger than the reader accepts, in bytes.
    TooLarge {
        /// The largest size accepted.
        limit: u64,
    },
    /// The file exists but cannot be read; the text says why.
    Unreadable(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotFound => f.write_str("no such file"),
            FileError::TooLarge { limit } => write!(f, "larger than {} MB", limit >> 20),
            FileError::Unreadable(why) => f.write_str(why),
        }
    }
}

/// A place to read files from. Paths use `/`, and are relative to whatever the implementation calls its root.
pub trait Files: Send + Sync {
    /// The whole content of the file at `path`.
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError>;

    /// Whether there is a file at `path`.
    fn exists(&self, path: &str) -> bool;

    /// The folder of the ROS package `name`, if it is known; URDF files name packages in paths.
    fn package(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
}

/// The file system.
#[derive(Clone, Debug)]
pub struct DiskFiles {
    /// The largest file that is read, in bytes.
    pub limit: u64,
}

impl Default for DiskFiles {
    /// Files up to 1 GiB: more than any mesh or height field in use, less than the memory of a small machine.
    fn default() -> Self {
        Self { limit: 1 << 30 }
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        let file = File::open(path).map_err(describe)?;
        let metadata = file.metadata().map_err(describe)?;
        if !metadata.is_file() {
            return Err(FileError::Unreadable("not a file".to_owned()));
        }
        // The length in the metadata may lie (or grow), so the read itself is bounded as well.
        let too_large = FileError::TooLarge { limit: self.limit };
        if metadata.len() > self.limit {
            return Err(too_large);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.take(self.limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(describe)?;
        if bytes.len() as u64 > self.limit {
            Err(too_large)
        } else {
            Ok(bytes.into())
        }
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }
}

fn describe(error: std::io::Error) -> FileError {
    match error.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound,
        _ => FileError::Unreadable(error.to_string()),
    }
}

/// Files held in memory, for tests and for models given as text.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    files: HashMap<String, Arc<[u8]>>,
}

impl MemoryFiles {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds (or replaces) a file.
    pub fn insert(&mut self, path: &str, content: impl Into<Vec<u8>>) -> &mut Self {
        self.files.insert(reduce(path), content.into().into());
        self
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        self.files.get(&reduce(path)).cloned().ok_or(FileError::NotFound)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(&reduce(path))
    }
}

/// `directory/path`, unless `path` is absolute. Backslashes count as separators, as in MuJoCo.
pub fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() || is_absolute(path) {
        return reduce(path);
    }
    reduce(&format!("{directory}/{path}"))
}

/// The directory part of `path`, without the final separator; empty when there is none.
pub fn directory_of(path: &str) -> String {
    let path = reduce(path);
    match path.rfind('/') {
        Some(0) => "/".to_owned(),
        Some(end) => path[..end].to_owned(),
        None => String::new(),
    }
}

/// The file name of `path` without its directories.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether `path` starts at a root: `/...`, `\...` or `C:\...`.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.contains(":/") || path.contains(":\\")
}

/// The path with `/` as separator and without `.`, empty and resolvable `..` steps.
pub fn reduce(path: &str) -> String {
    let absolute = path.starts_with(['/', '\\']);
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if absolute => {}
            step => steps.push(step),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_as_in_a_shell() {
        assert_eq!(join("models/go1", "../meshes/foot.stl"), "models/meshes/foot.stl");
        assert_eq!(join("models", "/abs/foot.stl"), "/abs/foot.stl");
        assert_eq!(join("", "a/./b//c"), "a/b/c");
        assert_eq!(join("..", "../x"), "../../x");
        assert_eq!(join("models", "sub\\foot.stl"), "models/sub/foot.stl");
        assert_eq!(reduce("/../a"), "/a");
    }

    #[test]
    fn a_path_splits_into_directory_and_name() {
        assert_eq!(directory_of("models/go1/scene.xml"), "models/go1");
        assert_eq!(directory_of("scene.xml"), "");
        assert_eq!(directory_of("/scene.xml"), "/");
        assert_eq!(file_name("a\\b/c.obj"), "c.obj");
    }

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let path = std::env::temp_dir().join(format!("motrix-files-{}", std::process::id()));
        std::fs::write(&path, [0u8; 64]).unwrap();
        let shown = path.to_str().unwrap();
        assert_eq!(
            DiskFiles { limit: 63 }.read(shown),
            Err(FileError::TooLarge { limit: 63 })
        );
        assert_eq!(DiskFiles { limit: 64 }.read(shown).map(|bytes| bytes.len()), Ok(64));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(DiskFiles::default().read(shown), Err(FileError::NotFound));
        assert!(matches!(DiskFiles::default().read("/"), Err(FileError::Unreadable(_))));
    }
}
