// The page around the game: chooses and loads the code, shows how far it is, and hosts the client.

import { Files, figures, fetchLarge } from "./files.js";
import { Link } from "./link.js";
import { usesTouch, wantInput } from "./touch.js";

const $ = (id) => document.getElementById(id);
const { bundles, translator, arena, hasRelay, content, worker } = JSON.parse($("about").textContent);
const wishes = new URLSearchParams(location.search);
const canvas = $("game");

let files; // a promise of Files
let link = null; // the newest way to a server
let wantsMouse = false;
let translating = null; // a promise of what translates mods' modules
let codeName = null; // of the file that the code came in
let failure = null;
let complaint = null; // why what the page's address or form asks for is not to be had
let joining = safeAddress(wishes.get("server"));
/** What runs in this page alone: a match against bots, or the lab. */
let own = wishes.has("lab") ? lab(wishes.get("lab")) : wishes.has("play") ? skirmish(wishes.get("play"), wishes.get("bots")) : null;
/** Whether the client has something to begin with; as long as it has not begun, the form stays away. */
let isStarting = Boolean(joining || own || wishes.has("demo"));
let isLeaving = false; // to another page, or to load again

/** What tests and curious players may look at. */
const strafe = (globalThis.strafe = {
  status: { state: "starting", map: "", frames: 0 },
  figures: Object.assign(figures, { codeBytes: 0, firstFrameMsec: null, firstFrameBytes: null }),
  renderer: null,
  isKept: false, // whether the next visit needs no network
  sound: null, // { state, loudness } once the client has asked for it
  run: (command) => dispatchEvent(new CustomEvent("strafe-command", { detail: `${command}\n` })),
  inspect,
  host: {
    async sources() {
      return (await files).sources;
    },
    async read(id, start, end, parts) {
      return (await files).read(id, start, end, parts);
    },
    load: (name) => {
      try {
        return localStorage.getItem(`strafe/${name}`) ?? undefined;
      } catch {
        return undefined; // cookies and all storage are forbidden; the game plays without
      }
    },
    store: (name, text) => localStorage.setItem(`strafe/${name}`, text),
    openLink: (server, hear) => (link = Link.open(server, {
      packet: (bytes) => hear("packet", bytes),
      resumed: (transport, resumeState) => hear("resumed", { transport, resumeState }),
      opened: (transport) => hear("opened", transport),
      moved: (transport) => hear("moved", transport),
      timed: (relayMsec, serverMsec) => hear("timed", { relayMsec, serverMsec }),
      lost: () => hear("lost", ""),
      closed: (reason) => {
        awaitPaks(0);
        hear("closed", reason);
      },
      coming: (count, pak) => awaitPaks(count, pak),
    })),
    async keepPak(game, name, bytes, store) {
      const file = new File([bytes], name); // at once: the bytes lie in the client's memory
      const { source, fault } = await (await files).keep(store, game, file);
      announce([source]);
      return fault;
    },
    async removePak(id) {
      await (await files).remove(id);
      showFetched();
    },
    async translate(file, base) {
      const script = await (translating ??= openTranslator());
      return script.translate(file, base);
    },
    async encodePicture(rgba, width, height, type) {
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0); // at once: the pixels lie in the client's memory
      const file = await canvas.convertToBlob({ type, quality: 0.9 });
      return new Uint8Array(await file.arrayBuffer());
    },
    async saveFile(name, bytes) {
      const file = name.endsWith(JOURNAL) ? await throughStream(bytes, new CompressionStream("gzip")) : bytes;
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([file])), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
    turn: () => new Promise((resolve) => setTimeout(resolve)),
    replayed(text) {
      strafe.replay = text;
      note(text);
    },
    async fetchServers(favourites) {
      const detail = await askRelay(favourites).then((list) => ({ list }), ({ message }) => ({ reason: message }));
      dispatchEvent(new CustomEvent("strafe-servers", { detail }));
    },
    copy,
    beginAnew() {
      // A browser may drop what its sockets hold when the page is left at once, and with it the farewell.
      if (!isLeaving) (link?.left ?? Promise.resolve()).then(() => location.assign(location.pathname));
      isLeaving = true;
    },
    wantInput,
    startCommands: () => (wishes.has("far") ? ["cl_far 1\n"] : []).concat(joining ? [`connect ${joining}\n`] : own ? [`${own}\n`] : []),
    grabMouse,
    openAudio,
    setFullscreen,
    isContextLost: () => strafe.renderer === "webgl" && canvas.getContext("webgl2").isContextLost(),
    hasFocus: () => document.hasFocus(),
    isMouseGrabbed: () => document.pointerLockElement === canvas,
    report,
    speak(text) {
      $("spoken").textContent = text;
      document.body.classList.toggle("menus", text !== "");
    },
    fail(reason) {
      link?.close(); // nobody plays any more: the server must not wait for him
      fail(reason);
    },
  },
});

