//! Text to a tree of nodes, with the exact place of every element and attribute.
//!
//! Accepts the part of XML that models use: elements, attributes, comments, processing instructions, the five
//! predefined entities and numeric character references. Refuses document type declarations, and with them entities of
//! the author's own making: no model needs them, and nested ones are the classic way to turn a kilobyte into
//! gigabytes. Depth, number of elements and number of bytes are bounded by [`Limits`].
//!
//! The tree is built with an explicit stack, so that hostile nesting cannot overflow the machine's own.

use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::{EscapeError, unescape};
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesDecl, BytesStart, Event};

use super::limits::Budget;
use super::value::shorten;
use crate::problem::{NoteKind, Place, Problem, Problems, Source};

/// An element as it stands in the file, not yet compared with the schema.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Tag.
    pub name: String,
    /// In the order of the file; names are unique.
    pub attributes: Vec<NodeAttribute>,
    /// In the order of the file.
    pub children: Vec<Node>,
    /// Where its `<` stands.
    pub place: Place,
}

/// `name="value"`.
#[derive(Clone, Debug)]
pub(crate) struct NodeAttribute {
    /// Left of the equals sign.
    pub name: String,
    /// Right of it, with entities resolved.
    pub value: Arc<str>,
    /// Where the name starts.
    pub place: Place,
}

impl Node {
    /// The attribute called `name`.
    pub fn attribute(&self, name: &str) -> Option<&NodeAttribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// How the node is shown in messages: with the attribute called `name`, if it has one.
    pub fn shown_with(&self, name: &str) -> String {
        match self.attribute(name) {
            Some(attribute) => {
                format!(
                    "<{} {}=\"{}\">",
                    shorten(&self.name),
                    shorten(name),
                    shorten(&attribute.value)
                )
            }
            None => format!("<{}>", shorten(&self.name)),
        }
    }

    /// An error about the element as a whole.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::error(self.place.clone(), self.shown_with("name"), message)
    }
}

/// Elements with more attributes than this are not read further. The largest MJCF element has about 40.
const MOST_ATTRIBUTES: usize = 64;

/// Reads one file. Well-formedness errors end the reading of this file; they are recorded, and `None` is returned. Once a
/// bound is broken, nothing more is read.
pub(crate) fn read(bytes: &[u8], source: &Arc<Source>, budget: &mut Budget, problems: &mut Problems) -> Option<Node> {
    if budget.is_spent() {
        return None;
    }
    match read_tree(bytes, source, budget, problems) {
        Ok(root) => Some(root),
        Err(problem) => {
            problems.push(*problem);
            None
        }
    }
}

/// The tag of the root element, to tell MJCF (`mujoco`) from URDF (`robot`). `None` if there is no element.
pub fn root_tag(bytes: &[u8]) -> Option<String> {
    let text = decode(bytes, &Source::main("")).ok()?;
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) | Event::Empty(tag) => return Some(tag.name().as_ref().to_owned()),
            Event::Eof => return None,
            _ => {}
        }
    }
}

// Boxed because problems are large and rare.
type Outcome<T> = Result<T, Box<Problem>>;

fn read_tree(bytes: &[u8], source: &Arc<Source>, budget: &mut Budget, problems: &mut Problems) -> Outcome<Node> {
    let text = decode(bytes, source)?;
    budget
        .take_bytes(text.len())
        .map_err(|why| at(Place::new(source, 1, 1), why))?;

    let mut reader = Reader::from_str(text);
    let mut builder = Builder {
        cursor: Cursor::new(text, source),
        text,
        open: Vec::new(),
        root: None,
    };
    loop {
        let start = position(reader.buffer_position());
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(builder.malformed(&error, position(reader.error_position()))),
        };
        match event {
            Event::Start(tag) => builder.open(&tag, start, budget)?,
            Event::Empty(tag) => {
                builder.open(&tag, start, budget)?;
                builder.close();
            }
            Event::End(_) => builder.close(),
            Event::Text(text) => builder.stray_text(&text.into_inner(), start, problems),
            Event::CData(data) => builder.stray_text(&data.into_inner(), start, problems),
            Event::GeneralRef(entity) => builder.stray_text(&entity.into_inner(), start, problems),
            Event::DocType(_) => {
                return Err(builder.refuse(start, "document type declarations (DOCTYPE) are not accepted"));
            }
            Event::Decl(declaration) => builder.check_encoding(&declaration, start)?,
            Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => return builder.finish(),
        }
    }
}

