//! All material scripts of the game: which definition of a name counts, and where it stands.

use super::{Problem, Script};
use crate::formats::lexer::{Lexer, text_from_bytes};
use std::{collections::HashMap, fmt};

/// A defect of a script file, for the player's console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Name of the script file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The material; empty if the whole file is unusable.
    pub material: String,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            material,
            problem,
        } = self;
        if material.is_empty() {
            write!(f, "{file}:{line}: {problem}; the file is ignored")
        } else {
            write!(
                f,
                "{file}:{line}: material {material}: {problem}; it is drawn as a grey box"
            )
        }
    }
}

impl std::error::Error for ScriptError {}

/// Most materials of all scripts together, which take some 100 bytes each; large collections have a tenth.
const MAX_MATERIALS: usize = 1 << 17;

/// Every material that a script defines.
#[derive(Clone, Debug, Default)]
pub struct Library {
    files: Vec<File>,
    by_name: HashMap<String, Definition>,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    text: Compact,
}

#[derive(Clone, Copy, Debug)]
struct Definition {
    file: usize,
    /// Byte of the compact text behind the name, and its compact line.
    at: usize,
    line: usize,
}

impl Library {
    /// Reads files in the order of the search path, most important first. The definition in the
    /// *last* file wins, and within a file the first: the reference searches them joined in reverse.
    /// A file whose braces do not balance is left out as a whole.
    pub fn new<'a>(
        files: impl IntoIterator<Item = (String, &'a [u8])>,
    ) -> (Self, Vec<ScriptError>) {
        let mut library = Self::default();
        let mut errors = Vec::new();
        for (name, bytes) in files {
            let text = text_from_bytes(bytes);
            match check_braces(&text) {
                Ok(()) => library.files.push(File {
                    name,
                    text: Compact::new(&text),
                }),
                Err(Problem {
                    line,
                    text: problem,
                }) => errors.push(ScriptError {
                    file: name,
                    line,
                    material: String::new(),
                    problem,
                }),
            }
        }
        for file in (0..library.files.len()).rev() {
            if !library.index(file) {
                errors.push(ScriptError {
                    file: library.files[file].name.clone(),
                    line: 1,
                    material: String::new(),
                    problem: format!(
                        "all scripts together define more than {MAX_MATERIALS} materials"
                    ),
                });
                break;
            }
        }
        (library, errors)
    }

    /// How many materials there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// All names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether a script defines this name; case does not matter.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(&name.to_ascii_lowercase())
    }

    /// Reads the definition of a name without extension; `None` if no script defines it.
    ///
    /// # Errors
    /// The definition has a word or number that the game does not know; the error says where.
    pub fn script(&self, name: &str) -> Option<Result<Script, ScriptError>> {
        let definition = self.by_name.get(&name.to_ascii_lowercase())?;
        let file = &self.files[definition.file];
        let mut lexer = Lexer::at(&file.text.text, definition.at, definition.line);
        let error = |Problem {
                         line,
                         text: problem,
                     }| ScriptError {
            file: file.name.clone(),
            line: file.text.original_line(line),
            material: name.to_owned(),
            problem,
        };
        Some(super::parse(&mut lexer).map_err(error))
    }

    fn index(&mut self, file: usize) -> bool {
        let text = &self.files[file].text.text;
        let mut lexer = Lexer::new(text);
        while let Some(name) = lexer.token().filter(|name| !name.is_empty()) {
            if self.by_name.len() >= MAX_MATERIALS {
                return false;
            }
            let definition = Definition {
                file,
                at: lexer.offset(),
                line: lexer.line(),
            };
            self.by_name
                .entry(name.to_ascii_lowercase())
                .or_insert(definition);
            if !lexer.skip_braces(0) {
                break;
            }
        }
        true
    }
}