// ── Start ────────────────────────────────────────────────────────────────────

async function start() {
  // A map of a relay comes in some hundred parts; browsers remember 250.
  performance.setResourceTimingBufferSize(2000);
  Link.takeUp();
  if (joining) offerDesktop(joining);
  if (joining && !hasRelay) refuseJoin();
  if (!isStarting) showConnect();
  let codeCame;
  files = Files.open({
    arena,
    list: hasRelay ? undefined : content ?? null,
    ...destination(),
    code: new Promise((resolve) => (codeCame = resolve)),
    isArenaNext: !joining && /^(lab|skirmish strafe)/.test(own),
  });
  files.catch((error) => fail(`The list of game files could not be read: ${error.message}.${hasRelay ? " Is the relay running?" : ""}`));
  const renderer = await chooseRenderer();
  strafe.renderer = renderer;
  const bundle = bundles[renderer];
  const [script, code] = await Promise.all([import(new URL(bundle.script, document.baseURI)), fetchCode(bundle, codeCame)]);
  say("Starting …");
  await script.default({ module_or_path: code });
  if (isStarting) canvas.focus();
  if (wishes.has("demo")) playDemo(wishes.get("demo"));
}

/** What will be played, as far as one can tell, for what that needs first; who wants the exact files does not need it. */
function destination() {
  const isExact = /\bcl_exactContent "?[^0"]/.test(strafe.host.load("strafe.cfg"));
  return { server: joining, map: /^skirmish (\S+)/.exec(own)?.[1].toLowerCase(), isExact };
}

/** The forced one, else WebGPU where a real adapter answers, else WebGL2, else WebGPU by software. */
async function chooseRenderer() {
  const forced = wishes.get("renderer");
  if (forced && !bundles[forced]) throw new Error(`This page has no code for "${forced}"; it has ${Object.keys(bundles).join(" and ")}.`);
  const adapter = forced === "webgl" ? null : await navigator.gpu?.requestAdapter().catch(() => null);
  if (forced === "webgpu") {
    if (!adapter) throw new Error("This browser has no WebGPU, or no graphics adapter for it. Try it without ?renderer=webgpu.");
    return "webgpu";
  }
  if (adapter && bundles.webgpu && !adapter.info?.isFallbackAdapter) return "webgpu";
  if (bundles.webgl && new OffscreenCanvas(1, 1).getContext("webgl2")) return "webgl";
  // A slow picture is better than none.
  if (adapter && bundles.webgpu) return "webgpu";
  throw new Error("This browser offers neither WebGPU nor WebGL2. Switch on hardware acceleration in its settings, or try a current Firefox, Chrome, Edge or Safari.");
}

/** Fetches the code with a progress bar, while the browser compiles what has come. */
async function fetchCode(bundle, came) {
  const { answer, name, bytes, sentBytes, unpack } = await fetchLarge({ ...bundle, name: bundle.wasm, bytes: bundle.wasmBytes });
  if (!answer.ok) throw new Error(`The code could not be fetched: ${location.host} answers ${answer.status} for ${name}.`);
  codeName = name;
  strafe.figures.codeBytes = sentBytes;
  let got = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      got += chunk.byteLength;
      progress(got / bytes);
      say("Loading the game", `${megabytes((got / bytes) * sentBytes)} of ${megabytes(sentBytes)}`);
      controller.enqueue(chunk);
      if (got >= bytes) came();
    },
    flush: came,
  });
  return new Response(unpack(answer.body.pipeThrough(counter)), { headers: { "Content-Type": "application/wasm" } });
}