/// Offsets fit in memory, because the text does.
fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn at(place: Place, message: impl Into<String>) -> Box<Problem> {
    Box::new(Problem::error(place, "", message))
}

/// The text of the file: UTF-8, with or without byte order mark, free of control characters.
fn decode<'b>(bytes: &'b [u8], source: &Arc<Source>) -> Outcome<&'b str> {
    let start = || Place::new(source, 1, 1);
    if bytes.starts_with(&[0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE]) {
        return Err(at(start(), "the file is UTF-16; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let sound = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let place = Cursor::new(&sound, source).place(sound.len());
        at(place, "not valid UTF-8; save the file as UTF-8")
    })?;
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    match text.as_bytes().iter().position(is_control) {
        Some(offset) => Err(at(
            Cursor::new(text, source).place(offset),
            format!("control character U+{:04X} in the text", text.as_bytes()[offset]),
        )),
        None if text.trim().is_empty() => Err(at(start(), "the file is empty")),
        None => Ok(text),
    }
}

/// Counts lines and columns while walking forward; each character is visited once.
struct Cursor<'t> {
    text: &'t str,
    source: Arc<Source>,
    offset: usize,
    line: u32,
    column: u32,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str, source: &Arc<Source>) -> Self {
        Self {
            text,
            source: Arc::clone(source),
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// The place of byte `offset`. Asking backwards is allowed and starts over.
    fn place(&mut self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            (self.offset, self.line, self.column) = (0, 1, 1);
        }
        for byte in &self.text.as_bytes()[self.offset..offset] {
            match byte {
                b'\n' => (self.line, self.column) = (self.line.saturating_add(1), 1),
                // Continuation bytes of UTF-8 belong to the character before.
                0x80..=0xBF => {}
                _ => self.column = self.column.saturating_add(1),
            }
        }
        self.offset = offset;
        Place::new(&self.source, self.line, self.column)
    }
}

/// The tree under construction.
struct Builder<'t> {
    text: &'t str,
    cursor: Cursor<'t>,
    open: Vec<Node>,
    root: Option<Node>,
}

