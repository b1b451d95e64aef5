//! The page and the paks over HTTP.

use crate::folder::Folder;
use crate::world::{ask, get, relay};

/// What is said of files whose addresses change with them.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A folder with a page and a game.
fn site(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.make("web");
    folder.make("games/baseoa");
    folder.write("web/index.html", b"<title>Strafe</title>");
    folder.write("web/game-0a1b2c3d.wasm", b"\0asm plain");
    folder.write("web/game-0a1b2c3d.wasm.br", b"brotli");
    folder.write("web/game-0a1b2c3d.wasm.gz", b"gzip");
    folder.write("games/baseoa/pak0.pk3", b"0123456789");
    folder.write("games/baseoa/Map Pack.pk3", b"abc");
    folder.write("games/baseoa/server.cfg", b"rconpassword secret");
    folder
}

#[tokio::test]
async fn the_page_comes_compressed_and_typed() {
    let folder = site("page");
    let relay = relay(&["--web", &folder.path("web")]).await;
    let page = get(&relay, "/", "").await;
    page.expect(200, b"<title>Strafe</title>");
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("'wasm-unsafe-eval'"));

    for (accepted, encoding, body) in [
        ("br, gzip", Some("br"), &b"brotli"[..]),
        ("gzip", Some("gzip"), b"gzip"),
        ("", None, b"\0asm plain"),
    ] {
        let accepted = format!("accept-encoding: {accepted}\r\n");
        let wasm = get(&relay, "/game-0a1b2c3d.wasm", &accepted).await;
        wasm.expect(200, body);
        assert_eq!(wasm.header("content-encoding"), encoding);
        assert_eq!(wasm.header("content-type"), Some("application/wasm"));
        assert_eq!(wasm.header("cache-control"), Some(FOR_EVER));
    }
    for path in [
        "/nothing.js",
        "/../games/baseoa/server.cfg",
        "/%2e%2e/games/baseoa/server.cfg",
    ] {
        assert_eq!(get(&relay, path, "").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn every_answer_tells_browsers_what_the_page_may_do() {
    let folder = site("headers");
    let (web, games) = (folder.path("web"), folder.path("games"));
    let relay = relay(&["--web", &web, "--content", &games]).await;
    for path in [
        "/",
        "/game-0a1b2c3d.wasm",
        "/nothing",
        "/api/content",
        "/api/servers",
        "/api/transport",
        "/content/baseoa/pak0.pk3",
        "/content/baseoa/nothing.pk3",
        "/healthz",
        "/metrics",
        "/ws",
    ] {
        let answer = get(&relay, path, "").await;
        let policy = answer.header("content-security-policy").expect(path);
        assert!(policy.starts_with("default-src 'self'; script-src 'self' 'wasm-unsafe-eval';"));
        for (name, expected) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "SAMEORIGIN"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(expected), "{path}");
        }
        let is_open = path.starts_with("/api/") || path.starts_with("/content/");
        let readers = match is_open {
            true => "cross-origin",
            false => "same-origin",
        };
        let header = answer.header("cross-origin-resource-policy");
        assert_eq!(header, Some(readers), "{path}");
    }
}

