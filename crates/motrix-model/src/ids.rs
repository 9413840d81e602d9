//! Typed indices: a [`BodyId`] cannot be mistaken for a [`GeomId`].

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of the `index`-th object of its kind.
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
            /// Position in the model's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A body; 0 is the world.
    BodyId,
    /// A joint.
    JointId,
    /// A degree of freedom: an index into `qvel`.
    DofId,
    /// A geom.
    GeomId,
    /// A site.
    SiteId,
    /// A camera.
    CameraId,
    /// A light.
    LightId,
    /// A mesh asset.
    MeshId,
    /// A height field asset.
    HFieldId,
    /// A texture asset.
    TextureId,
    /// A material asset.
    MaterialId,
    /// An equality constraint.
    EqualityId,
    /// A tendon.
    TendonId,
    /// An actuator.
    ActuatorId,
    /// A sensor.
    SensorId,
}

impl BodyId {
    /// The world, to which everything static belongs.
    pub const WORLD: Self = Self::new(0);
}
