//! The URLs of the page and the paks.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
#[cfg(feature = "light")]
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
#[cfg(feature = "light")]
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde::Deserialize;
#[cfg(feature = "light")]
use tokio::time::sleep;
use tower::ServiceExt;
use tower_http::services::{ServeDir, ServeFile};

use super::page::Page;
use super::{Content, Played};
use crate::core::{Plugin, REVALIDATED, RelayState, Routes};

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ZIP: HeaderValue = HeaderValue::from_static("application/zip");
#[cfg(feature = "light")]
const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// How often the servers' maps are looked at.
#[cfg(feature = "light")]
const AHEAD: Duration = Duration::from_secs(5);
/// What each reader of a file holds in memory: a thousand slow ones took 60 MB with twice as much.
const CHUNK: usize = 32 * 1024;

#[derive(Debug, Deserialize)]
struct Version {
    v: Option<String>,
}

/// Where a page will play: on a server, or on a map by itself.
#[derive(Debug, Deserialize)]
struct Start {
    server: Option<String>,
    map: Option<String>,
}

impl Plugin for Content {
    /// Light paks and first files are made ahead, for the maps that the servers play.
    #[cfg(feature = "light")]
    fn begin(self: Arc<Self>, relay: Arc<RelayState>) -> BoxFuture<'static, ()> {
        if self.makes_files() {
            tokio::spawn(async move {
                loop {
                    self.refresh().await;
                    for server in &relay.config.servers {
                        self.index(relay.plugins.played(server).as_ref());
                    }
                    sleep(AHEAD).await;
                }
            });
        }
        ready(()).boxed()
    }

    fn routes(self: Arc<Self>, relay: &Arc<RelayState>) -> Routes {
        let page = match &self.web {
            Some(folder) => Some(
                Router::new().fallback_service(
                    ServeDir::new(folder)
                        .with_buf_chunk_size(CHUNK)
                        .precompressed_br()
                        .precompressed_gzip(),
                ),
            ),
            None => Page::embedded().map(Page::router),
        };
        let open = Router::new()
            .route("/api/content", get(index))
            .route("/content/{game}/{pak}", get(pak));
        #[cfg(feature = "light")]
        let open = open
            .route("/light/{game}/{pak}", get(light))
            .route("/first/{game}", get(first_of_game))
            .route("/first/{game}/{map}", get(first_of_map));
        Routes {
            open: open.with_state((self, relay.clone())),
            page: page.map(|page| page.layer(from_fn(cache_page))),
            ..Routes::default()
        }
    }
}

type Shared = State<(Arc<Content>, Arc<RelayState>)>;

async fn index(State((content, relay)): Shared, Query(start): Query<Start>) -> Response {
    content.refresh().await;
    let played = match (start.server, start.map) {
        (Some(server), _) => relay.plugins.played(&server),
        (None, map) => map.map(|map| Played {
            game: String::new(),
            map: map.to_lowercase(),
        }),
    };
    let head = [(header::CACHE_CONTROL, REVALIDATED)];
    (head, Json(content.index(played.as_ref()))).into_response()
}

/// One pak, whole or by range.
async fn pak(
    State((content, _)): Shared,
    Path((game, pak)): Path<(String, String)>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    content.refresh().await;
    answer(content.path(&game, &pak), ZIP, &version, request).await
}

/// The pak with smaller copies of another's files.
#[cfg(feature = "light")]
async fn light(
    State((content, _)): Shared,
    Path((game, pak)): Path<(String, String)>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    answer(content.light_path(&game, &pak), ZIP, &version, request).await
}

/// What all maps of a game need first.
#[cfg(feature = "light")]
async fn first_of_game(
    State((content, _)): Shared,
    Path(game): Path<String>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    answer(content.first_path(&game, None), BYTES, &version, request).await
}

/// What a map needs first besides that.
#[cfg(feature = "light")]
async fn first_of_map(
    State((content, _)): Shared,
    Path((game, map)): Path<(String, String)>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    answer(
        content.first_path(&game, Some(&map)),
        BYTES,
        &version,
        request,
    )
    .await
}

async fn answer(
    file: Option<PathBuf>,
    kind: HeaderValue,
    version: &Version,
    mut request: Request,
) -> Response {
    let Some(file) = file else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    if let Some(expected) = request.headers_mut().remove(header::IF_RANGE)
        && etag(&file).await.as_ref() != Some(&expected)
    {
        // The file changed between two parts of it: the whole one is due.
        request.headers_mut().remove(header::RANGE);
    }
    let mut response = serve(&file, kind, request).await;
    let is_good = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let cache = if is_good && version.v.is_some() {
        FOR_EVER
    } else {
        REVALIDATED
    };
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

async fn serve(file: &FilePath, kind: HeaderValue, request: Request) -> Response {
    match ServeFile::new(file)
        .with_buf_chunk_size(CHUNK)
        .oneshot(request)
        .await
    {
        Ok(response) => {
            let (mut parts, body) = response.into_parts();
            parts.headers.insert(header::CONTENT_TYPE, kind);
            Response::from_parts(parts, axum::body::Body::new(body))
        }
        Err(never) => match never {},
    }
}

async fn etag(file: &FilePath) -> Option<HeaderValue> {
    let mut question = Request::default();
    *question.method_mut() = Method::HEAD;
    *question.uri_mut() = Uri::from_static("/");
    serve(file, ZIP, question)
        .await
        .headers_mut()
        .remove(header::ETAG)
}

/// Files with a hash in their name never change; all others are asked for again.
async fn cache_page(request: Request, next: Next) -> Response {
    let is_hashed = is_hashed(request.uri().path());
    let mut response = next.run(request).await;
    let cache = if is_hashed && response.status().is_success() {
        FOR_EVER
    } else {
        REVALIDATED
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn is_hashed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_hash = |part: &str| {
        part.len() >= 8
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.contains(|one: char| one.is_ascii_digit())
    };
    name.split(['-', '.', '_']).any(is_hash)
}

#[cfg(test)]
mod tests {
    use super::is_hashed;

    #[test]
    fn hashes_are_seen_in_names() {
        assert!(is_hashed("/strafe-0a1b2c3d4e5f.wasm"));
        assert!(is_hashed("/assets/page.8f14e45fceea167a.js"));
        assert!(!is_hashed("/strafe_bg.wasm"));
        assert!(!is_hashed("/index.html"));
        assert!(!is_hashed("/facadefeed.js"));
    }
}