/** How long the translator may take to come; a match waits for it. */
const TRANSLATOR_MSEC = 20_000;

async function openTranslator() {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("it did not come in time")), TRANSLATOR_MSEC));
  try {
    return await Promise.race([fetchTranslator(), late]);
  } catch (error) {
    translating = null; // the next one that needs it tries again
    throw new Error(`what translates it could not be fetched: ${error.message}`);
  }
}

async function fetchTranslator() {
  const script = await import(new URL(translator.script, document.baseURI));
  await script.default({ module_or_path: new URL(translator.wasm, document.baseURI) });
  return script;
}

/** Reads along in this page's own session, where the relay allows that: each message as an object, until it ends. */
async function inspect(hear = console.log) {
  const answer = await fetch("api/inspect", { headers: { Authorization: `Bearer ${link?.token}` } });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  let rest = "";
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) hear(JSON.parse(line));
  }
}

// ── A lost graphics adapter ──────────────────────────────────────────────────

/** How soon after the last time the page does not start itself again. */
const CALM_MSEC = 15_000;

/**
 * WebGL takes everything along when its adapter goes: the page starts again and keeps its place on the server. Over
 * WebGPU the client opens the adapter anew by itself.
 */
canvas.addEventListener("webglcontextlost", () => {
  let lastTime = 0;
  try {
    lastTime = Number(sessionStorage.getItem("strafe/context-lost"));
    sessionStorage.setItem("strafe/context-lost", String(Date.now()));
  } catch {
    lastTime = Date.now(); // without a memory it could start again for ever
  }
  if (Date.now() - lastTime < CALM_MSEC) return fail("The browser took the graphics adapter away twice. Close other pages that draw much, then load this page again.");
  $("overlay").classList.remove("gone");
  say("The browser took the graphics adapter away; the page starts again …");
  location.reload();
});

// ── Without a network ────────────────────────────────────────────────────────

let isKeeping = false;

/** Keeps what this visit needed, once nobody waits for anything, so that the next one needs no network. */
async function keepForOffline() {
  if (isKeeping || !navigator.serviceWorker || !globalThis.caches) return;
  isKeeping = true;
  try {
    await navigator.serviceWorker.register(worker);
    const cache = await caches.open("strafe");
    const base = new URL("./", document.baseURI).href;
    const isSmall = (name) => name.startsWith(base) && /\.(css|js|png|svg|webmanifest)$/.test(name);
    const linked = [...document.querySelectorAll("link[href]")].map((link) => link.href);
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const used = new Set([...linked, ...loaded].filter(isSmall));
    used.add(base + codeName);
    for (const url of used) {
      // What was fetched just now lies in the browser's own cache.
      if (!(await cache.match(url))) await cache.add(new Request(url, { cache: "force-cache" }));
    }
    await (await files).takeArena(); // it is kept where all paks are
    // The page comes last: it must not name what is not there.
    await cache.put(base, await fetch(location.href, { cache: "force-cache" }));
    const named = await (await cache.match(base)).text();
    for (const { url } of await cache.keys()) {
      // The other renderer's code stays; what no page names any more goes.
      if (url !== base && !used.has(url) && !named.includes(url.slice(base.length))) await cache.delete(url);
    }
    strafe.isKept = true;
  } catch (error) {
    console.warn("This page will need the network again:", error);
  }
}

// ── What the client reports ──────────────────────────────────────────────────

const STATES = {
  disconnected: "Not connected",
  connecting: "Looking for the server …",
  challenging: "Shaking hands with the server …",
  connected: "Waiting for the level …",
  loading: "Loading the level",
  primed: "Entering …",
};

