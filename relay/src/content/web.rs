//! The URLs of the page and the paks.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde::Deserialize;
use tower::ServiceExt;
use tower_http::services::{ServeDir, ServeFile};

use super::Content;
use super::page::Page;
use crate::core::{Plugin, REVALIDATED, RelayState, Routes};

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// What each reader of a file holds in memory: a thousand slow ones took 60 MB with twice as much.
const CHUNK: usize = 32 * 1024;

#[derive(Debug, Deserialize)]
struct Version {
    v: Option<String>,
}

impl Plugin for Content {
    fn routes(self: Arc<Self>, _relay: &Arc<RelayState>) -> Routes {
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
        let open = open.route("/light/{game}/{pak}", get(light));
        Routes {
            open: open.with_state(self),
            page: page.map(|page| page.layer(from_fn(cache_page))),
            ..Routes::default()
        }
    }
}

async fn index(State(content): State<Arc<Content>>) -> Response {
    content.refresh().await;
    let head = [(header::CACHE_CONTROL, REVALIDATED)];
    (head, Json(content.index())).into_response()
}

/// One pak, whole or by range.
async fn pak(
    State(content): State<Arc<Content>>,
    Path((game, pak)): Path<(String, String)>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    content.refresh().await;
    answer(content.path(&game, &pak), &version, request).await
}

/// The pak with smaller copies of another's pictures and sounds.
#[cfg(feature = "light")]
async fn light(
    State(content): State<Arc<Content>>,
    Path((game, pak)): Path<(String, String)>,
    Query(version): Query<Version>,
    request: Request,
) -> Response {
    answer(content.light_path(&game, &pak), &version, request).await
}

async fn answer(file: Option<PathBuf>, version: &Version, mut request: Request) -> Response {
    let Some(file) = file else {
        return (StatusCode::NOT_FOUND, "There is no such pak.\n").into_response();
    };
    if let Some(expected) = request.headers_mut().remove(header::IF_RANGE)
        && etag(&file).await.as_ref() != Some(&expected)
    {
        // The file changed between two parts of it: the whole one is due.
        request.headers_mut().remove(header::RANGE);
    }
    let mut response = serve(&file, request).await;
    let is_good = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let cache = if is_good && version.v.is_some() {
        FOR_EVER
    } else {
        REVALIDATED
    };
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

async fn serve(file: &FilePath, request: Request) -> Response {
    match ServeFile::new(file)
        .with_buf_chunk_size(CHUNK)
        .oneshot(request)
        .await
    {
        Ok(response) => {
            let (mut parts, body) = response.into_parts();
            parts.headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/zip"),
            );
            Response::from_parts(parts, axum::body::Body::new(body))
        }
        Err(never) => match never {},
    }
}

async fn etag(file: &FilePath) -> Option<HeaderValue> {
    let mut question = Request::default();
    *question.method_mut() = Method::HEAD;
    *question.uri_mut() = Uri::from_static("/");
    serve(file, question)
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
