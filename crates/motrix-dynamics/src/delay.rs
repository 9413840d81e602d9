//! Delays: past controls and readings are kept, and those of an earlier time are read from them.
//!
//! Each actuator or sensor that asks for it has a buffer of n samples in the state, oldest first: the time of its last reading,
//! n times, n values. Reading at the time t takes the earlier of the two samples around t, the line between them, or a cubic whose
//! slopes are those of the chords between neighbours (Catmull and Rom, *A class of local interpolating splines*, 1974); before
//! the oldest and after the newest sample their values hold. A step enters the present control or reading and drops the oldest
//! sample (MuJoCo's `mj_readCtrl`, `mj_readSensor` and the end of its step).
//!
//! Worlds may be at different times, so buffers are handled lane by lane in `f64`. A time is stored as a number and what is left
//! of it, so that rows in single precision keep the clock of those in double.

use motrix_model::{History, Interpolation, Model};
use motrix_spatial::{Lanes, Real};

use crate::sensor::is_measured;

/// Times closer than this are the same (MuJoCo's `mjMINVAL`).
const SAME_TIME: f64 = 1e-15;

/// Where past values of a control or a sensor are kept.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// First number in [`crate::data::State::history`].
    first: usize,
    samples: usize,
    /// Numbers per sample.
    dim: usize,
    interpolation: Interpolation,
    /// Seconds by which a reading lags behind.
    delay: f64,
    /// Period of the readings, and the time of the one before the first; none reads in every step.
    interval: Option<(f64, f64)>,
}

/// An actuator whose control is delayed or recorded.
#[derive(Clone, Debug)]
pub struct ControlRow {
    /// Control.
    control: usize,
    /// Whether the actuator sees the past.
    delayed: bool,
    buffer: Buffer,
}

/// All buffers of a model.
#[derive(Clone, Debug, Default)]
pub struct DelayTable {
    /// Controls.
    pub controls: Vec<ControlRow>,
    /// Buffer of each sensor that the kernels measure.
    pub sensors: Vec<Option<Buffer>>,
    /// Buffer of each sensor that is measured elsewhere, by whoever then enters its readings.
    pub elsewhere: Vec<Option<Buffer>>,
    /// Numbers in all buffers.
    pub len: usize,
}

impl DelayTable {
    /// The buffers of a model: controls first, then sensors.
    pub fn new(model: &Model) -> Self {
        let mut table = Self::default();
        let mut place = |history: History, dim: usize, delay: f64, interval: Option<(f64, f64)>| {
            let buffer = Buffer {
                first: table.len,
                samples: history.samples,
                dim,
                interpolation: history.interpolation,
                delay,
                interval,
            };
            table.len += buffer.len();
            buffer
        };
        for actuator in &model.actuators {
            if let Some(history) = actuator.history.filter(|h| h.samples > 0) {
                table.controls.push(ControlRow {
                    control: actuator.first_control,
                    delayed: actuator.delay > 0.0,
                    buffer: place(history, 1, actuator.delay, None),
                });
            }
        }
        let (mut sensors, mut others) = (Vec::new(), Vec::new());
        for sensor in &model.sensors {
            let [period, phase] = sensor.interval;
            // Without a phase the first reading is at the start.
            let interval = (period > 0.0).then(|| (period, if phase == 0.0 { -period } else { phase }));
            let history = sensor.history.filter(|h| h.samples > 0);
            let buffer = history.map(|history| place(history, sensor.dim, sensor.delay, interval));
            let (here, elsewhere) = if is_measured(&sensor.kind) {
                (buffer, None)
            } else {
                (None, buffer)
            };
            sensors.push(here);
            others.push(elsewhere);
        }
        (table.sensors, table.elsewhere) = (sensors, others);
        table
    }

    /// All buffers as they are before the first step: zeros at the times that came before, a step apart.
    pub fn initial<E: Real>(&self, timestep: f64) -> Vec<E> {
        let mut numbers = vec![E::default(); self.len];
        let controls = self.controls.iter().map(|row| &row.buffer);
        for buffer in controls.chain(self.sensors.iter().chain(&self.elsewhere).flatten()) {
            let tick = buffer.interval.map_or(-timestep, |(_, before)| before);
            put(&mut numbers[buffer.first..], tick);
            for i in 0..buffer.samples {
                let ago = (buffer.samples - 1 - i) as f64;
                let time = match buffer.interval {
                    // Readings fall on whole steps.
                    Some((period, before)) => ((before - ago * period) / timestep).ceil() * timestep,
                    None => -(ago + 1.0) * timestep,
                };
                put(&mut numbers[buffer.first + 2 + 2 * i..], time);
            }
        }
        numbers
    }