function report(text) {
  const status = (strafe.status = JSON.parse(text));
  const isPlaying = status.state === "active" && status.isDrawing;
  if (isPlaying && strafe.figures.firstFrameMsec === null) tellFirstFrame();
  document.title = status.map && isPlaying ? `${status.map.replace(/[\p{Cc}\p{Cf}]/gu, "")} – Strafe` : "Strafe";
  if (failure) return;
  if (worker && status.frames > 1 && (isPlaying || (status.state === "disconnected" && !isStarting))) keepForOffline();
  // The client draws its own screens as soon as it can; until it is on a server, the page's form stands before them.
  if (status.state !== "disconnected" || status.error) isStarting = false;
  // So are its menus, once they were asked for.
  const isClients = status.isDrawing && (status.state !== "disconnected" || $("spoken").textContent !== "");
  $("overlay").classList.toggle("gone", isClients);
  if (isClients && $("overlay").contains(document.activeElement)) canvas.focus({ preventScroll: true });
  // The game keeps Tab for itself: whoever has only keys is led to the form when that is to be seen.
  if (!isClients && !$("connect").hidden && document.activeElement === canvas) $("skirmish").focus({ preventScroll: true });
  document.body.classList.toggle("playing", isPlaying && document.pointerLockElement === canvas);
  showPlayButton();
  if (isClients) return;
  const { wanted = 0, ready = 0, bytes = 0 } = status.loading ?? {};
  const isLoading = wanted > 0 && status.state !== "disconnected";
  const { firstBytes, firstGotBytes } = figures;
  const isFirstComing = firstGotBytes < firstBytes;
  progress(isFirstComing ? firstGotBytes / firstBytes : isLoading ? ready / (ready + wanted) : null);
  const amount = isFirstComing ? `${megabytes(firstGotBytes)} of ${megabytes(firstBytes)}` : isLoading ? `${ready} of ${ready + wanted} files, ${megabytes(bytes)}` : "";
  if (status.error ?? complaint) say(status.error ?? complaint, "", true);
  else if (isStarting) say(STATES.loading);
  else say(STATES[status.state] ?? status.state, [status.map, amount].filter(Boolean).join(" · "));
  if (status.state === "disconnected" && $("connect").hidden && status.frames > 1 && !isStarting) showConnect();
}

/** How long the player has waited and what came over the line for that, as a line in the game's console. */
function tellFirstFrame() {
  const msec = Math.round(performance.now());
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const bytes = loaded.reduce((sum, entry) => sum + entry.transferSize, 0);
  Object.assign(strafe.figures, { firstFrameMsec: msec, firstFrameBytes: bytes });
  const text = `First frame ${(msec / 1000).toFixed(1)} s after the page was opened, ${(bytes / 1e6).toFixed(2)} MB fetched`;
  // The client is in the middle of a frame.
  queueMicrotask(() => strafe.run(`echo "[skipnotify]${text}"`));
}

addEventListener("pagehide", () => (isLeaving = true));
addEventListener("pageshow", () => (isLeaving = false));

function fail(reason) {
  if (isLeaving) return; // what was being fetched was broken off
  console.error(reason);
  if (failure) return; // what comes after the first failure comes from it
  failure = reason;
  strafe.status.error = reason;
  $("overlay").classList.remove("gone");
  $("play").hidden = true;
  progress(null);
  say(reason, "", true);
}

function say(text, detail = "", isError = false) {
  $("state").textContent = text.replaceAll(/\^[0-9a-zA-Z]/g, "");
  $("state").classList.toggle("error", isError);
  $("detail").textContent = detail;
}

