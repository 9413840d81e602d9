//! A model ready to run.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use motrix_dynamics::Kernels;
use motrix_dynamics::reference::Reference;
use motrix_model::{Model, Options};
use motrix_query::Shapes;
use motrix_spatial::{LaneError, LaneKind, Precision, Real, with_lanes};

use crate::chunk::{Chunk, worlds_per_chunk};
use crate::contact::Contact;
use crate::digest;
use crate::engine::{Engine, Job, LaneEngine};
use crate::health::Policy;
use crate::kernels::GroupKernels;
use crate::low;
use crate::output::{Output, OutputSet, Stage};
use crate::overrides::Overrides;
use crate::pool::{self, Threads};
use crate::selection::Selection;
use crate::worlds::Worlds;

/// Groups of worlds whose poses the calling thread computes sooner than threads that have to wake up first.
const FEW_GROUPS: usize = 8;

/// A model, its options, and an engine per precision that is made when first used.
pub struct Scene {
    model: Arc<Model>,
    shapes: Arc<Shapes>,
    options: RwLock<Options>,
    single: EngineCell<f32>,
    double: EngineCell<f64>,
    fingerprint: OnceLock<u64>,
    /// The reference pose, once some world has masses of its own.
    reference: Mutex<Option<Reference>>,
}

/// An engine, once made; emptied when the options change.
#[doc(hidden)]
pub type EngineCell<E> = RwLock<Option<Arc<dyn Engine<E>>>>;

/// A scalar in which worlds are kept.
pub trait Scalar: Real {
    /// The precision it stands for.
    const PRECISION: Precision;
    #[doc(hidden)]
    fn engine_cell(scene: &Scene) -> &EngineCell<Self>;
}

impl Scalar for f32 {
    const PRECISION: Precision = Precision::Single;
    fn engine_cell(scene: &Scene) -> &EngineCell<f32> {
        &scene.single
    }
}

impl Scalar for f64 {
    const PRECISION: Precision = Precision::Double;
    fn engine_cell(scene: &Scene) -> &EngineCell<f64> {
        &scene.double
    }
}

impl Scene {
    /// A scene with the model's own options.
    pub fn new(model: Arc<Model>) -> Self {
        let options = RwLock::new(model.options.clone());
        Self {
            shapes: Arc::new(Shapes::new(Arc::clone(&model))),
            model,
            options,
            single: RwLock::new(None),
            double: RwLock::new(None),
            fingerprint: OnceLock::new(),
            reference: Mutex::new(None),
        }
    }

