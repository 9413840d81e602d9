//! What each lane sees of a height field.

use motrix_spatial::{Lanes, Real};

use crate::height_field::HeightField;
use crate::terrain::{Surface, Window};

/// Most lanes of any lane type.
pub(in crate::closed) const MAX_LANES: usize = 8;

/// A window of a height field in each lane; see [`Window`].
#[derive(Clone, Copy, Debug)]
pub struct LaneWindow<L> {
    windows: [Window; MAX_LANES],
    /// Half extents along x and y.
    pub(in crate::closed) half: [L; 2],
    /// Distances between nodes, the same in all lanes.
    pub(in crate::closed) spacing: [L; 2],
    /// Height of the number 1.
    pub(in crate::closed) elevation: L,
    /// Thickness of the body below height 0.
    pub(in crate::closed) base: L,
}

impl<L: Lanes> LaneWindow<L> {
    /// All of a field in every lane.
    pub fn whole(field: &HeightField) -> Self {
        let size = field.size();
        let mut window = Self {
            windows: [Window::whole(field); MAX_LANES],
            half: [L::ZERO; 2],
            spacing: field.spacing().map(L::c),
            elevation: L::ZERO,
            base: L::c(size.base_z),
        };
        for lane in 0..L::COUNT {
            window.set_lane(lane, field, Window::whole(field));
        }
        window
    }

    /// Gives a lane another window, which must fit.
    pub fn set_lane(&mut self, lane: usize, field: &HeightField, window: Window) {
        let surface = Surface::new(field, window);
        self.windows[lane] = window;
        for k in 0..2 {
            self.half[k].set_lane(lane, L::Elem::from_f64(surface.half()[k]));
        }
        self.elevation.set_lane(lane, L::Elem::from_f64(surface.elevation()));
    }

    /// The highest ground of the whole field, in metres as each lane scales it.
    #[inline(always)]
    pub fn highest(&self, field: &HeightField) -> L {
        L::c(f64::from(field.all_extremes().max)) * self.elevation
    }

    /// The window of a lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> &Window {
        &self.windows[lane]
    }
}