function progress(fraction) {
  $("bar").hidden = fraction === null;
  $("bar").ariaValueNow = String(Math.round(100 * Math.min(1, fraction ?? 0)));
  $("filled").style.width = `${100 * Math.min(1, fraction ?? 0)}%`;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

// ── Servers ──────────────────────────────────────────────────────────────────

/** The relay's list as text; these servers are in it too, as far as one may join them. */
async function askRelay(favourites) {
  if (!hasRelay) throw new Error("This page comes from a host without a relay, and browsers cannot ask servers");
  const answer = await fetch(`api/servers?${new URLSearchParams({ favourites })}`);
  if (!answer.ok) throw new Error(`The relay tells no servers: ${answer.status}`);
  return answer.text();
}

/** A link to a server leads to this page, which opens it in the desktop program too. */
function copy(text) {
  const server = safeAddress(text.match(/^quake3:\/\/(.*)$/)?.[1]);
  const link = server && hasRelay ? `${location.origin}${location.pathname}?${new URLSearchParams({ server })}` : text;
  const copied = navigator.clipboard?.writeText(link) ?? Promise.reject();
  copied.then(() => note(`Copied: ${link}`), () => note(`Copy this: ${link}`));
}

/** Where the desktop program is installed, the system hands such links to it. */
function offerDesktop(server) {
  $("desktop").hidden = !server;
  if (server) $("desktop").href = `quake3://${server}`;
}

/** Only what an address may hold: the page's own address must not run console commands. */
function safeAddress(text) {
  return text && /^[\w.\-:[\]]{1,255}$/.test(text) ? text : null;
}

/** A match against bots on a map, or on the page's own where none is named, as a line for the console. */
function skirmish(map, bots) {
  const safeMap = /^[\w-]{1,64}$/.test(map) ? map : "strafe1";
  return `skirmish ${safeMap} ${/^\d$/.test(bots) ? bots : ""}`;
}

/** The lab on one of its pages, as a line for the console. */
function lab(page) {
  return /^\d$/.test(page) ? `lab ${page}` : "lab";
}

async function showConnect() {
  $("connect").hidden = false;
  showFetched();
  $("join").hidden = !hasRelay;
  if (!hasRelay) return;
  const kept = favourites();
  const answer = await fetch(`api/servers?${new URLSearchParams({ favourites: kept.join() })}`)
    .then((answer) => answer.json()).catch(() => ({ servers: [] }));
  const { servers, favourites: starred = [], masters = [] } = answer;
  const told = new Map([...starred, ...servers, ...masters].map((server) => [server.address, server]));
  // A favourite that this relay may not ask, or that is silent, stays in the list.
  for (const address of kept) if (!told.has(address)) told.set(address, { address });
  const rows = [...told.values()].map(({ address, online, ping_msec, info = {}, players = [] }) => {
    $("servers").append(new Option(address));
    const button = document.createElement("button");
    const facts = online ? [info.mapname, `${players.length}/${info.sv_maxclients ?? "?"}`, `${Math.round(ping_msec)} ms`] : ["offline"];
    const name = document.createElement("b");
    name.textContent = (info.hostname || address).replaceAll(/\^[0-9a-zA-Z]/g, "");
    button.append(name, ...facts.map((fact) => Object.assign(document.createElement("span"), { textContent: fact })));
    button.onclick = () => join(address);
    button.type = "button";
    const star = Object.assign(document.createElement("button"), { type: "button", className: "star", title: "Keep this server in the list" });
    star.ariaLabel = `Keep ${name.textContent} in the list`;
    const showStar = () => {
      const isKept = favourites().includes(address);
      star.textContent = isKept ? "★" : "☆";
      star.ariaPressed = String(isKept);
    };
    star.onclick = () => {
      keepFavourite(address);
      showStar();
    };
    showStar();
    const row = document.createElement("li");
    row.append(star, button);
    return row;
  });
  $("list").replaceChildren(...rows);
  if (!$("address").value) $("address").value = answer.servers[0]?.address ?? "";
}

/** Servers that the player keeps; at most 16, as the relay asks no more. */
function favourites() {
  try {
    const kept = JSON.parse(localStorage.getItem("strafe/favourites"));
    return Array.isArray(kept) ? kept.filter((address) => safeAddress(address)).slice(0, 16) : [];
  } catch {
    return []; // no storage, or nothing of ours in it
  }
}

function keepFavourite(address) {
  const kept = favourites();
  const others = kept.filter((one) => one !== address);
  try {
    localStorage.setItem("strafe/favourites", JSON.stringify(others.length < kept.length ? others : [address, ...others].slice(0, 16)));
  } catch (error) {
    note(`The browser keeps no favourites: ${error.message}`);
  }
}

function join(address) {
  joining = safeAddress(address.trim());
  complaint = joining ? null : "That is not the address of a server: host:port is wanted";
  if (!joining) return say(complaint, "", true);
  if (!hasRelay) return refuseJoin();
  $("connect").hidden = true;
  comeBackTo("server", joining);
  offerDesktop(joining);
  files.then((files) => files.expect(destination()), () => null); // who waits for the files is told
  strafe.run(`connect ${joining}`);
  canvas.focus();
}

/** Browsers do not speak UDP, which servers do. */
function refuseJoin() {
  complaint = `This page cannot join ${joining}: only a relay brings browsers onto servers, and this page comes from a host without one. Open the page of a strafe-relay that serves ${joining}, or play against bots here.`;
  joining = null;
  isStarting = false;
  say(complaint, "", true);
}

/** A reload leads there again, and so does the page's address. */
function comeBackTo(wish, value) {
  for (const other of ["server", "play", "bots", "lab", "demo"]) wishes.delete(other);
  wishes.set(wish, value);
  history.replaceState(null, "", `?${wishes}`);
}

/** Begins what runs in this page alone; where the code is still on its way, it begins with that. */
async function beginHere(wish, command) {
  own = command;
  joining = complaint = null;
  isStarting = true;
  $("connect").hidden = true;
  comeBackTo(wish, "");
  (await files).takeArena();
  strafe.run(command);
  canvas.focus();
}

$("skirmish").onclick = () => beginHere("play", skirmish(""));
// Whoever is here for the first time is asked for name, mouse and view.
$("settings").onclick = () => {
  strafe.run(strafe.host.load("strafe.cfg") ? "menu settings" : "menu welcome");
  canvas.focus();
};
$("lab").onclick = () => beginHere("lab", lab(""));

$("connect").onsubmit = (event) => {
  event.preventDefault();
  join($("address").value);
};

// ── Mouse, keyboard, screen ──────────────────────────────────────────────────

function grabMouse(wants) {
  wantsMouse = wants;
  if (wants && !usesTouch()) lockPointer();
  else if (document.pointerLockElement) document.exitPointerLock();
  showPlayButton();
}

/** Raw motion where the browser offers it. Without a click it may be refused; then the button stays. */
async function lockPointer() {
  try {
    await canvas.requestPointerLock({ unadjustedMovement: true });
  } catch (error) {
    if (error.name === "NotSupportedError") await Promise.resolve(canvas.requestPointerLock()).catch(() => null);
  }
}

function showPlayButton() {
  const isLocked = document.pointerLockElement === canvas;
  $("play").hidden = failure !== null || isLocked || !wantsMouse || usesTouch();
  document.body.classList.toggle("playing", isLocked || (wantsMouse && usesTouch()));
}

// The click that takes the mouse is no shot; where it was not taken, the next ones are.
let isFirstClick = true;
document.addEventListener("pointerlockchange", () => {
  isFirstClick = true;
  showPlayButton();
  if (wantsMouse && document.pointerLockElement !== canvas && document.hasFocus()) setTimeout(passOnEscape, 50);
});

let lastEscape = -Infinity;
addEventListener("keydown", ({ code }) => {
  if (code === "Escape") lastEscape = performance.now();
}, { capture: true });

/** Most browsers keep the Escape that frees the mouse for themselves; the game opens its menus by it. */
function passOnEscape() {
  if (!wantsMouse || performance.now() - lastEscape < 200) return;
  for (const type of ["keydown", "keyup"]) canvas.dispatchEvent(new KeyboardEvent(type, { code: "Escape", key: "Escape", bubbles: true }));
}

$("play").onclick = () => {
  canvas.focus();
  lockPointer();
};
canvas.addEventListener("pointerdown", (event) => {
  canvas.focus();
  if (event.pointerType === "touch") return showPlayButton();
  if (!wantsMouse || document.pointerLockElement === canvas) return;
  if (isFirstClick) event.stopImmediatePropagation();
  isFirstClick = false;
  lockPointer();
}, { capture: true });
addEventListener("contextmenu", (event) => event.preventDefault());

// ── Fullscreen ───────────────────────────────────────────────────────────────

let wantsFullscreen = false;

/** Follows `r_fullscreen`. Browsers want a key or a click first; without one the wish waits for it. */
async function setFullscreen(wants) {
  wantsFullscreen = wants;
  if (wants === Boolean(document.fullscreenElement)) return;
  if (!wants) return document.exitFullscreen();
  try {
    await document.documentElement.requestFullscreen();
  } catch {
    return;
  }
  // Thumbs need the long side below; where the browser turns nothing, a sentence asks the player.
  await screen.orientation?.lock?.("landscape").catch(() => null);
  // Escape and the like belong to the game as long as it fills the screen.
  await navigator.keyboard?.lock?.().catch(() => null);
  canvas.focus();
}

document.addEventListener("fullscreenchange", () => {
  const isFull = Boolean(document.fullscreenElement);
  if (isFull === wantsFullscreen) return;
  // The wish was taken back before the browser had followed it.
  if (isFull) return document.exitFullscreen();
  // The player left by the browser's own means.
  wantsFullscreen = false;
  strafe.run("set r_fullscreen 0");
});
for (const gesture of ["pointerdown", "keydown"]) {
  addEventListener(gesture, (event) => {
    const waits = wantsFullscreen && !document.fullscreenElement;
    if (waits && event.target !== $("fullscreen")) setFullscreen(true);
  }, { capture: true });
}
$("fullscreen").onclick = () => {
  const wants = !document.fullscreenElement;
  setFullscreen(wants);
  strafe.run(`set r_fullscreen ${Number(wants)}`);
};

// ── Sound ────────────────────────────────────────────────────────────────────

/** The meter that everything is heard through. Browsers keep silent until the first key or click, so a hint asks for it. */
function openAudio() {
  const context = new AudioContext({ latencyHint: "interactive" });
  const meter = new AnalyserNode(context, { fftSize: 4096 });
  meter.connect(context.destination);
  const samples = new Float32Array(meter.fftSize);
  strafe.sound = {
    get state() {
      return context.state;
    },
    /** Root mean square of the last tenth of a second, 0 to 1. */
    loudness() {
      meter.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    },
  };
  const gestures = ["pointerdown", "keydown", "touchend"];
  const wakeUp = () => context.resume().catch(() => null);
  const showHint = () => {
    const isRunning = context.state === "running";
    $("sound").hidden = isRunning;
    for (const gesture of gestures) (isRunning ? removeEventListener : addEventListener)(gesture, wakeUp, true);
  };
  context.onstatechange = showHint;
  showHint();
  return meter;
}

// ── Paks of the player's own ─────────────────────────────────────────────────

addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) $("drop").hidden = true;
});
addEventListener("drop", async (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = await Promise.all(entries.map((entry) => paksBelow(entry, null)));
  takePaks(found.flat());
});
$("pick").onchange = () => takePaks([...$("pick").files].map((file) => ({ file, folder: null })));

