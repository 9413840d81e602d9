//! URDF files through the whole compiler.

use std::collections::BTreeMap;
use std::sync::Arc;

use motrix_compile::document::MemoryFiles;
use motrix_compile::{LoadOptions, Loaded, WithPackages, load_file, load_str};
use proptest::prelude::*;

const PENDULUM: &str = r#"<?xml version="1.0"?>
<robot name="pendulum">
  <mujoco><option timestep="0.001"/></mujoco>
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://pendulum/meshes/rod.stl" scale="0.1 0.1 0.1"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="swing" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="7"/>
  </joint>
  <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="0 0 -1"/></joint>
  <transmission name="t"><hardwareInterface>EffortJointInterface</hardwareInterface></transmission>
  <gazebo reference="rod"><material>Gazebo/Red</material></gazebo>
</robot>"#;

/// A tetrahedron as text.
const ROD: &str = "solid rod
  facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet
  facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet
  facet normal 0 0 0 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet
  facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet
endsolid";

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::new();
    files.insert("robots/pendulum/urdf/pendulum.urdf", PENDULUM);
    files.insert("robots/pendulum/meshes/rod.stl", ROD);
    files
}

fn load(options: &LoadOptions) -> Loaded {
    load_file("robots/pendulum/urdf/pendulum.urdf", options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_urdf_file_loads_as_a_model() {
    let Loaded { model, .. } = load(&LoadOptions {
        files: Arc::new(files()),
        ..LoadOptions::default()
    });
    // Base and tip are fused: the base into the world, the tip into the rod.
    let bodies: Vec<Option<&str>> = model.bodies.iter().map(|body| body.name.as_deref()).collect();
    assert_eq!(bodies, [Some("world"), Some("rod")]);
    assert_eq!(model.meshes.len(), 1);
    assert_eq!(model.joints.len(), 1);
    assert_eq!(model.options.timestep, 0.001);
}

#[test]
fn packages_can_be_elsewhere() {
    let mut elsewhere = MemoryFiles::new();
    elsewhere.insert("robots/pendulum/urdf/pendulum.urdf", PENDULUM);
    elsewhere.insert("opt/ros/pendulum/meshes/rod.stl", ROD);
    let told = BTreeMap::from([("pendulum".to_owned(), "opt/ros/pendulum".to_owned())]);
    let files = WithPackages::new(Arc::new(elsewhere), told);
    load(&LoadOptions {
        files: Arc::new(files),
        ..LoadOptions::default()
    });
}

proptest! {
    #[test]
    fn damaged_urdf_never_panics(place in any::<prop::sample::Index>(), length in 0usize..40, insert in "[<>/a-z\"= 0-9.-]{0,12}") {
        let start = place.index(PENDULUM.len());
        let end = (start + length).min(PENDULUM.len());
        let text = format!("{}{insert}{}", &PENDULUM[..start], &PENDULUM[end..]);
        let _ = load_str(&text, &LoadOptions { files: Arc::new(files()), ..LoadOptions::default() });
    }
}
