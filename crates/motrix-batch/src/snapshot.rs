//! Everything that distinguishes worlds from fresh ones, as bytes that can be kept, sent and put back.
//!
//! A snapshot holds, in little-endian order: a mark, the version of this layout, the width of a number, the fingerprint of the
//! model, the length of a row, the number of worlds and the set of overridden parameters; then the clocks, what was noticed last, the states,
//! the bases and the overrides of all worlds; last the fingerprint of all bytes before it. Reading checks all of that before anything is written,
//! so that a refused snapshot changes nothing.

use motrix_spatial::Real;

use crate::digest;
use crate::overrides::Overridden;
use crate::selection::Selection;
use crate::worlds::Worlds;

/// The first bytes of every snapshot.
const MARK: [u8; 8] = *b"motrix\x00\x1a";
/// Version of the layout; raised with every change of it.
const VERSION: u64 = 1;
/// Words after the mark.
const HEADER_WORDS: usize = 6;
/// Bytes before the worlds.
const HEADER: usize = MARK.len() + 8 * HEADER_WORDS;
/// Bytes of a world before its numbers: two clocks and what was noticed in its last step.
const CLOCKS: usize = 24;
/// Bytes after the worlds.
const CHECKSUM: usize = 8;

/// Why a snapshot was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// The bytes are something else.
    NotASnapshot,
    /// Written by an engine with another layout.
    Version {
        /// The version found.
        found: u64,
    },
    /// Fewer or more bytes than its worlds take.
    Length {
        /// Bytes given.
        found: usize,
        /// Bytes that the header promises.
        expected: usize,
    },
    /// Some bytes were changed.
    Damaged,
    /// Of worlds in another precision.
    Precision {
        /// Bytes per number.
        found: u64,
    },
    /// Of another model.
    Model,
    /// Of more or fewer worlds than there are to write.
    Count {
        /// Worlds in the snapshot.
        found: usize,
        /// Worlds to write.
        expected: usize,
    },
}

impl std::fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotASnapshot => f.write_str("these bytes are not a snapshot"),
            Self::Version { found } => write!(f, "the snapshot has version {found}, this engine reads {VERSION}"),
            Self::Length { found, expected } => {
                write!(
                    f,
                    "the snapshot is cut off or extended: {found} bytes instead of {expected}"
                )
            }
            Self::Damaged => f.write_str("the snapshot is damaged: its checksum does not fit its content"),
            Self::Precision { found } => {
                let name = if *found == 8 { "f64" } else { "f32" };
                write!(
                    f,
                    "the snapshot is of worlds in precision {name:?}, the data are in another"
                )
            }
            Self::Model => f.write_str("the snapshot was taken of another model"),
            Self::Count { found, expected } => {
                write!(f, "the snapshot holds {found} worlds, there are {expected} to restore")
            }
        }
    }
}

impl std::error::Error for SnapshotError {}

