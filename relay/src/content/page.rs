//! The page that a release carries inside it, served from memory.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;

/// Names and contents of the files; none in a relay that was built without the page.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The files of a page by name.
#[derive(Debug)]
pub(super) struct Page(BTreeMap<&'static str, File>);

#[derive(Debug)]
struct File {
    plain: Bytes,
    /// Compressed with brotli, where that was worth it.
    brotli: Option<Bytes>,
    kind: HeaderValue,
    /// Of this content; each encoding has one of its own, as HTTP wants it.
    hash: u64,
}

impl Page {
    /// The page inside this program, if it was built with one.
    pub(super) fn embedded() -> Option<Self> {
        (!FILES.is_empty()).then(|| Self::new(FILES))
    }

    fn new(files: &[(&'static str, &'static [u8])]) -> Self {
        let find = |name: &str| files.iter().find(|(other, _)| *other == name);
        let plain = files.iter().filter(|(name, _)| !name.ends_with(".br"));
        let file = |&(name, bytes): &(&'static str, &'static [u8])| {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            let brotli = find(&format!("{name}.br")).map(|(_, bytes)| Bytes::from_static(bytes));
            let file = File {
                plain: Bytes::from_static(bytes),
                brotli,
                kind: kind(name),
                hash: hasher.finish(),
            };
            (name, file)
        };
        Self(plain.map(file).collect())
    }

    pub(super) fn router(self) -> Router {
        let page = Arc::new(self);
        Router::new().fallback(get(async move |uri: Uri, headers: HeaderMap| {
            page.answer(uri.path(), &headers)
        }))
    }

    fn answer(&self, path: &str, asked: &HeaderMap) -> Response {
        let name = match path.strip_prefix('/').unwrap_or(path) {
            "" => "index.html",
            name => name,
        };
        let Some(file) = self.0.get(name) else {
            return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
        };
        let brotli = file.brotli.as_ref().filter(|_| takes_brotli(asked));
        let etag = match brotli {
            Some(_) => format!("\"{:016x}-br\"", file.hash),
            None => format!("\"{:016x}\"", file.hash),
        };
        let known = asked.get_all(header::IF_NONE_MATCH).iter();
        let is_known = known
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','))
            .any(|tag| tag.trim().trim_start_matches("W/") == etag || tag.trim() == "*");
        let part = asked.get(header::RANGE).and_then(|range| {
            let whole = brotli.is_none().then_some(&file.plain)?;
            part(range.to_str().ok()?, whole.len())
        });
        let mut response = match (is_known, part) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, Some((from, to))) => {
                let head = format!("bytes {from}-{}/{}", to - 1, file.plain.len());
                let head = [(header::CONTENT_RANGE, head)];
                let part = file.plain.slice(from..to);
                (StatusCode::PARTIAL_CONTENT, head, part).into_response()
            }
            (false, None) => brotli.unwrap_or(&file.plain).clone().into_response(),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, file.kind.clone());
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            headers.insert(header::ETAG, etag);
        }
        if brotli.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        }
        response
    }
}

/// Where `bytes=FROM-TO` begins and ends; whoever asks for anything else gets the whole file.
fn part(range: &str, length: usize) -> Option<(usize, usize)> {
    let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
    let from: usize = from.parse().ok()?;
    let last: usize = to.parse().ok()?;
    (from <= last && last < length).then_some((from, last + 1))
}

/// Browsers offer brotli only where the page comes over HTTPS or from localhost.
fn takes_brotli(asked: &HeaderMap) -> bool {
    let lines = asked.get_all(header::ACCEPT_ENCODING).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|offer| {
            let (name, weight) = offer.split_once(';').unwrap_or((offer, "q=1"));
            let weight = weight.trim().trim_start_matches("q=");
            name.trim() == "br" && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
        })
}

fn kind(name: &str) -> HeaderValue {
    HeaderValue::from_static(
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            // Only with this type do browsers compile while it arrives.
            Some("wasm") => "application/wasm",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            Some("webmanifest") => "application/manifest+json",
            _ => "application/octet-stream",
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(path: &str, lines: &[(&'static str, &str)]) -> (u16, HeaderMap) {
        let page = Page::new(&[
            ("game-0a1b2c3d.wasm", b"\0asm plain"),
            ("game-0a1b2c3d.wasm.br", b"packed"),
            ("icon.svg", b"<svg/>"),
            ("index.html", b"<title>Strafe</title>"),
        ]);
        let lines = lines
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let answer = page.answer(path, &lines.collect());
        (answer.status().as_u16(), answer.headers().clone())
    }

    #[test]
    fn files_come_typed_and_packed_where_that_is_understood() {
        let (status, head) = ask("/", &[]);
        assert_eq!(status, 200);
        assert_eq!(head["content-type"], "text/html; charset=utf-8");
        for (offer, expected) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=0.5", true),
            ("br;q=0, gzip", false),
            ("gzip", false),
        ] {
            let (status, head) = ask("/game-0a1b2c3d.wasm", &[("accept-encoding", offer)]);
            assert_eq!(status, 200);
            assert_eq!(head["content-type"], "application/wasm");
            assert_eq!(head.get("content-encoding").is_some(), expected, "{offer}");
        }
        for path in [
            "/nothing",
            "/game-0a1b2c3d.wasm.br",
            "//index.html",
            "/../icon.svg",
        ] {
            assert_eq!(ask(path, &[]).0, 404, "{path}");
        }
    }

    #[test]
    fn parts_of_a_file_come_where_they_are_asked_for() {
        for (range, expected) in [
            ("bytes=0-1", Some("bytes 0-1/6")),
            ("bytes=5-5", Some("bytes 5-5/6")),
            ("bytes=3-6", None),
            ("bytes=3-2", None),
            ("bytes=3-", None),
            ("bytes=0-1,3-4", None),
            ("lines=0-1", None),
        ] {
            let (status, head) = ask("/icon.svg", &[("range", range)]);
            let told = head
                .get("content-range")
                .map(|value| value.to_str().unwrap());
            assert_eq!(told, expected, "{range}");
            assert_eq!(
                status,
                if expected.is_some() { 206 } else { 200 },
                "{range}"
            );
        }
        let both = [("range", "bytes=0-1"), ("accept-encoding", "br")];
        assert_eq!(ask("/game-0a1b2c3d.wasm", &both).0, 200);
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let plain = ask("/game-0a1b2c3d.wasm", &[]).1["etag"].clone();
        let tag = plain.to_str().unwrap();
        let packed = [("accept-encoding", "br"), ("if-none-match", tag)];
        assert_eq!(ask("/game-0a1b2c3d.wasm", &packed[1..]).0, 304);
        assert_eq!(ask("/game-0a1b2c3d.wasm", &packed).0, 200);
        let both = format!("\"other\", W/{tag}");
        assert_eq!(
            ask("/game-0a1b2c3d.wasm", &[("if-none-match", &both)]).0,
            304
        );
    }
}