    /// Numbers of the sensors that keep past ones.
    pub fn reading_len(&self) -> usize {
        self.sensors.iter().flatten().map(|buffer| buffer.dim).sum()
    }

    /// Whether some actuator sees the past.
    pub fn delays_controls(&self) -> bool {
        self.controls.iter().any(|row| row.delayed)
    }

    /// Controls as actuators with a delay see them at each world's time.
    #[inline(always)]
    pub fn controls<L: Lanes>(&self, history: &[L], time: &[f64], ctrl: &[L], out: &mut [L]) {
        out.copy_from_slice(ctrl);
        for row in self.controls.iter().filter(|row| row.delayed) {
            for k in 0..L::COUNT {
                let past = row.buffer.of_lane(history, k);
                row.buffer.read(
                    &past,
                    time[k] - row.buffer.delay,
                    k,
                    &mut out[row.control..=row.control],
                );
            }
        }
    }

    /// Enters the present controls and readings.
    #[inline(always)]
    pub fn advance<L: Lanes>(&self, time: &[f64], ctrl: &[L], readings: &[L], history: &mut [L]) {
        for row in &self.controls {
            for k in 0..L::COUNT {
                row.buffer.enter(time[k], k, &ctrl[row.control..=row.control], history);
            }
        }
        let mut first = 0;
        for buffer in self.sensors.iter().flatten() {
            buffer.enter_reading(time, &readings[first..first + buffer.dim], history);
            first += buffer.dim;
        }
    }
}

/// One world's part of a buffer.
struct Past<'a, L> {
    numbers: &'a [L],
    samples: usize,
    lane: usize,
}

impl<L: Lanes> Past<'_, L> {
    fn number(&self, i: usize) -> f64 {
        self.numbers[i].lane(self.lane).to_f64()
    }

    /// When the last reading was due.
    fn tick(&self) -> f64 {
        self.number(0) + self.number(1)
    }

    fn time(&self, sample: usize) -> f64 {
        self.number(2 + 2 * sample) + self.number(3 + 2 * sample)
    }

    /// The first sample that is not earlier than `t`; their number when all are.
    fn first_not_before(&self, t: f64) -> usize {
        (0..self.samples).find(|&i| self.time(i) >= t).unwrap_or(self.samples)
    }

    /// Whether a sample was taken at `t`, to what the storage of times can tell.
    fn is_at(&self, sample: usize, t: f64) -> bool {
        (t - self.time(sample)).abs() < resolution::<L>(t).max(SAME_TIME)
    }
}

/// How finely a time near `t` is stored, as two numbers.
fn resolution<L: Lanes>(t: f64) -> f64 {
    t.abs() * L::Elem::EPSILON * L::Elem::EPSILON
}

/// Stores a time as a number and what is left of it.
fn put<E: Real>(numbers: &mut [E], time: f64) {
    numbers[0] = E::from_f64(time);
    numbers[1] = E::from_f64(time - numbers[0].to_f64());
}

impl Buffer {
    fn len(&self) -> usize {
        2 + self.samples * (2 + self.dim)
    }