/** All pk3 files of a dropped file or folder, each with the folder it lies in. */
async function paksBelow(entry, folder) {
  if (entry.isFile) {
    if (!/\.(pk3|dm_\d\d|journal)$/i.test(entry.name)) return [];
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, folder }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A browser hands out a folder in portions.
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return found.flat();
    found.push(...(await Promise.all(portion.map((inner) => paksBelow(inner, entry.name)))));
  }
}

/** What the journal of a run ends in; packed, unless its browser could not. */
const JOURNAL = ".journal";

const throughStream = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

async function replay(file) {
  const bytes = await file.arrayBuffer();
  const isPacked = new Uint8Array(bytes, 0, 2).join() === "31,139";
  const journal = isPacked ? await throughStream(bytes, new DecompressionStream("gzip")) : bytes;
  note(`Replaying ${file.name} …`);
  dispatchEvent(new CustomEvent("strafe-journal", { detail: new Uint8Array(journal) }));
}

async function takePaks(found) {
  const journal = found.find(({ file }) => file.name.endsWith(JOURNAL));
  if (journal) return replay(journal.file).catch(({ message }) => note(`${journal.file.name}: ${message}`));
  const demo = found.find(({ file }) => /\.dm_\d\d$/i.test(file.name));
  if (demo) {
    const bytes = new Uint8Array(await demo.file.arrayBuffer());
    return dispatchEvent(new CustomEvent("strafe-demo", { detail: { name: demo.file.name, bytes } }));
  }
  if (found.length === 0) return note("Only pk3 files, folders that hold some, and demos can be added");
  const paks = found.map(({ file, folder }) => ({ file, game: gameOf(file, folder) }));
  note(`Keeping ${paks.length} pk3 …`);
  const added = await (await files).drop(paks);
  announce(added);
  note(`${added.map((source) => `${source.game}/${source.name}`).join(", ")} added; they are kept in this browser`);
}

