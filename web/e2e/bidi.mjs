// A Firefox that is steered by its own WebDriver BiDi: no driver program is needed.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Firefox on the display of the environment: without one it has no WebGL here. */
export class Firefox {
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
    await new Promise((resolve) => setTimeout(resolve, 500));
    await rm(this.profile, { recursive: true, force: true });
  }
}
