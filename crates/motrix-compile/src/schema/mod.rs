//! The MJCF language as data: which elements exist, what they may contain, and what their attributes look like.
//!
//! One [`Rule`] per element, grouped by section of the file. The facts are those of MuJoCo 4.0.0 (`mj_printSchema` and
//! the XML reference); a test compares the names with MuJoCo's own print-out. Attributes and elements that MotrixSim adds
//! are marked as extensions.
//!
//! The table is used three times: to check a document, to know which attributes hold names when a subtree is copied under
//! new names, and to tell whether a value in a default class applies to an element ([`Family`]).

mod actuators;
mod assets;
mod bodies;
mod check;
mod constraints;
mod homes;
mod keywords;
mod root;
mod sensors;
mod settings;

pub(crate) use check::check;
pub(crate) use keywords::TEXTURE_ROLE;
pub use root::MUJOCO;

/// What an element may look like.
#[derive(Debug)]
pub struct Rule {
    /// Its tag.
    pub name: &'static str,
    /// Its attributes, in groups that several elements share.
    pub attributes: &'static [&'static [Attr]],
    /// What may stand inside.
    pub children: &'static [Child],
    /// Which attributes exclude or need each other.
    pub presence: &'static [Presence],
    /// The default values it takes from its class.
    pub family: Option<Family>,
    /// Whether MuJoCo does not know this element.
    pub extension: bool,
}

impl Rule {
    /// An element without attributes and content; the other fields are set with `..Rule::named(...)`.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            attributes: &[],
            children: &[],
            presence: &[],
            family: None,
            extension: false,
        }
    }

    /// All attributes, group by group.
    pub fn attributes(&self) -> impl Iterator<Item = &'static Attr> + use<> {
        self.attributes.iter().copied().flatten()
    }

    /// The attribute called `name`.
    pub fn attribute(&self, name: &str) -> Option<&'static Attr> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// The child called `name`.
    pub fn child(&self, name: &str) -> Option<&'static Child> {
        self.children.iter().find(|child| child.rule.name == name)
    }
}

/// An element that may stand inside another one.
#[derive(Debug)]
pub struct Child {
    /// Its rule.
    pub rule: &'static Rule,
    /// How often it may stand there.
    pub times: Times,
}

/// How often an element may stand inside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Not at all or once.
    AtMostOnce,
    /// Any number of times.
    Any,
}

const fn once(rule: &'static Rule) -> Child {
    Child {
        rule,
        times: Times::AtMostOnce,
    }
}

const fn any(rule: &'static Rule) -> Child {
    Child {
        rule,
        times: Times::Any,
    }
}

/// An attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attr {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub value: Value,
    /// Whether the element is incomplete without it.
    pub required: bool,
    /// Whether a default class may set it.
    pub inheritable: bool,
    /// Whether MuJoCo does not know this attribute.
    pub extension: bool,
}

impl Attr {
    const fn new(name: &'static str, value: Value) -> Self {
        Self {
            name,
            value,
            required: false,
            inheritable: true,
            extension: false,
        }
    }

    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Belongs to the element itself; default classes cannot set it.
    const fn own(self) -> Self {
        Self {
            inheritable: false,
            ..self
        }
    }

    const fn extension(self) -> Self {
        Self {
            extension: true,
            ..self
        }
    }
}

/// What the text of an attribute means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Anything.
    Text,
    /// A path.
    File,
    /// The name under which other elements find this one.
    Name(Namespace),
    /// The name of an element of that kind.
    Reference(Namespace),
    /// Names of elements of that kind.
    References(Namespace),
    /// The name of an element whose kind another attribute of this element tells.
    ReferenceBy(&'static str),
    /// The name of a default class.
    Class,
    /// Numbers.
    Real(Count),
    /// Whole numbers.
    Int(Count),
    /// `true` or `false`.
    Bool,
    /// One word of a list.
    Keyword(Words),
    /// Words of a list, each at most once.
    Keywords(Words),
    /// The three rotation axes of Euler angles, such as `xyz`; capitals rotate about fixed axes.
    EulerSequence,
    /// A number of bytes such as `10M`, or `-1`.
    Bytes,
}

/// The words a keyword may be.
pub type Words = &'static [&'static str];

/// How many numbers stand in an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// This many.
    Exactly(usize),
    /// At least one and at most this many; missing ones keep their default.
    UpTo(usize),
    /// As many as the author likes.
    Any,
}

/// Kinds of things with names. Two elements of one kind cannot share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Namespace {
    Body,
    Frame,
    Joint,
    Geom,
    Site,
    Camera,
    Light,
    Mesh,
    HField,
    Skin,
    Texture,
    Material,
    Model,
    Flex,
    Pair,
    Exclude,
    Tendon,
    Equality,
    Actuator,
    Sensor,
    Numeric,
    Text,
    Tuple,
    Key,
    Plugin,
    Lidar,
    Gsplat,
}

