//! MJCF text to a checked, expanded tree of elements.
//!
//! After [`read_file`] no `include`, `frame`, `replicate`, `attach` or `default` is left: files are read, copies are made and
//! named, classes are resolved. What remains are elements that answer questions about their *effective* attributes, and a
//! collector that remembers every problem with its place. A later stage reads like this:
//!
//! ```
//! use motrix_compile::document::{Limits, MemoryFiles, read_str};
//! use motrix_compile::problem::Problems;
//!
//! let text = r#"<mujoco>
//!   <default><geom friction="0.5 0.1"/></default>
//!   <worldbody><body name="ball"><geom size="0.1" friction="2" mass="heavy"/></body></worldbody>
//! </mujoco>"#;
//! let mut problems = Problems::new(true);
//! let document = read_str(text, "ball.xml", &MemoryFiles::new(), Limits::default(), &mut problems).unwrap();
//! for geom in document.world.children_named("body").flat_map(|body| body.children_named("geom")) {
//!     let size = geom.reals_over("size", [0.0; 3], &mut problems);
//!     let friction = geom.reals_over("friction", [1.0, 0.005, 0.0001], &mut problems);
//!     let mass = geom.real("mass", &mut problems).unwrap_or(1.0); // bad value: recorded once, then as if not given
//!     assert_eq!((size, friction, mass), ([0.1, 0.0, 0.0], [2.0, 0.1, 0.0001], 1.0));
//! }
//! let error = problems.finish().unwrap_err();
//! assert_eq!(error.to_string(), r#"ball.xml:3:62 <geom mass="heavy">: expected a number, found "heavy""#);
//! ```

mod attach;
mod class;
pub mod compiler;
mod conflict;
pub mod element;
mod expand;
pub mod files;
pub mod frame;
mod include;
mod keyframe;
pub mod limits;
mod load;
mod names;
pub mod orientation;
mod outer;
pub mod pose;
mod read;
mod rename;
mod replicate;
mod sections;
mod settings;
pub(crate) mod value;
pub(crate) mod xml;

pub(crate) use class::Layer;
pub use compiler::{AUTO, AssetKind, Auto, Compiler};
pub use element::{Attribute, Element};
pub use files::{DiskFiles, FileError, Files, MemoryFiles};
pub use frame::Frame;
pub use keyframe::{Keyframe, Layout};
pub use limits::Limits;
pub use load::{read_bytes, read_file, read_str};
pub use names::NameTable;
pub use outer::Outer;
pub use pose::Pose;
pub use sections::Document;
pub use settings::Settings;
pub use xml::root_tag;