    fn of_lane<'a, L: Lanes>(&self, history: &'a [L], lane: usize) -> Past<'a, L> {
        Past {
            numbers: &history[self.first..self.first + self.len()],
            samples: self.samples,
            lane,
        }
    }

    fn value(&self, sample: usize, component: usize) -> usize {
        2 + 2 * self.samples + sample * self.dim + component
    }

    /// Whether a sensor is read at `t`. What the storage of the last time took off must not put it off by a step.
    fn is_due<L: Lanes>(&self, past: &Past<L>, t: f64) -> bool {
        let slack = resolution::<L>(past.tick());
        self.interval
            .is_none_or(|(period, _)| past.tick() + period <= t + slack)
    }

    /// What a sensor shows when its present reading is `out`: that reading, or an earlier one.
    #[inline(always)]
    pub fn show<L: Lanes>(&self, history: &[L], time: &[f64], out: &mut [L]) {
        for k in 0..L::COUNT {
            let past = self.of_lane(history, k);
            if self.delay > 0.0 || !self.is_due(&past, time[k]) {
                self.read(&past, time[k] - self.delay, k, out);
            }
        }
    }

    /// Enters the present reading of a sensor, where it is due.
    #[inline(always)]
    pub fn enter_reading<L: Lanes>(&self, time: &[f64], reading: &[L], history: &mut [L]) {
        for k in 0..L::COUNT {
            if self.is_due(&self.of_lane(history, k), time[k]) {
                self.enter(time[k], k, reading, history);
                self.tick(k, history);
            }
        }
    }

    /// Reads lane `k` at the time `t`.
    fn read<L: Lanes>(&self, past: &Past<L>, t: f64, k: usize, out: &mut [L]) {
        let newest = self.samples - 1;
        let later = past.first_not_before(t).min(newest);
        let exact = later == 0 || past.time(newest) < t || past.is_at(newest, t) || past.is_at(later, t);
        for (component, out) in out.iter_mut().enumerate() {
            let value = |sample: usize| past.number(self.value(sample, component));
            let read = match self.interpolation {
                _ if exact => value(later),
                Interpolation::Hold => value(later - 1),
                Interpolation::Linear => {
                    let (t0, t1) = (past.time(later - 1), past.time(later));
                    value(later - 1) + (t - t0) / (t1 - t0) * (value(later) - value(later - 1))
                }
                Interpolation::Cubic => self.cubic(past, t, later, component),
            };
            out.set_lane(k, L::Elem::from_f64(read));
        }
    }

    /// The cubic between the samples `later − 1` and `later`; slopes at the ends of the buffer are zero.
    fn cubic<L: Lanes>(&self, past: &Past<L>, t: f64, later: usize, component: usize) -> f64 {
        let value = |sample: usize| past.number(self.value(sample, component));
        let chord = |a: usize, b: usize| (value(b) - value(a)) / (past.time(b) - past.time(a));
        let earlier = later - 1;
        let width = past.time(later) - past.time(earlier);
        let slope0 = if earlier > 0 { chord(earlier - 1, later) } else { 0.0 };
        let slope1 = if later + 1 < self.samples {
            chord(earlier, later + 1)
        } else {
            0.0
        };
        let x = (t - past.time(earlier)) / width;
        let (x2, x3) = (x * x, x * x * x);
        (2.0 * x3 - 3.0 * x2 + 1.0) * value(earlier)
            + (x3 - 2.0 * x2 + x) * width * slope0
            + (3.0 * x2 - 2.0 * x3) * value(later)
            + (x3 - x2) * width * slope1
    }

    /// Enters a sample of lane `k`: in place of one at the same time, else in its place in time for the oldest.
    fn enter<L: Lanes>(&self, t: f64, k: usize, values: &[L], history: &mut [L]) {
        let past = self.of_lane(history, k);
        let later = past.first_not_before(t);
        let replaces = later < self.samples && past.is_at(later, t);
        let sample = if replaces { later } else { later.saturating_sub(1) };
        let numbers = &mut history[self.first..self.first + self.len()];
        if !replaces {
            for i in 0..sample {
                for c in 0..2 {
                    let moved = numbers[4 + 2 * i + c].lane(k);
                    numbers[2 + 2 * i + c].set_lane(k, moved);
                }
                for c in 0..self.dim {
                    let moved = numbers[self.value(i + 1, c)].lane(k);
                    numbers[self.value(i, c)].set_lane(k, moved);
                }
            }
            let mut time = [L::Elem::default(); 2];
            put(&mut time, t);
            numbers[2 + 2 * sample].set_lane(k, time[0]);
            numbers[3 + 2 * sample].set_lane(k, time[1]);
        }
        for (c, value) in values.iter().enumerate() {
            numbers[self.value(sample, c)].set_lane(k, value.lane(k));
        }
    }

    /// Notes that a reading of lane `k` was made when it was due.
    fn tick<L: Lanes>(&self, k: usize, history: &mut [L]) {
        let Some((period, _)) = self.interval else { return };
        let mut tick = [L::Elem::default(); 2];
        put(&mut tick, self.of_lane(history, k).tick() + period);
        history[self.first].set_lane(k, tick[0]);
        history[self.first + 1].set_lane(k, tick[1]);
    }
}