#[tokio::test]
async fn paks_are_listed_and_read_by_range() {
    let folder = site("paks");
    let relay = relay(&["--content", &folder.path("games")]).await;
    let index = get(&relay, "/api/content", "").await.json();
    let game = &index["games"][0];
    assert_eq!(game["name"], "baseoa");
    let paks = game["paks"].as_array().unwrap();
    let names: Vec<_> = paks.iter().map(|pak| &pak["name"]).collect();
    assert_eq!(names, ["Map Pack.pk3", "pak0.pk3"]);
    assert_eq!(paks[1]["bytes"], 10);

    for pak in paks {
        let answer = get(&relay, pak["url"].as_str().unwrap(), "").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body.len() as u64, pak["bytes"].as_u64().unwrap());
        assert_eq!(answer.header("cache-control"), Some(FOR_EVER));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }

    let path = "/content/baseoa/pak0.pk3";
    let lines = "range: bytes=-4\r\naccept-encoding: br, gzip\r\n";
    let end = get(&relay, path, lines).await;
    end.expect(206, b"6789");
    assert_eq!(end.header("content-range"), Some("bytes 6-9/10"));
    assert_eq!(end.header("content-encoding"), None);
    assert_eq!(get(&relay, path, "range: bytes=10-\r\n").await.status, 416);

    let etag = end.header("etag").unwrap();
    let known = format!("if-none-match: {etag}\r\n");
    assert_eq!(get(&relay, path, &known).await.status, 304);
    let part = format!("range: bytes=2-3\r\nif-range: {etag}\r\n");
    get(&relay, path, &part).await.expect(206, b"23");
    // What makes no sense is refused with the size; more than one part comes as the whole or not at all.
    for range in [
        "bytes=7-3",
        "bytes=99-",
        "bytes=a-b",
        "bytes=-0",
        "lines=1-2",
    ] {
        let refused = get(&relay, path, &format!("range: {range}\r\n")).await;
        assert_eq!(refused.status, 416, "{range}");
        assert_eq!(refused.header("content-range"), Some("bytes */10"));
    }
    let parts = get(&relay, path, "range: bytes=0-1,4-5\r\n").await;
    assert_eq!(parts.status, 416);
    let long = get(&relay, path, "range: bytes=8-1000\r\n").await;
    long.expect(206, b"89");
    let head = ask(&relay, "HEAD", path, "").await;
    head.expect(200, b"");
    assert_eq!(head.header("content-length"), Some("10"));
    assert_eq!(head.header("accept-ranges"), Some("bytes"));
    assert_eq!(head.header("etag"), Some(etag));
    let other = "if-none-match: \"other\"\r\n";
    assert_eq!(get(&relay, path, other).await.status, 200);
    let whole = get(&relay, path, "range: bytes=2-3\r\nif-range: \"other\"\r\n").await;
    whole.expect(200, b"0123456789");
}

#[tokio::test]
async fn only_paks_are_served() {
    let folder = site("only");
    let relay = relay(&["--content", &folder.path("games/baseoa")]).await;
    let pak = get(&relay, "/content/baseoa/pak0.pk3", "").await;
    pak.expect(200, b"0123456789");
    for path in [
        "/content/baseoa/server.cfg",
        "/content/baseoa/..%2f..%2fweb%2findex.html",
        "/content/../web/index.html",
        "/content/other/pak0.pk3",
    ] {
        assert_eq!(get(&relay, path, "").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn health_is_told() {
    let relay = relay(&[]).await;
    assert_eq!(get(&relay, "/healthz", "").await.body, b"ok\n");
    let list = get(&relay, "/api/servers", "").await.json();
    assert_eq!(list["servers"], serde_json::json!([]));
}

#[tokio::test]
async fn counts_are_read_by_programs_on_this_machine() {
    let plain = relay(&[]).await;
    let counts = get(&plain, "/metrics", "").await;
    let text = String::from_utf8(counts.body).unwrap();
    let gauge = "# TYPE strafe_sessions gauge\nstrafe_sessions 0\n";
    assert!(text.contains(gauge), "{text}");
    assert!(text.contains("\nstrafe_to_server_total 0\n"), "{text}");
    // A proxy that does not say for whom it asks may ask for anybody.
    let relay = relay(&["--proxy", "127.0.0.1"]).await;
    for (lines, status) in [
        ("", 404),
        ("x-forwarded-for: 1.2.3.4\r\n", 404),
        ("x-forwarded-for: unknown\r\n", 404),
        ("x-forwarded-for: 127.0.0.1, \r\n", 404),
        ("x-forwarded-for: 127.0.0.1\r\n", 200),
    ] {
        let answer = get(&relay, "/metrics", lines).await;
        assert_eq!(answer.status, status, "{lines}");
    }
}