impl Builder<'_> {
    fn open(&mut self, tag: &BytesStart<'_>, start: usize, budget: &mut Budget) -> Outcome<()> {
        let place = self.cursor.place(start);
        if self.root.is_some() && self.open.is_empty() {
            return Err(at(place, "a second root element; a file has one"));
        }
        let name = tag.name().as_ref().to_owned();
        budget
            .take_element(self.open.len())
            .map_err(|why| at(place.clone(), why))?;
        let attributes = self.attributes(tag, start)?;
        budget
            .take_attributes(attributes.len())
            .map_err(|why| at(place.clone(), why))?;
        self.open.push(Node {
            name,
            attributes,
            children: Vec::new(),
            place,
        });
        Ok(())
    }

    fn close(&mut self) {
        if let Some(node) = self.open.pop() {
            match self.open.last_mut() {
                Some(parent) => parent.children.push(node),
                None => self.root = Some(node),
            }
        }
    }

    fn attributes(&mut self, tag: &BytesStart<'_>, start: usize) -> Outcome<Vec<NodeAttribute>> {
        // In a list of its own length: room to grow would be most of what a large model takes.
        let mut attributes: Vec<NodeAttribute> = Vec::with_capacity(tag.attributes_raw().matches('=').count());
        // One bit per hash of a name: most are told apart without comparing them.
        let mut hashes = 0u64;
        // Repetition is checked below, with a better message and in bounded time.
        for item in tag.attributes().with_checks(false) {
            let item = item.map_err(|error| self.malformed_attribute(&error, start))?;
            let name = item.key.as_ref();
            let place = self.cursor.place(self.offset_of(name));
            let fail = |message: String| {
                Err(Box::new(Problem::error(
                    place.clone(),
                    format!("<{}>", tag.name().as_ref()),
                    message,
                )))
            };
            if attributes.len() == MOST_ATTRIBUTES {
                return fail(format!("more than {MOST_ATTRIBUTES} attributes"));
            }
            let hash = 1
                << (name
                    .bytes()
                    .fold(0u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte))
                    % 64);
            if hashes & hash != 0 && attributes.iter().any(|earlier| earlier.name == name) {
                return fail(format!("the attribute \"{}\" is given twice", shorten(name)));
            }
            hashes |= hash;
            match unescape(&item.value) {
                // Editors annotate the root element for themselves; that is no part of the model.
                Ok(_) if name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xsi:") => {}
                Ok(value) => attributes.push(NodeAttribute {
                    name: name.to_owned(),
                    value: value.into(),
                    place,
                }),
                Err(error) => return fail(describe_entity(&error)),
            }
        }
        Ok(attributes)
    }

    /// Where `part`, a piece of the text, starts in it.
    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    /// Text between elements means nothing, to MuJoCo neither; a stray hyphen or a comment half removed is common.
    fn stray_text(&mut self, text: &str, start: usize, problems: &mut Problems) {
        let trimmed = text.trim_start_matches(is_blank);
        // URDF files carry elements of other programs, which have text.
        if trimmed.is_empty() || self.open.first().is_some_and(|root| root.name == crate::urdf::ROBOT) {
            return;
        }
        let place = self.cursor.place(start + (text.len() - trimmed.len()));
        let element = self.open.last().map(|node| node.shown_with("name")).unwrap_or_default();
        let message = format!(
            "text \"{}\" between elements; MJCF has attributes only",
            shorten(trimmed.trim_end())
        );
        problems.push(Problem::error(place, element, message).note(NoteKind::Ignored));
    }

    /// Only UTF-8 is read; a declaration of another encoding is harmless when all characters are ASCII.
    fn check_encoding(&mut self, declaration: &BytesDecl<'_>, start: usize) -> Outcome<()> {
        let Some(Ok(encoding)) = declaration.encoding() else {
            return Ok(());
        };
        if encoding.eq_ignore_ascii_case("utf-8") || self.text.is_ascii() {
            return Ok(());
        }
        Err(self.refuse(
            start,
            format!(
                "the encoding \"{}\" is not supported; save the file as UTF-8",
                shorten(&encoding)
            ),
        ))
    }

    fn refuse(&mut self, offset: usize, message: impl Into<String>) -> Box<Problem> {
        at(self.cursor.place(offset), message)
    }

    fn malformed(&mut self, error: &Error, offset: usize) -> Box<Problem> {
        let message = match error {
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let place = self
                    .open
                    .last()
                    .map(|node| format!(" (opened at {}:{})", node.place.line, node.place.column));
                let place = place.unwrap_or_default();
                format!(
                    "</{}> stands where <{}>{place} must be closed first",
                    shorten(found),
                    shorten(expected)
                )
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                format!("</{}> closes an element that was not opened", shorten(found))
            }
            Error::Syntax(error) => error.to_string(),
            Error::IllFormed(error) => error.to_string(),
            other => other.to_string(),
        };
        self.refuse(offset, format!("malformed XML: {message}"))
    }

    fn malformed_attribute(&mut self, error: &AttrError, start: usize) -> Box<Problem> {
        // Positions are relative to the name of the tag, which follows the '<'.
        let (offset, message) = match error {
            AttrError::ExpectedEq(p) => (*p, "an attribute is written name=\"value\"; here is no '='"),
            AttrError::ExpectedValue(p) => (*p, "no value after '='"),
            AttrError::UnquotedValue(p) => (*p, "the value of an attribute stands in quotes"),
            AttrError::ExpectedQuote(p, _) => (*p, "the quotes around a value are not closed"),
            AttrError::Duplicated(p, _) => (*p, "an attribute is given twice"),
        };
        self.refuse(start + 1 + offset, format!("malformed XML: {message}"))
    }

    fn finish(mut self) -> Outcome<Node> {
        if let Some(node) = self.open.pop() {
            return Err(Box::new(node.problem(format!(
                "<{}> is never closed; is the file complete?",
                shorten(&node.name)
            ))));
        }
        self.root
            .ok_or_else(|| at(Place::new(&self.cursor.source, 1, 1), "there is no element in the file"))
    }
}

/// White space, including the invisible characters that come along when text is copied from web pages.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200D}' | '\u{FEFF}')
}

fn describe_entity(error: &EscapeError) -> String {
    match error {
        EscapeError::UnrecognizedEntity(_, name) => format!(
            "the entity &{}; is not known; XML has &lt; &gt; &amp; &quot; &apos; and &#number;",
            shorten(name)
        ),
        EscapeError::UnterminatedEntity(_) => "'&' starts an entity that no ';' ends; write &amp; for '&'".to_owned(),
        other => other.to_string(),
    }
}