/** The largest demo that is fetched; an hour of play takes half of it. */
const MAX_DEMO_BYTES = 100e6;

/** Plays a demo that lies somewhere on the web. */
async function playDemo(text) {
  try {
    const demo = await fetchDemo(text);
    dispatchEvent(new CustomEvent("strafe-demo", { detail: demo }));
  } catch (error) {
    isStarting = false;
    complaint = `The demo cannot be played: ${error.message}`;
    say(complaint, "", true);
  }
}

async function fetchDemo(text) {
  const url = URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : null;
  if (!/^https?:$/.test(url?.protocol)) throw new Error(`"${text}" is no address of a file on the web.`);
  const name = decodeURIComponent(url.pathname.split("/").pop());
  if (!/\.dm_\d\d$/i.test(name)) throw new Error(`${name || url.host} is no demo; their names end in .dm_68 or the like.`);
  const answer = await fetch(url).catch(() => null);
  if (!answer && url.origin !== location.origin) throw new Error(`${url.host} does not answer, or does not let pages of other sites read ${name} (it must send Access-Control-Allow-Origin).`);
  if (!answer) throw new Error(`${url.host} does not answer.`);
  if (!answer.ok) throw new Error(`${url.host} answers ${answer.status} for ${name}.`);
  const parts = [];
  let size = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_DEMO_BYTES) throw new Error(`${name} is larger than ${megabytes(MAX_DEMO_BYTES)}.`);
    parts.push(value);
  }
  return { name, bytes: new Uint8Array(await new Blob(parts).arrayBuffer()) };
}

