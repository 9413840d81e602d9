//! Bounds on what a model may make the reader do.
//!
//! They are far above any robot and far below what would hang or exhaust a machine. Expansion (`include`, `replicate`,
//! `attach`) draws on the same budget as reading.

/// Bounds for one model with everything it includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of XML in all files together.
    pub bytes: usize,
    /// Elements after expansion.
    pub elements: usize,
    /// Depth of nesting, included files counted where they stand. MuJoCo's bound is the same.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            elements: 1_000_000,
            depth: 500,
        }
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    bytes: usize,
    elements: usize,
    attributes: usize,
    work: usize,
    spent: bool,
}

/// How many attributes the files may have, for each element that the model may have. Robots have five per element, but a model
/// of very many elements consists of copies, and those are not read.
const ATTRIBUTES_PER_ELEMENT: usize = 2;

/// How many looks at elements copying may take, for each element that the model may have.
const WORK_PER_ELEMENT: usize = 25;

impl Budget {
    pub fn new(limits: Limits) -> Self {
        let Limits { bytes, elements, .. } = limits;
        let attributes = elements.saturating_mul(ATTRIBUTES_PER_ELEMENT);
        let work = elements.saturating_mul(WORK_PER_ELEMENT);
        Self {
            limits,
            bytes,
            elements,
            attributes,
            work,
            spent: false,
        }
    }

    /// Whether a bound was broken. Looking for further mistakes would then take as long as loading what is too large.
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// What is left of `amount` after paying `count`; the error is `message`.
    fn pay(spent: &mut bool, amount: &mut usize, count: usize, message: impl FnOnce() -> String) -> Result<(), String> {
        match amount.checked_sub(count) {
            Some(rest) if !*spent => {
                *amount = rest;
                Ok(())
            }
            _ => {
                *spent = true;
                Err(message())
            }
        }
    }

    /// Pays for reading a text; the error says which bound it breaks.
    pub fn take_bytes(&mut self, count: usize) -> Result<(), String> {
        let most = self.limits.bytes >> 20;
        let why = || format!("the model has more than {most} MB of XML");
        Self::pay(&mut self.spent, &mut self.bytes, count, why)
    }

    /// Pays for one element that has `depth` ancestors.
    pub fn take_element(&mut self, depth: usize) -> Result<(), String> {
        self.check_depth(depth)?;
        self.take_elements(1)
    }

    /// Pays for looking at `count` elements while making copies. Each copy may search the whole model, so that a small
    /// file could ask for very many searches.
    pub fn take_work(&mut self, count: usize) -> Result<(), String> {
        let why = || "making copies takes too long".to_owned();
        Self::pay(&mut self.spent, &mut self.work, count, why)
    }

    /// Pays for the attributes of an element that is read.
    pub fn take_attributes(&mut self, count: usize) -> Result<(), String> {
        let most = self.limits.elements.saturating_mul(ATTRIBUTES_PER_ELEMENT);
        let why = || format!("the model has more than {most} attributes");
        Self::pay(&mut self.spent, &mut self.attributes, count, why)
    }

    /// Pays for `count` elements made by expansion.
    pub fn take_elements(&mut self, count: usize) -> Result<(), String> {
        let most = self.limits.elements;
        let why = || format!("the model has more than {most} elements");
        Self::pay(&mut self.spent, &mut self.elements, count, why)
    }

    /// Refuses an element with `depth` ancestors if that is too deep.
    pub fn check_depth(&self, depth: usize) -> Result<(), String> {
        if depth < self.limits.depth {
            return Ok(());
        }
        Err(format!("elements are nested more than {} deep", self.limits.depth))
    }
}