impl<E: Real> Worlds<E> {
    /// The past of the selected worlds: what a copy needs to continue bit for bit. `model` is the model's fingerprint.
    pub fn snapshot(&self, selection: Selection, model: u64) -> Vec<u8> {
        let (n, count) = (self.layout().len, selection.len(self.count()));
        let fields = self.overrides.fields();
        let size = Contents {
            numbers: width::<E>(),
            row: n,
            count,
            fields,
        }
        .bytes(&self.overrides.widths());
        let mut bytes = Vec::with_capacity(size.unwrap_or(0));
        bytes.extend_from_slice(&MARK);
        for word in [VERSION, width::<E>() as u64, model, n as u64, count as u64, fields] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for world in selection.iter(self.count()) {
            bytes.extend_from_slice(&self.time[world].to_le_bytes());
            bytes.extend_from_slice(&self.basis_time[world].to_le_bytes());
            bytes.extend_from_slice(&u64::from(self.health[world]).to_le_bytes());
        }
        for world in selection.iter(self.count()) {
            for part in self.state.row(world).into_iter().chain(self.basis.row(world)) {
                write_numbers(part, &mut bytes);
            }
        }
        for field in Overridden::ALL.into_iter().filter(|f| fields & bit(*f) != 0) {
            for world in selection.iter(self.count()) {
                write_numbers(self.overrides.get(field, world), &mut bytes);
            }
        }
        let checksum = digest::of_bytes(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Puts the worlds of a snapshot into the selected ones, in order; a snapshot of one world serves all of them.
    pub fn restore(&mut self, selection: Selection, bytes: &[u8], model: u64) -> Result<(), SnapshotError> {
        let contents = self.checked(bytes, model)?;
        let expected = selection.len(self.count());
        if contents.count != expected && contents.count != 1 {
            return Err(SnapshotError::Count {
                found: contents.count,
                expected,
            });
        }
        let stride = contents.row * width::<E>();
        let clocks = &bytes[HEADER..];
        let states = &clocks[CLOCKS * contents.count..];
        let from = |k: usize| if contents.count == 1 { 0 } else { k };
        for (k, world) in selection.iter(self.count()).enumerate() {
            self.forget_past(world);
            let [time, basis_time, health] = std::array::from_fn(|i| word_at(clocks, CLOCKS * from(k) + 8 * i));
            self.time[world] = f64::from_bits(time);
            self.basis_time[world] = f64::from_bits(basis_time);
            self.health[world] = health as u32;
            let mut at = 2 * stride * from(k);
            for part in self.state.row_mut(world).into_iter().chain(self.basis.row_mut(world)) {
                read_numbers(&states[at..], part);
                at += part.len() * width::<E>();
            }
        }
        let mut rest = &states[2 * stride * contents.count..];
        self.overrides.clear(selection);
        for field in Overridden::ALL.into_iter().filter(|f| contents.fields & bit(*f) != 0) {
            let row = self.overrides.widths()[field as usize] * width::<E>();
            for (k, world) in selection.iter(self.count()).enumerate() {
                read_numbers(&rest[row * from(k)..], self.overrides.get_mut(field, world));
            }
            rest = &rest[row * contents.count..];
        }
        Ok(())
    }

    /// Number of worlds in a snapshot of this model and precision.
    pub fn count_in(&self, bytes: &[u8], model: u64) -> Result<usize, SnapshotError> {
        Ok(self.checked(bytes, model)?.count)
    }

    /// Makes the selected worlds continue as `world` would.
    pub fn fork(&mut self, world: usize, selection: Selection) {
        let others = selection.iter(self.count()).filter(|w| *w != world);
        for other in others {
            self.state.copy_within(world, other);
            self.basis.copy_within(world, other);
            self.forget_past(other);
            self.time[other] = self.time[world];
            self.basis_time[other] = self.basis_time[world];
            self.health[other] = self.health[world];
            self.overrides.copy(world, other);
        }
    }

    /// A snapshot of each of the last states of a world, oldest first; empty when they are not recorded.
    ///
    /// Results of a world restored from one describe that state, and its overrides are the present ones.
    pub fn past(&self, world: usize, model: u64) -> Vec<Vec<u8>> {
        let mut one = self.select(Selection::Rows(&[world as u32]));
        let past = self.history().into_iter().flat_map(|history| history.of(world));
        past.map(|(state, time)| {
            one.state.write(0, state);
            one.time[0] = time;
            one.health[0] = 0;
            one.rebase(Selection::All);
            one.snapshot(Selection::All, model)
        })
        .collect()
    }

    /// Worlds of their own that begin as the selected ones are.
    pub fn select(&self, selection: Selection) -> Self {
        let mut worlds = self.like();
        self.gather(selection, &mut worlds);
        worlds.forget_results();
        worlds
    }

    /// What a snapshot holds, once every byte of it has been checked.
    fn checked(&self, bytes: &[u8], model: u64) -> Result<Contents, SnapshotError> {
        if bytes.len() < MARK.len() || bytes[..MARK.len()] != MARK {
            return Err(SnapshotError::NotASnapshot);
        }
        let cut_off = |expected| SnapshotError::Length {
            found: bytes.len(),
            expected,
        };
        if bytes.len() < HEADER + CHECKSUM {
            return Err(cut_off(HEADER + CHECKSUM));
        }
        let [version, numbers, fingerprint, row, count, fields] =
            std::array::from_fn(|k| word_at(bytes, MARK.len() + 8 * k));
        if version != VERSION {
            return Err(SnapshotError::Version { found: version });
        }
        let contents = Contents {
            numbers: numbers as usize,
            row: row as usize,
            count: count as usize,
            fields,
        };
        let expected = contents.bytes(&self.overrides.widths()).ok_or(SnapshotError::Damaged)?;
        let end = bytes.len() - CHECKSUM;
        let whole = digest::of_bytes(&bytes[..end]) == word_at(bytes, end);
        if !whole {
            // A wrong length is told as such where the header can be believed.
            return Err(if expected == bytes.len() || fingerprint != model {
                SnapshotError::Damaged
            } else {
                cut_off(expected)
            });
        }
        if fingerprint != model {
            return Err(SnapshotError::Model);
        }
        if numbers != width::<E>() as u64 {
            return Err(SnapshotError::Precision { found: numbers });
        }
        if contents.row != self.layout().len || expected != bytes.len() {
            return Err(SnapshotError::Model);
        }
        Ok(contents)
    }
}

/// What the header of a snapshot promises.
struct Contents {
    /// Bytes per number.
    numbers: usize,
    /// Numbers per row.
    row: usize,
    /// Worlds.
    count: usize,
    /// Overridden parameters, one bit each.
    fields: u64,
}

impl Contents {
    /// Bytes of the whole snapshot, unless there are more than can be counted.
    fn bytes(&self, override_widths: &[usize]) -> Option<usize> {
        let overridden = Overridden::ALL.into_iter().filter(|f| self.fields & bit(*f) != 0);
        let numbers = overridden.map(|f| override_widths[f as usize]).sum::<usize>() + self.row.checked_mul(2)?;
        let world = numbers.checked_mul(self.numbers)?.checked_add(CLOCKS)?;
        world.checked_mul(self.count)?.checked_add(HEADER + CHECKSUM)
    }
}

/// The bit of a parameter in the set of overridden ones.
fn bit(field: Overridden) -> u64 {
    1 << field as u8
}

/// Bytes per number.
fn width<E: Real>() -> usize {
    size_of::<E>()
}

fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Appends numbers without a loss.
fn write_numbers<E: Real>(row: &[E], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + size_of_val(row), 0);
    let out = &mut bytes[start..];
    if let Some(row) = E::as_f32s(row) {
        for (out, x) in out.as_chunks_mut::<4>().0.iter_mut().zip(row) {
            *out = x.to_le_bytes();
        }
    } else {
        for (out, x) in out.as_chunks_mut::<8>().0.iter_mut().zip(row) {
            *out = x.bits().to_le_bytes();
        }
    }
}

/// Fills a row from the bytes that [`write_numbers`] made.
fn read_numbers<E: Real>(bytes: &[u8], row: &mut [E]) {
    if let Some(row) = E::as_f32s_mut(row) {
        for (x, bytes) in row.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *x = f32::from_le_bytes(*bytes);
        }
        return;
    }
    for (x, bytes) in row.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *x = E::from_f64(f64::from_le_bytes(*bytes));
    }
}