fn check_braces(text: &str) -> Result<(), Problem> {
    let mut lexer = Lexer::new(text);
    while let Some(name) = lexer.token().filter(|name| !name.is_empty()) {
        let opening = lexer.clone();
        if lexer.token() != Some("{") {
            return Err(Problem::new(
                &opening,
                format!("expected {{ after {name:?}"),
            ));
        }
        if !lexer.skip_braces(1) {
            return Err(Problem::new(
                &opening,
                format!("the braces of {name:?} do not balance"),
            ));
        }
    }
    Ok(())
}

/// A text without comments, even inside words, and without needless blanks.
#[derive(Clone, Debug)]
struct Compact {
    text: String,
    /// The line of the original for each line of `text`.
    lines: Vec<u32>,
}

impl Compact {
    fn new(text: &str) -> Self {
        let mut compact = Self {
            text: String::with_capacity(text.len() / 2),
            lines: vec![1],
        };
        let mut chars = text.char_indices().peekable();
        let (mut line, mut blank, mut line_break) = (1, false, false);
        while let Some((at, c)) = chars.next() {
            let rest = &text[at..];
            if c == '\n' || c == '\r' {
                line += u32::from(c == '\n');
                line_break = true;
                continue;
            }
            if c <= ' ' {
                blank = true;
                continue;
            }
            if rest.starts_with("//") {
                while chars.next_if(|&(_, c)| c != '\n').is_some() {}
                continue;
            }
            if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").map_or(rest.len(), |end| end + 4);
                while let Some((_, c)) = chars.next_if(|&(inside, _)| inside < at + length) {
                    line += u32::from(c == '\n');
                }
                continue;
            }
            compact.separate(line, line_break, blank);
            (blank, line_break) = (false, false);
            compact.text.push(c);
            if c == '"' {
                for (_, c) in chars.by_ref() {
                    compact.text.push(c);
                    if c == '\n' {
                        line += 1;
                        compact.lines.push(line);
                    }
                    if c == '"' {
                        break;
                    }
                }
            }
        }
        compact
    }

    fn separate(&mut self, line: u32, line_break: bool, blank: bool) {
        if line_break {
            self.text.push('\n');
            self.lines.push(line);
        } else if blank {
            self.text.push(' ');
        }
    }

    fn original_line(&self, line: usize) -> usize {
        let known = self.lines.get(line.saturating_sub(1)).or(self.lines.last());
        known.map_or(line, |&line| line as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::shader_script::{
        Map,
        terms::{AlphaGen, Blend, Cull, RgbGen, TcMod},
    };

    fn library(files: &[(&str, &str)]) -> (Library, Vec<ScriptError>) {
        Library::new(
            files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes())),
        )
    }

    fn parse(text: &str) -> Result<Script, String> {
        let (library, errors) = library(&[("scripts/a.shader", text)]);
        assert_eq!(errors, []);
        library
            .script("x")
            .expect("x is defined")
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_file_and_its_first_definition_win() {
        let (library, _) = library(&[
            ("high.shader", "x { { map high.tga } }"),
            (
                "low.shader",
                "X\n{\n { map low.tga } } x { { map later.tga } }",
            ),
        ]);
        let script = library.script("x").unwrap().unwrap();
        assert_eq!(
            script.stages[0].map,
            Map::Image {
                name: "low.tga".into(),
                clamp: false
            }
        );
    }

    #[test]
    fn materials_beyond_the_limit_are_left_out_and_told() {
        let mut text = String::new();
        for number in 0..MAX_MATERIALS + 5 {
            text.push_str(&format!("m{number:x} {{ }}\n"));
        }
        let (library, errors) = library(&[("many.shader", &text)]);
        assert_eq!(library.len(), MAX_MATERIALS);
        assert_eq!(errors.len(), 1);
        let error = errors[0].to_string();
        assert!(error.contains("131072 materials"), "{error}");
    }

    #[test]
    fn a_file_with_an_open_brace_is_dropped_as_a_whole() {
        let (library, errors) = library(&[
            ("bad.shader", "x { { map a } }\n\ny { {"),
            ("good.shader", "y { { map b } }"),
        ]);
        assert!(!library.contains("x") && library.contains("Y"));
        assert_eq!(
            errors[0].to_string(),
            "bad.shader:3: the braces of \"y\" do not balance; the file is ignored"
        );
    }

    #[test]
    fn comments_end_words_after_the_check() {
        let script = parse("x { // c {\n { map a//b.tga\n rgbGen /* w\n */ identity } }").unwrap();
        assert_eq!(
            script.stages[0].map,
            Map::Image {
                name: "a".into(),
                clamp: false
            }
        );
        assert_eq!(script.stages[0].rgb_gen, RgbGen::Identity);
    }

    #[test]
    fn unknown_words_break_a_material_and_name_the_line() {
        let error = parse("\n// comment\nx\n{\n\tcull none twice\n\t{ map a }\n}").unwrap_err();
        assert_eq!(
            error,
            "scripts/a.shader:5: material x: unknown word \"twice\"; it is drawn as a grey box"
        );
        assert!(parse("x { }").unwrap_err().contains("no stages"));
        assert!(
            parse("x { { map\n } }")
                .unwrap_err()
                .contains("lacks its parameter")
        );
        assert!(
            parse(&format!("x {{ {} }}", "{ map a }\n".repeat(9)))
                .unwrap_err()
                .contains("8 stages")
        );
    }

    #[test]
    fn defaults_depend_on_the_blend() {
        let stage = |lines: &str| {
            parse(&format!("x {{ {{ map a\n{lines}\n }} }}"))
                .unwrap()
                .stages[0]
                .clone()
        };
        assert_eq!(
            (stage("").rgb_gen, stage("").depth_write),
            (RgbGen::IdentityLighting, true)
        );
        let filter = stage("blendFunc filter");
        assert_eq!(
            (filter.rgb_gen, filter.depth_write, filter.blend),
            (RgbGen::Identity, false, Some(Blend::FILTER))
        );
        let replaced = stage("blendFunc GL_ONE GL_ZERO");
        assert_eq!((replaced.depth_write, replaced.blend), (true, None));
        assert!(stage("depthWrite\nblendFunc add").depth_write);
        assert_eq!(stage("rgbGen vertex").alpha_gen, AlphaGen::Vertex);
        assert_eq!(
            stage("alphaGen portal").alpha_gen,
            AlphaGen::Portal { range: 256.0 }
        );
    }

    #[test]
    fn a_bad_tc_mod_ends_the_list_and_a_fifth_breaks() {
        let lines = "tcMod scale 1 2 junk\ntcMod scroll 1\ntcMod rotate 3";
        let script = parse(&format!("x {{ {{ map a\n{lines}\n }} }}")).unwrap();
        assert_eq!(
            script.stages[0].tc_mods,
            [TcMod::Scale(glam::Vec2::new(1.0, 2.0))]
        );
        let five = "tcMod rotate 1\n".repeat(5);
        assert!(parse(&format!("x {{ {{ map a\n{five} }} }}")).is_err());
    }

    #[test]
    fn general_lines() {
        let script = parse(
            "x {\nqer_editorimage q.tga\nsurfaceparm fog\nsurfaceparm odd\ncull back\nsort additive\n\
             fogparms ( .5 0 1 ) 300 rest\nskyparms env/full - -\nq3map_sun 1 0 0 100 90 0\n}",
        )
        .unwrap();
        assert_eq!(
            (script.content_flags, script.cull, script.sort),
            (0x40, Cull::Front, Some(10.0))
        );
        assert_eq!(script.fog.unwrap().depth_for_opaque, 300.0);
        assert_eq!(script.sky.unwrap().cloud_height, 512.0);
        assert!((script.sun.unwrap().direction - glam::Vec3::Y).length() < 1e-6);
    }
}