    /// Brings what follows from masses up to date in the selected worlds, after those were overridden.
    pub fn weigh<E: Scalar>(&self, worlds: &mut Worlds<E>, selection: Selection) {
        let mut reference = self.reference.lock().unwrap_or_else(PoisonError::into_inner);
        let reference = reference.get_or_insert_with(|| Reference::new(&self.model));
        for world in selection.iter(worlds.count()) {
            worlds.overrides.weigh(world, reference);
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What its geoms look like, to be searched.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// A fingerprint of the compiled model, computed when first asked for. Options and heights changed since do not count.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| digest::of_model(&self.model))
    }

    /// Takes over the fingerprint of the model that this one was copied from, if it has none of its own yet.
    pub fn adopt_fingerprint(&self, fingerprint: u64) {
        // Once computed it was computed from the same files, and stays.
        let _ = self.fingerprint.set(fingerprint);
    }

    /// The options in force.
    pub fn options(&self) -> RwLockReadGuard<'_, Options> {
        self.options.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the options; they act from the next step on, for all worlds.
    pub fn set_options(&self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut options);
        *self.single.write().unwrap_or_else(PoisonError::into_inner) = None;
        *self.double.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Advances worlds by `count` steps.
    pub fn step<E: Scalar>(
        &self,
        worlds: &mut Worlds<E>,
        selection: Selection,
        count: usize,
        threads: Threads,
    ) -> Result<(), LaneError> {
        let engine = self.engine::<E>()?;
        if count == 0 {
            return Ok(());
        }
        let reference = worlds.reference();
        let job = Job {
            count,
            kept: worlds.kept,
            watch: worlds.watch,
            reference: &reference,
        };
        over_chunks(&*engine, worlds, selection, threads, |chunk, overrides| {
            engine.step(chunk, overrides, &job);
        });
        if worlds.watch.policy == Policy::Reset {
            // Worlds that were reset have their results to come.
            for output in Output::ALL.into_iter().filter(|o| job.kept.has(*o)) {
                self.ensure(worlds, selection, output, threads)?;
            }
        }
        Ok(())
    }

    /// Makes a kind of result available in the selected worlds, and keeps it from now on.
    pub fn ensure<E: Scalar>(
        &self,
        worlds: &mut Worlds<E>,
        selection: Selection,
        output: Output,
        threads: Threads,
    ) -> Result<(), LaneError> {
        worlds.keep(output);
        let stale: Vec<u32> = selection
            .iter(worlds.count())
            .filter(|&w| !worlds.fresh[w].has(output))
            .map(|w| w as u32)
            .collect();
        if stale.is_empty() {
            return Ok(());
        }
        let engine = self.engine::<E>()?;
        // Whatever else is kept needs no second evaluation later when the basis is evaluated this far anyway.
        let wanted = Output::ALL
            .into_iter()
            .filter(|o| worlds.kept.has(*o) && o.stage() <= output.stage())
            .fold(OutputSet::NONE, |set, o| set.with(o.bit()));
        let rows = if stale.len() == worlds.count() {
            Selection::All
        } else {
            Selection::Rows(&stale)
        };
        let few = output.stage() == Stage::Position && stale.len() <= FEW_GROUPS * engine.lanes();
        let threads = if few { Threads::AtMost(1) } else { threads };
        over_chunks(&*engine, worlds, rows, threads, |chunk, overrides| {
            engine.derive(chunk, overrides, wanted)
        });
        Ok(())
    }

    /// A kind of result of one world, as [`Scene::ensure`] left it.
    pub fn output<'w, E: Scalar>(&self, worlds: &'w Worlds<E>, output: Output, world: usize) -> &'w [E] {
        worlds.output(output, world)
    }

    /// The contacts of one world, as [`Scene::ensure`] left them.
    pub fn contacts<'w, E: Scalar>(&self, worlds: &'w Worlds<E>, world: usize) -> &'w [Contact<E>] {
        worlds.contacts.get(world).map_or(&[], Vec::as_slice)
    }

    /// Every intermediate of a forward pass from the basis of one world.
    pub fn inspect<E: Scalar>(&self, worlds: &Worlds<E>, world: usize) -> Result<Vec<low::Array>, LaneError> {
        let engine = self.engine::<E>()?;
        let mut one = worlds.like();
        worlds.gather(Selection::Rows(&[world as u32]), &mut one);
        let (chunks, overrides) = one.chunks(1);
        Ok(chunks
            .first()
            .map_or(Vec::new(), |chunk| engine.inspect(chunk, overrides)))
    }

    /// The engine of a precision, made on first use under the current options.
    fn engine<E: Scalar>(&self) -> Result<Arc<dyn Engine<E>>, LaneError> {
        let cell = E::engine_cell(self);
        if let Some(engine) = &*cell.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(Arc::clone(engine));
        }
        let kind = LaneKind::detect(E::PRECISION)?;
        let options = self.options();
        let engine = with_lanes!(kind, L => lane_engine::<L, E>(&self.model, &self.shapes, &options));
        *cell.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&engine));
        Ok(engine)
    }
}

fn lane_engine<L: Kernels + GroupKernels, E: Scalar>(
    model: &Arc<Model>,
    shapes: &Arc<Shapes>,
    options: &Options,
) -> Arc<dyn Engine<E>> {
    Arc::new(LaneEngine::<L, E>::new(Arc::clone(model), shapes, options))
}

/// Runs `work` on chunks of the selected worlds. A selection is packed densely into rows of its own first.
fn over_chunks<E: Scalar>(
    engine: &dyn Engine<E>,
    worlds: &mut Worlds<E>,
    selection: Selection,
    threads: Threads,
    work: impl Fn(&mut Chunk<E>, &Overrides<E>) + Sync,
) {
    let count = selection.len(worlds.count());
    let size = worlds_per_chunk(count, engine.lanes(), pool::parallelism(threads));
    match selection {
        Selection::All => {
            let (mut chunks, overrides) = worlds.chunks(size);
            pool::for_each(&mut chunks, threads, |chunk| work(chunk, overrides));
        }
        Selection::Rows(_) => {
            let mut packed = worlds.like();
            worlds.gather(selection, &mut packed);
            let (mut chunks, overrides) = packed.chunks(size);
            pool::for_each(&mut chunks, threads, |chunk| work(chunk, overrides));
            drop(chunks);
            worlds.scatter(selection, &mut packed);
        }
    }
}
