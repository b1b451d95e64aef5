//! The files of `relay/deploy`: what they ask of the relay must be what it has, and nginx must run with ours.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use clap::Parser;
use relay::config::Config;
use serde::Deserialize;
use serde_yaml_ng::Value;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::chaos::UPGRADE;
use crate::content::FOR_EVER;
use crate::folder::Folder;
use crate::world::{PATIENCE, ask_at, get, relay};

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("deploy")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

fn documents(name: &str) -> Vec<Value> {
    let text = read(name);
    let documents = serde_yaml_ng::Deserializer::from_str(&text);
    documents
        .map(|one| Value::deserialize(one).unwrap())
        .collect()
}

fn words(value: &Value) -> Vec<String> {
    let words = value.as_sequence().expect("a list").iter();
    words
        .map(|word| word.as_str().expect("a word").to_owned())
        .collect()
}

/// Arguments that every container begins with.
fn entrypoint() -> Vec<String> {
    let text = read("Containerfile");
    serde_json::from_str(after(&text, "ENTRYPOINT ")).unwrap()
}

/// The rest of the line that begins so.
fn after<'a>(text: &'a str, start: &str) -> &'a str {
    let mut lines = text.lines();
    lines
        .find_map(|line| line.strip_prefix(start))
        .unwrap_or_else(|| panic!("no {start}"))
}

