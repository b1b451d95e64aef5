//! Paks from an sv_dlURL over HTTPS: what a web server of our own must not be able to do.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use relay::Relay;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use wtransport::Identity;
use wtransport::tls::server::build_default_tls_config;

use crate::downloads::{MAP, ORIGINAL, all_files, extract, folders, pak, read_text, settings};
use crate::real_server::{enter, start, wait_until_online};
use crate::world::{Browser, get, relay};

/// What the web server does with whoever asks.
#[derive(Clone)]
enum Mood {
    Give(Vec<u8>),
    /// A body without a length, and without an end.
    Pour,
    SendOn(String),
    Silence,
}

/// A web server that speaks nothing but TLS.
struct WebServer {
    address: SocketAddr,
    mood: Arc<Mutex<Mood>>,
    requests: Arc<AtomicUsize>,
}

impl WebServer {
    async fn start(identity: Identity) -> Self {
        let mut tls = build_default_tls_config(identity);
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            mood: Arc::new(Mutex::new(Mood::Silence)),
            requests: Arc::default(),
        };
        let (mood, requests) = (server.mood.clone(), server.requests.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // Whoever does not trust us goes away during the handshake.
                if let Ok(stream) = acceptor.accept(stream).await {
                    let mood = mood.lock().unwrap().clone();
                    tokio::spawn(answer(stream, mood, requests.clone()));
                }
            }
        });
        server
    }

    fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }
}

async fn answer(mut stream: TlsStream<TcpStream>, mood: Mood, requests: Arc<AtomicUsize>) {
    let mut request = [0; 4096];
    let size = stream.read(&mut request).await.unwrap();
    if !request[..size].starts_with(b"GET /baseoa/z_far.pk3 HTTP/1.1\r\n") {
        let head = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        let _ = stream.write_all(head).await;
        return;
    }
    requests.fetch_add(1, Ordering::Relaxed);
    // Relays that have had enough close in the middle.
    let _ = match mood {
        Mood::Give(bytes) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", bytes.len());
            stream.write_all(&[head.as_bytes(), &bytes].concat()).await
        }
        Mood::Pour => {
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            let mut poured = stream.write_all(head).await;
            let chunk = [&b"10000\r\n"[..], &[b'x'; 0x10000], b"\r\n"].concat();
            while poured.is_ok() {
                poured = stream.write_all(&chunk).await;
            }
            poured
        }
        Mood::SendOn(to) => {
            let head = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).await
        }
        Mood::Silence => std::future::pending().await,
    };
    let _ = stream.shutdown().await;
}

/// What a player hears who enters the level.
async fn hear(relay: &Relay, key: &str) -> Value {
    let mut player = Browser::join(relay, "").await;
    enter(&mut player).await;
    read_text(&mut player, key, "z_far").await
}

#[tokio::test]
async fn paks_come_over_https_and_nothing_else_does() {
    let folder = folders("secure");
    let far = pak(MAP, &extract(Path::new(ORIGINAL), "maps/oa_dm1.bsp"));
    assert!(far.len() > 1 << 20, "more than one megabyte");
    folder.write("home/baseoa/z_far.pk3", &far);
    let identity = Identity::self_signed(["localhost", "127.0.0.2"]).unwrap();
    let trusted = folder.path("trusted.pem");
    let certificate = &identity.certificate_chain().as_slice()[0];
    certificate.store_pemfile(&trusted).await.unwrap();
    let web = WebServer::start(identity).await;
    let port = web.address.port();

    let (home, source) = (folder.path("home"), format!("\"https://localhost:{port}\""));
    let many = [("sv_maxclients", "32")];
    let settings = [&settings(&home, &source)[..], &many].concat();
    let game_server = start("strafe_far", &settings);
    let name = &game_server.address();
    wait_until_online(&relay(&["--server", name]).await).await;
    let (empty, kept) = (folder.path("empty"), folder.path("kept"));
    let untrusted = ["--server", name, "--content", &empty, "--downloads", &kept];
    let options = [&untrusted[..], &["--download-authority", &trusted]].concat();
    let small = [&options[..], &["--download-limit", "1"]].concat();

    let give = Mood::Give(far.clone());
    let other = Mood::Give(pak(MAP, b"not the map"));
    let onward = |to: &str| Mood::SendOn(to.replace("PORT", &port.to_string()));
    let private = "its host is neither public nor the game server's";
    let too_large = "more than 1048576 bytes";
    let cases: [(&[&str], Mood, &str); 11] = [
        (&untrusted, give.clone(), "certificate"),
        (&options, other, "it is another pak"),
        (&small, give.clone(), too_large),
        (&small, Mood::Pour, too_large),
        // Another address of this machine is as private as any.
        (&options, onward("https://127.0.0.2:PORT/z.pk3"), private),
        (&options, onward("https://[::1]:PORT/z.pk3"), private),
        (&options, onward("http://169.254.169.254/latest"), private),
        (&options, onward("http://10.0.0.1/z.pk3"), private),
        (
            &options,
            onward("ftp://127.0.0.1/z.pk3"),
            "only http and https",
        ),
        (&options, onward("/baseoa/z_far.pk3"), "it leads on and on"),
        (&options, Mood::Silence, "it does not answer"),
    ];
    for (number, (options, mood, expected)) in cases.into_iter().enumerate() {
        web.set(mood);
        // A new one, for an old one does not try again so soon; and the server tires of one address.
        let source = format!("127.7.{number}.0/24");
        let fresh = relay(&[options, &["--source", &source]].concat()).await;
        let notice = hear(&fresh, "notice").await["notice"].to_string();
        assert!(notice.contains(expected), "{expected}: {notice}");
        let files = all_files(Path::new(&kept));
        assert!(files.is_empty(), "{expected}: {files:?} are kept");
    }

    web.set(give);
    let fresh = relay(&options).await;
    let before = web.requests.load(Ordering::Relaxed);
    for _ in 0..2 {
        let got = hear(&fresh, "pak").await;
        let url = got["pak"]["url"].as_str().unwrap();
        let answer = get(&fresh, url, "").await;
        assert_eq!((answer.status, answer.body == far), (200, true));
    }
    assert_eq!(web.requests.load(Ordering::Relaxed), before + 1, "once");
    assert_eq!(all_files(Path::new(&kept)).len(), 1);
}
