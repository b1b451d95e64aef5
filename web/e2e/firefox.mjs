// Plays in a real Firefox, by each transport, steered by its own WebDriver BiDi: no driver program is needed.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const facts = JSON.parse(process.argv[2]);
const PATIENCE = 180_000;
const pause = (msec) => new Promise((resolve) => setTimeout(resolve, msec));

/** A Firefox on the display of the environment: without one it has no WebGL here. */
class Firefox {
  #socket;
  #asked = new Map();
  #last = 0;
  log = [];

  static async start() {
    const firefox = new Firefox();
    firefox.profile = await mkdtemp(join(tmpdir(), "strafe-firefox-"));
    await writeFile(join(firefox.profile, "user.js"), `user_pref("webgl.force-enabled", true);\nuser_pref("gfx.x11-egl.force-enabled", true);\nuser_pref("webgl.out-of-process", false);\nuser_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("media.autoplay.default", 0);\n`);
    firefox.child = spawn(process.env.FIREFOX ?? "/usr/bin/firefox-esr", ["--no-remote", "--profile", firefox.profile, "--remote-debugging-port", "0", "about:blank"], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: "1" } });
    const address = await new Promise((resolve, reject) => {
      let words = "";
      firefox.child.stderr.on("data", (chunk) => {
        words += chunk;
        const found = words.match(/WebDriver BiDi listening on (ws:\/\/\S+)/);
        if (found) resolve(found[1]);
      });
      firefox.child.on("close", (code) => reject(new Error(`Firefox ended with ${code}: ${words.slice(-300)}`)));
    });
    firefox.#socket = new WebSocket(`${address}/session`);
    firefox.#socket.onmessage = ({ data }) => firefox.#hear(JSON.parse(data));
    await new Promise((resolve, reject) => {
      firefox.#socket.onopen = resolve;
      firefox.#socket.onerror = () => reject(new Error("Firefox takes no orders"));
    });
    await firefox.ask("session.new", { capabilities: {} });
    await firefox.ask("session.subscribe", { events: ["log.entryAdded"] });
    return firefox;
  }

  ask(method, params) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  #hear(word) {
    if (word.method === "log.entryAdded") return this.log.push(`${word.params.level}: ${word.params.text}`);
    const asked = this.#asked.get(word.id);
    if (!asked) return;
    this.#asked.delete(word.id);
    if (word.type === "error") asked.reject(new Error(`${word.error}: ${word.message}`));
    else asked.resolve(word.result);
  }

  async openTab() {
    return (await this.ask("browsingContext.create", { type: "tab" })).context;
  }

  async evaluate(context, expression) {
    const { result, exceptionDetails } = await this.ask("script.evaluate", { expression: `JSON.stringify(${expression})`, target: { context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  }

  async close() {
    this.child.removeAllListeners("close");
    this.child.kill("SIGKILL");
    await pause(500);
    await rm(this.profile, { recursive: true, force: true });
  }
}

async function play(firefox, transport) {
  const context = await firefox.openTab();
  if (transport === "WebSocket") {
    await firefox.ask("script.addPreloadScript", { functionDeclaration: "() => { delete globalThis.WebTransport; }", contexts: [context] });
  }
  await firefox.ask("browsingContext.navigate", { context, url: `${facts.page}?server=${facts.server}&renderer=webgl`, wait: "complete" });
  const end = Date.now() + PATIENCE;
  for (;;) {
    const status = await firefox.evaluate(context, "globalThis.strafe?.status ?? null");
    if (status?.error) throw new Error(status.error);
    if (status?.state === "active" && status.isDrawing) break;
    if (Date.now() > end) throw new Error(`not in the game: ${JSON.stringify(status)}; last lines of the page: ${firefox.log.slice(-6).join(" | ")}`);
    await pause(500);
  }
  await pause(4000);
  const before = await firefox.evaluate(context, "strafe.status.session");
  for (const type of ["keydown", "keyup"]) {
    await firefox.evaluate(context, `document.querySelector("#game").dispatchEvent(new KeyboardEvent("${type}", { code: "KeyW", key: "w", bubbles: true }))`);
    await pause(type === "keydown" ? 2000 : 3000);
  }
  const after = await firefox.evaluate(context, "strafe.status.session");
  const agent = await firefox.evaluate(context, "navigator.userAgent");
  const { data } = await firefox.ask("browsingContext.captureScreenshot", { context });
  await writeFile(join(facts.results, `firefox-${transport.toLowerCase()}.png`), Buffer.from(data, "base64"));
  await firefox.ask("browsingContext.close", { context });
  return {
    wanted: transport,
    transport: after.transport,
    snapshots_per_second: (after.snapshots - before.snapshots) / 5,
    moved_units: Math.hypot(...after.origin.map((value, axis) => value - before.origin[axis])),
    ping_msec: after.pingMsec,
    hops: after.hops,
    agent,
    passed: after.transport === transport && after.snapshots > before.snapshots + 20,
  };
}

const firefox = await Firefox.start();
const games = [];
try {
  for (const transport of ["WebTransport", "WebSocket"]) {
    // The relay keeps the place for a page that loads again, and the server knows the player by it.
    if (games.length > 0) await pause(8000);
    games.push(await play(firefox, transport).catch((error) => ({ wanted: transport, passed: false, error: error.message })));
  }
} finally {
  await firefox.close();
}
const passed = games.every((game) => game.passed);
console.log(JSON.stringify({ games, passed }, null, 2));
process.exit(passed ? 0 : 1);