impl Namespace {
    /// How the kind is called in messages.
    pub fn word(self) -> &'static str {
        match self {
            Namespace::Body => "body",
            Namespace::Frame => "frame",
            Namespace::Joint => "joint",
            Namespace::Geom => "geom",
            Namespace::Site => "site",
            Namespace::Camera => "camera",
            Namespace::Light => "light",
            Namespace::Mesh => "mesh",
            Namespace::HField => "hfield",
            Namespace::Skin => "skin",
            Namespace::Texture => "texture",
            Namespace::Material => "material",
            Namespace::Model => "model",
            Namespace::Flex => "flex",
            Namespace::Pair => "pair",
            Namespace::Exclude => "exclude",
            Namespace::Tendon => "tendon",
            Namespace::Equality => "equality",
            Namespace::Actuator => "actuator",
            Namespace::Sensor => "sensor",
            Namespace::Numeric => "numeric",
            Namespace::Text => "text",
            Namespace::Tuple => "tuple",
            Namespace::Key => "key",
            Namespace::Plugin => "plugin instance",
            Namespace::Lidar => "lidar",
            Namespace::Gsplat => "gsplat",
        }
    }

    /// The kind that `word` means as an `objtype`; `xbody` is the body's frame, hence a body.
    pub fn of_objtype(word: &str) -> Option<Self> {
        Some(match word {
            "body" | "xbody" => Namespace::Body,
            "joint" => Namespace::Joint,
            "geom" => Namespace::Geom,
            "site" => Namespace::Site,
            "camera" => Namespace::Camera,
            "light" => Namespace::Light,
            "flex" => Namespace::Flex,
            "mesh" => Namespace::Mesh,
            "skin" => Namespace::Skin,
            "hfield" => Namespace::HField,
            "texture" => Namespace::Texture,
            "material" => Namespace::Material,
            "pair" => Namespace::Pair,
            "exclude" => Namespace::Exclude,
            "equality" => Namespace::Equality,
            "tendon" => Namespace::Tendon,
            "actuator" => Namespace::Actuator,
            "sensor" => Namespace::Sensor,
            "numeric" => Namespace::Numeric,
            "text" => Namespace::Text,
            "tuple" => Namespace::Tuple,
            "key" => Namespace::Key,
            "plugin" => Namespace::Plugin,
            "frame" => Namespace::Frame,
            _ => return None,
        })
    }
}

/// Elements that take their default values from the same entries of a class. All actuators share one: what a class says
/// in `<position>` also speaks to `<motor>`; likewise `<tendon>` for `spatial` and `fixed`, `<equality>` for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Family {
    Mesh,
    Texture,
    Material,
    Joint,
    Geom,
    Site,
    Camera,
    Light,
    Pair,
    Equality,
    Tendon,
    Actuator,
}

impl Family {
    /// How many there are.
    pub const COUNT: usize = Family::Actuator as usize + 1;
}

/// Which attributes exclude or need each other. A bundle is a list of attributes that belong together.
#[derive(Clone, Copy, Debug)]
pub enum Presence {
    /// Attributes of at most one of the bundles may be given.
    Exclusive(&'static [&'static [&'static str]]),
    /// All of these or none.
    Together(&'static [&'static str]),
    /// At least one of the bundles must be complete.
    OneOf(&'static [&'static [&'static str]]),
}

// Abbreviations for the tables.

const fn real(name: &'static str) -> Attr {
    Attr::new(name, Value::Real(Count::Exactly(1)))
}
const fn reals(name: &'static str, count: usize) -> Attr {
    Attr::new(name, Value::Real(Count::Exactly(count)))
}
const fn reals_up_to(name: &'static str, most: usize) -> Attr {
    Attr::new(name, Value::Real(Count::UpTo(most)))
}
const fn real_list(name: &'static str) -> Attr {
    Attr::new(name, Value::Real(Count::Any))
}
const fn int(name: &'static str) -> Attr {
    Attr::new(name, Value::Int(Count::Exactly(1)))
}
const fn ints(name: &'static str, count: usize) -> Attr {
    Attr::new(name, Value::Int(Count::Exactly(count)))
}
const fn int_list(name: &'static str) -> Attr {
    Attr::new(name, Value::Int(Count::Any))
}
const fn boolean(name: &'static str) -> Attr {
    Attr::new(name, Value::Bool)
}
const fn word(name: &'static str, words: Words) -> Attr {
    Attr::new(name, Value::Keyword(words))
}
const fn word_list(name: &'static str, words: Words) -> Attr {
    Attr::new(name, Value::Keywords(words))
}
const fn text(name: &'static str) -> Attr {
    Attr::new(name, Value::Text)
}
const fn file(name: &'static str) -> Attr {
    Attr::new(name, Value::File).own()
}
const fn name_of(namespace: Namespace) -> Attr {
    Attr::new("name", Value::Name(namespace)).own()
}
const fn refer(name: &'static str, namespace: Namespace) -> Attr {
    Attr::new(name, Value::Reference(namespace))
}
const fn refer_list(name: &'static str, namespace: Namespace) -> Attr {
    Attr::new(name, Value::References(namespace))
}
const CLASS: Attr = Attr::new("class", Value::Class).own();

#[cfg(test)]
mod tests;