/// The relay's own reading of a command line.
fn config(words: &[String]) -> Config {
    Config::try_parse_from(words).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

#[test]
fn containers_ask_for_what_there_is() {
    let entrypoint = entrypoint();
    assert_eq!(config(&entrypoint).core.listen.port(), 8080);
    assert!(read("Containerfile").contains("EXPOSE 8080/tcp 8080/udp"));

    let compose = &documents("compose.yaml")[0]["services"];
    let relay = &compose["relay"];
    let config = config(&[entrypoint, words(&relay["command"])].concat());
    assert_eq!(words(&relay["ports"]), ["8080:8080/tcp", "8080:8080/udp"]);
    assert_eq!(config.core.servers, ["game:27960"]);
    let game = words(&compose["game"]["command"]);
    let mut pairs = game.windows(2);
    assert!(pairs.any(|pair| pair == ["net_port", "27960"]), "{game:?}");
    assert_eq!(config.content.content, [PathBuf::from("/content")]);
    assert_eq!(words(&relay["volumes"]), ["paks:/content:ro"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = relay["build"]["dockerfile"].as_str().unwrap();
    assert!(root.join(file).is_file());
}

#[tokio::test]
async fn kubernetes_scales_on_what_the_relay_counts() {
    let documents = documents("kubernetes.yaml");
    let [deployment, scaler, service, ingress] = [
        "Deployment",
        "HorizontalPodAutoscaler",
        "Service",
        "Ingress",
    ]
    .map(|kind| {
        let found = documents.iter().find(|one| one["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}"))
    });
    let pod = &deployment["spec"]["template"];
    let container = &pod["spec"]["containers"][0];
    let config = config(&[entrypoint(), words(&container["args"])].concat());
    let port = &container["ports"][0];
    assert_eq!(port["containerPort"], u64::from(config.core.listen.port()));
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port["name"]);
    let labels = &pod["metadata"]["labels"];
    assert_eq!(&service["spec"]["selector"], labels);
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    let rule = &ingress["spec"]["rules"][0]["http"]["paths"][0];
    let behind = &rule["backend"]["service"];
    assert_eq!(behind["name"], service["metadata"]["name"]);
    let content = config.content.content[0].to_str().unwrap();
    assert_eq!(container["volumeMounts"][0]["mountPath"], content);

    let scaled = &scaler["spec"]["scaleTargetRef"];
    assert_eq!(scaled["name"], deployment["metadata"]["name"]);
    let metric = &scaler["spec"]["metrics"][0]["pods"];
    let goal = metric["target"]["averageValue"].as_str().unwrap();
    let (goal, max): (usize, _) = (goal.parse().unwrap(), config.core.max_sessions);
    assert!(goal < max, "{goal} of {max}");
    let relay = relay(&[]).await;
    let path = &pod["metadata"]["annotations"]["prometheus.io/path"];
    let counts = get(&relay, path.as_str().unwrap(), "").await;
    let counts = String::from_utf8(counts.body).unwrap();
    let metric = format!("\n{} 0\n", metric["metric"]["name"].as_str().unwrap());
    assert!(counts.contains(&metric), "{counts}");
    let probe = &container["readinessProbe"]["httpGet"]["path"];
    let answer = get(&relay, probe.as_str().unwrap(), "").await;
    assert_eq!(answer.status, 200);
}

#[test]
fn the_service_starts_with_options_that_exist() {
    let unit = read("strafe-relay.service");
    let start = after(&unit, "ExecStart=");
    assert_eq!(start, "/usr/local/bin/strafe-relay $OPTIONS");
    assert!(unit.contains("\nEnvironmentFile=/etc/strafe/relay.conf\n"));
    let options = read("relay.conf");
    let line = after(&options, "OPTIONS=\"").strip_suffix('"');
    let line = line.expect("options");
    let words = ["strafe-relay"].into_iter().chain(line.split(' '));
    let config = config(&words.map(str::to_owned).collect::<Vec<_>>());
    // The unit gives the right to the port, and its user can read these.
    assert_eq!(config.core.listen.port(), 443);
    assert!(unit.contains("\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"));
}

#[tokio::test]
async fn nginx_serves_paks_and_hands_the_rest_to_the_relay() {
    let folder = Folder::new("nginx");
    folder.make("games/baseoa");
    folder.write("games/baseoa/pak0.pk3", b"0123456789");
    folder.write("games/baseoa/Map Pack.pk3", &[b'x'; 100_000]);
    folder.write("games/baseoa/server.cfg", b"secret");
    let games = folder.path("games");
    let behind = ["--proxy", "127.0.0.1", "--no-webtransport"];
    let relay = relay(&[&["--content", &games], &behind[..]].concat()).await;
    let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = probe.local_addr().unwrap();
    drop(probe);
    let site = read("nginx.conf")
        .replace("listen 8088;", &format!("listen {address};"))
        .replace(
            "http://127.0.0.1:8080",
            &format!("http://{}", relay.address()),
        )
        .replace("/usr/share/games/openarena", &games);
    let work = folder.0.to_str().unwrap();
    let main = format!(
        "daemon off; master_process off; pid {work}/pid; error_log stderr; events {{}}\nhttp {{ access_log off; gzip on; gzip_types *;\n\
         client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;\n{site}\n}}"
    );
    folder.write("main.conf", main.as_bytes());
    let mut nginx = Command::new("/usr/sbin/nginx")
        .args(["-p", work, "-c", "main.conf"])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("/usr/sbin/nginx starts (Debian: apt-get install nginx-light)");
    let begun = std::time::Instant::now();
    while TcpStream::connect(address).await.is_err() {
        assert!(begun.elapsed() < PATIENCE, "nginx does not listen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    let index = ask_at(address, "GET", "/api/content", "").await.json();
    let paks = index["games"][0]["paks"].as_array().unwrap();
    assert_eq!(paks.len(), 2);
    for pak in paks {
        let url = pak["url"].as_str().unwrap();
        let head = "accept-encoding: gzip, br\r\n";
        let answer = ask_at(address, "GET", url, head).await;
        assert_eq!(answer.status, 200, "{url}");
        assert_eq!(answer.body.len() as u64, pak["bytes"].as_u64().unwrap());
        assert_eq!(answer.header("content-encoding"), None);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let caching = answer.header("cache-control");
        assert_eq!(caching, Some(FOR_EVER));
        let etag = answer.header("etag").expect("an ETag");
        let again = format!("if-none-match: {etag}\r\n");
        assert_eq!(ask_at(address, "GET", url, &again).await.status, 304);
        let range = "range: bytes=2-3\r\n";
        let part = ask_at(address, "GET", url, range).await;
        assert_eq!((part.status, part.body.len()), (206, 2));
        let other = format!("{range}if-range: \"other\"\r\n");
        assert_eq!(ask_at(address, "GET", url, &other).await.status, 200);
        let posted = ask_at(address, "POST", url, "content-length: 0\r\n").await;
        assert_eq!(posted.status, 403);
    }
    let plain = ask_at(address, "HEAD", "/content/baseoa/pak0.pk3", "").await;
    assert_eq!(plain.header("cache-control"), Some("no-cache"));
    assert_eq!(plain.header("content-length"), Some("10"));
    for path in [
        "/content/baseoa/server.cfg",
        "/content/baseoa/..%2fbaseoa/server.cfg",
    ] {
        assert_ne!(ask_at(address, "GET", path, "").await.status, 200, "{path}");
    }
    // An upgrade passes; that nobody is there to join is the relay's own answer.
    let joined = ask_at(address, "GET", "/ws", UPGRADE).await;
    assert_eq!(joined.status, 101);
    assert!(String::from_utf8_lossy(&joined.body).contains("no game server to offer"));
    // The relay believes nginx about who asks.
    assert_eq!(ask_at(address, "GET", "/metrics", "").await.status, 200);
    let forwarded = "x-forwarded-for: 1.2.3.4\r\n";
    let hidden = ask_at(address, "GET", "/metrics", forwarded).await;
    assert_eq!(hidden.status, 404);
    nginx.kill().await.unwrap();
}