/** What servers have handed out, each with a button that removes it. */
async function showFetched() {
  const found = (await files)?.fetched().filter((source) => source.file) ?? [];
  const rows = found.map(({ store, game, name, size }) => {
    const about = Object.assign(document.createElement("span"), { textContent: `${game}/${name}, ${megabytes(size)}, from ${serverOf(store)}` });
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove" });
    button.onclick = () => strafe.run(`fetched remove "${store}/${game}/${name}"`);
    const row = document.createElement("li");
    row.append(about, button);
    return row;
  });
  $("fetched").hidden = rows.length === 0;
  $("fetchedList").replaceChildren(...rows);
}

/** The server's address of a store's name: what no folder may be called is written as its number. */
function serverOf(store) {
  return store.replaceAll(/_([0-9a-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

/** The relay fetches paks of the server for us, so many more; the level waits for them. */
async function awaitPaks(count, pak) {
  if (pak) announce((await files).learn(pak));
  dispatchEvent(new CustomEvent("strafe-coming", { detail: count }));
}

function announce(sources) {
  for (const source of sources) dispatchEvent(new CustomEvent("strafe-source", { detail: source }));
}

/** The folder tells the game; id's own paks are known by their names. */
function gameOf(file, folder) {
  if (folder) return folder.toLowerCase();
  return /^pak[0-8]\.pk3$/i.test(file.name) ? "baseq3" : (wishes.get("game")?.replaceAll(/\W/g, "") || "baseq3");
}

function note(text) {
  $("note").textContent = text;
  $("note").hidden = false;
  clearTimeout(note.timer);
  note.timer = setTimeout(() => ($("note").hidden = true), 5000);
}

start().catch((error) => fail(error.message));
