//! Pages on the protocol for people, in `docs/protocol`: their pictures are drawn from captures, and a site has them as HTML.

mod capture;
mod picture;
mod pictures;

use crate::shell;
use anyhow::{Context, Result, bail};
use pictures::{ALL, Captures};
use pulldown_cmark::{Event, Parser, Tag, html};
use std::{
    fs,
    path::{Path, PathBuf},
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Writes the pages as HTML into this folder, too.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = folder();
    for (name, picture) in draw()? {
        let path = folder.join(name);
        fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))?;
    }
    println!("protocol: {} pictures in {}", ALL.len(), folder.display());
    if let Some(out) = &options.out {
        let pages = write(out)?;
        println!("protocol: {pages} pages in {}", out.display());
    }
    Ok(())
}

/// Where the pages and their pictures lie.
fn folder() -> PathBuf {
    shell::root().join("docs/protocol")
}

/// Each picture with the name of its file.
fn draw() -> Result<Vec<(String, String)>> {
    let captures = Captures::read(&shell::root().join("shared/tests/data/wire"))?;
    let drawn = ALL.iter().map(|(name, draw)| {
        let picture =
            draw(&captures).with_context(|| format!("the picture {name} cannot be drawn"))?;
        Ok((format!("{name}.svg"), picture.finish()))
    });
    drawn.collect()
}

/// Writes the pages as HTML with their pictures; tells how many there are.
pub(crate) fn write(out: &Path) -> Result<usize> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let pages = pages()?;
    for page in &pages {
        fs::write(out.join(page.html_name()), page.html(&pages))?;
    }
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if let (Some("svg"), Some(name)) = (
            path.extension().and_then(|end| end.to_str()),
            path.file_name(),
        ) {
            fs::copy(&path, out.join(name))?;
        }
    }
    Ok(pages.len())
}

/// A page as it was written.
struct Page {
    /// Without the ending.
    name: String,
    title: String,
    text: String,
}

/// All pages, the contents first.
fn pages() -> Result<Vec<Page>> {
    const CONTENTS: &str = "README.md";
    let contents = fs::read_to_string(folder().join(CONTENTS))?;
    let mut names = vec![CONTENTS.to_owned()];
    // Their order is that of the links in the contents.
    for event in Parser::new(&contents) {
        if let Event::Start(Tag::Link { dest_url, .. }) = event
            && dest_url.ends_with(".md")
            && !dest_url.contains('/')
        {
            names.push(dest_url.into_string());
        }
    }
    let page = |name: &String| {
        let text = fs::read_to_string(folder().join(name))
            .with_context(|| format!("there is no {name}"))?;
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let Some(title) = title.map(str::to_owned) else {
            bail!("{name} does not begin with its title");
        };
        let name = name.trim_end_matches(".md").to_owned();
        Ok(Page { name, title, text })
    };
    names.iter().map(page).collect()
}

impl Page {
    fn html_name(&self) -> String {
        match self.name.as_str() {
            "README" => "index.html".to_owned(),
            name => format!("{name}.html"),
        }
    }

    fn html(&self, all: &[Self]) -> String {
        let events = Parser::new_ext(&self.text, pulldown_cmark::Options::ENABLE_TABLES);
        let events = events.map(|event| match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let page = all
                    .iter()
                    .find(|page| dest_url.strip_suffix(".md") == Some(&page.name));
                let dest_url = page.map_or(dest_url, |page| page.html_name().into());
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                })
            }
            other => other,
        });
        let mut body = String::new();
        html::push_html(&mut body, events);
        let links = all.iter().map(|page| {
            let here = if page.name == self.name {
                " aria-current=\"page\""
            } else {
                ""
            };
            format!("<a href=\"{}\"{here}>{}</a>", page.html_name(), page.title)
        });
        let links = links.collect::<Vec<_>>().join("\n");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <style>{LOOK}</style>\n<nav>\n{links}\n</nav>\n<main>\n{body}</main>\n</html>\n",
            self.title
        )
    }
}

const LOOK: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.55 system-ui,sans-serif;max-width:48rem;margin:0 auto;padding:1rem}\
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;font-size:.9rem;border-bottom:1px solid #8886;padding-bottom:.6rem}\
nav [aria-current]{font-weight:600;text-decoration:none}\
img{max-width:100%;height:auto}\
pre{overflow-x:auto;background:#8882;padding:.6rem}code{font-size:.9em}\
table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.2rem .6rem;text-align:left;vertical-align:top}";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pictures_are_what_the_captures_show() {
        for (name, picture) in draw().unwrap() {
            let kept = fs::read_to_string(folder().join(&name)).unwrap_or_default();
            assert!(
                kept == picture,
                "{name} is another: cargo xtask protocol draws it anew"
            );
        }
    }

    #[test]
    fn each_picture_is_shown_once_with_words_for_it_and_links_lead_somewhere() {
        let mut shown = BTreeSet::new();
        for page in pages().unwrap() {
            let mut words = None;
            for event in Parser::new(&page.text) {
                match event {
                    Event::Start(Tag::Image { dest_url, .. }) => {
                        words = Some(0);
                        assert!(
                            shown.insert(dest_url.to_string()),
                            "{dest_url} is shown twice"
                        );
                    }
                    Event::Text(text) => words = words.map(|words| words + text.len()),
                    Event::End(pulldown_cmark::TagEnd::Image) => {
                        assert!(
                            words.take().is_some_and(|words| words > 20),
                            "{}: a picture without words",
                            page.name
                        );
                    }
                    Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with("http") => {
                        let path = dest_url.split('#').next().unwrap_or_default();
                        assert!(
                            folder().join(path).exists(),
                            "{}: {dest_url} leads nowhere",
                            page.name
                        );
                    }
                    _ => {}
                }
            }
        }
        let drawn: BTreeSet<String> = ALL.iter().map(|(name, _)| format!("{name}.svg")).collect();
        assert_eq!(shown, drawn);
    }

    #[test]
    fn pages_become_html_that_leads_from_one_to_the_next() {
        let out = std::env::temp_dir().join(format!("strafe-protocol-{}", std::process::id()));
        let count = write(&out).unwrap();
        let index = fs::read_to_string(out.join("index.html")).unwrap();
        let links = index.matches("href=\"").count();
        assert!(
            count > 5 && links >= 2 * count - 1,
            "{count} pages, {links} links"
        );
        assert!(!index.contains(".md\""), "a link leads to a page's source");
        for (name, _) in ALL {
            assert!(
                out.join(format!("{name}.svg")).is_file(),
                "{name} is missing"
            );
        }
        fs::remove_dir_all(out).unwrap();
    }
}
