//! `<frame>`: coordinate frames that are not bodies.
//!
//! Frames disappear while reading: what stood in them stands in the body, and remembers the chain of frames it came
//! through. [`Element::pose`] puts the chain and the element's own pose together.

use std::sync::Arc;

use super::element::Element;
use super::pose::{Pose, normalized};
use crate::problem::Problems;

/// A frame and those around it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The pose in the body, all outer frames included.
    pose: Pose,
    /// The pose in the next outer frame.
    local: Pose,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) outer: Option<Arc<Frame>>,
}

impl Frame {
    /// A frame with pose `local` in `outer`, or in the body if there is none.
    pub(crate) fn new(local: Pose, name: Option<Arc<str>>, outer: Option<Arc<Frame>>) -> Arc<Self> {
        let composed = outer.as_ref().map_or(local, |outer| outer.pose.compose(&local));
        let pose = Pose {
            pos: composed.pos,
            quat: normalized(composed.quat).0,
        };
        Arc::new(Self {
            pose,
            local,
            name,
            outer,
        })
    }

    /// The pose of the frame in its body.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The frame and those around it, innermost first.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(Some(self), |frame| frame.outer.as_deref())
    }

    /// The same frame with another name, in `outer`, which is its outer frame with another name.
    pub(crate) fn renamed(&self, name: Option<Arc<str>>, outer: Option<Arc<Frame>>) -> Arc<Frame> {
        Arc::new(Self {
            pose: self.pose,
            local: self.local,
            name,
            outer,
        })
    }

    /// The chain from here to the frame called `name`, standing in `outer`. `None` if there is no such frame in it.
    pub(crate) fn cut_at(&self, name: &str, outer: Option<&Arc<Frame>>) -> Option<Arc<Frame>> {
        let outer = match &self.name {
            Some(own) if **own == *name => outer.cloned(),
            _ => Some(self.outer.as_ref()?.cut_at(name, outer)?),
        };
        Some(Frame::new(self.local, self.name.clone(), outer))
    }

    /// The same chain, standing in `outer`.
    pub(crate) fn within(&self, outer: &Arc<Frame>) -> Arc<Frame> {
        let outer = match &self.outer {
            Some(own) => own.within(outer),
            None => Arc::clone(outer),
        };
        Frame::new(self.local, self.name.clone(), Some(outer))
    }
}

impl Element {
    /// A copy with `frame` around the frames it has.
    pub(crate) fn placed_in(&self, frame: Option<&Arc<Frame>>) -> Element {
        let mut copy = self.clone();
        copy.frame = match (&self.frame, frame) {
            (Some(own), Some(frame)) => Some(own.within(frame)),
            (own, frame) => own.as_ref().or(frame).cloned(),
        };
        copy
    }

    /// Position and orientation as written, without frames.
    pub fn local_pose(&self, problems: &mut Problems) -> Pose {
        let pos = self.reals("pos", problems).unwrap_or([0.0; 3]);
        Pose {
            pos,
            quat: self.orientation(problems),
        }
    }

    /// Position and orientation in the body that the element belongs to.
    pub fn pose(&self, problems: &mut Problems) -> Pose {
        self.in_body(self.local_pose(problems))
    }

    /// A pose given where the element stands, in its body: moved through the frames around the element.
    pub fn in_body(&self, local: Pose) -> Pose {
        match self.frame() {
            Some(frame) => frame.pose.compose(&local),
            None => local,
        }
    }
}
