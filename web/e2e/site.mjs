// Plays on a plain static host, below a folder: a match against bots, nothing from elsewhere, and again without a network.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const PREFIX = "/games/strafe/";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json" };
/** What a first visit may fetch: code and pak. */
const MAX_BYTES = 3_000_000;

/** A host that knows no parts of files, and sends packed ones as it finds them, or not at all. */
class Host {
  bytes = 0;
  packs = true;
  missing = [];
  extra = new Map(); // name -> Buffer, files beside the site's

  static async of(folder) {
    const host = new Host();
    host.server = createServer((request, response) => host.#answer(folder, request, response).catch(() => response.destroy()));
    await new Promise((resolve) => host.server.listen(0, "127.0.0.1", resolve));
    host.url = `http://localhost:${host.server.address().port}${PREFIX}`;
    return host;
  }

  async #answer(folder, request, response) {
    const path = new URL(request.url, "http://host").pathname;
    const name = path.startsWith(PREFIX) ? normalize(path.slice(PREFIX.length) || "index.html") : null;
    const extra = this.extra.get(name);
    const plain = name && !name.startsWith("..") ? join(folder, name) : null;
    const isPacked = this.packs && plain && /\bbr\b/.test(request.headers["accept-encoding"]) && await stat(`${plain}.br`).catch(() => null);
    const file = isPacked ? `${plain}.br` : plain;
    const size = extra?.length ?? (file ? await stat(file).then((found) => found.size, () => null) : null);
    if (size === null) {
      this.missing.push(path);
      return response.writeHead(404).end();
    }
    this.bytes += size;
    const packed = isPacked ? { "Content-Encoding": "br", Vary: "Accept-Encoding" } : {};
    response.writeHead(200, { ...packed, "Content-Type": TYPES[extname(name)] ?? "application/octet-stream", "Content-Length": size });
    if (extra) response.end(extra);
    else createReadStream(file).pipe(response);
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** `tools`: facts, report, check, assert, waitFor, launch, keep, patience. */
export async function playOnSite(tools) {
  const { facts, report, check, assert, waitFor, patience } = tools;
  const host = await Host.of(facts.site);
  const browser = await tools.launch();
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  context.setDefaultTimeout(patience);
  const log = [];
  const requests = [];
  const open = async (query) => {
    const page = await context.newPage();
    page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${host.url}${query}`);
    return page;
  };
  const isPlaying = (page) => page.waitForFunction(() => {
    if (globalThis.strafe?.status?.error) throw new Error(strafe.status.error);
    return globalThis.strafe?.status?.state === "active" && strafe.status.isDrawing;
  }, null, { timeout: patience, polling: 100 });
  /** The server in the page lists its players. */
  const hasBots = async (page) => {
    log.length = 0;
    await page.evaluate(() => strafe.run("status"));
    await waitFor(() => log.filter((line) => line.endsWith(" bot")).length === 3, "three bots play");
  };
  const says = (page, text) => waitFor(async () => text.test(await page.locator("#state").textContent()), `the page says ${text}`);
  const told = (what, run) => check(`site: ${what}`, async () => {
    try {
      await run();
    } catch (error) {
      throw new Error(`${error.message.split("\n")[0]}; not there: ${host.missing}; last lines of the page:\n     ${log.slice(-8).join("\n     ")}`);
    }
  });

  try {
    let page;
    const reached = await told("?play is a match against bots, with nothing from elsewhere", async () => {
      page = await open("?play");
      await isPlaying(page);
      const { figures, renderer } = await page.evaluate(() => ({ figures: strafe.figures, renderer: strafe.renderer }));
      report.site = { firstFrameMsec: figures.firstFrameMsec, bytes: host.bytes };
      console.log(`           ${renderer}: ${(host.bytes / 1e6).toFixed(2)} MB in ${requests.length} requests, first frame after ${(figures.firstFrameMsec / 1000).toFixed(1)} s`);
      const told = figures.firstFrameBytes;
      assert(Math.abs(told - host.bytes) < 0.02 * host.bytes, `the page tells of ${told} bytes, the host has sent ${host.bytes}`);
      await page.screenshot({ path: join(facts.results, "site-play.png") });
      await hasBots(page);
      const outside = requests.filter((url) => !url.startsWith(host.url) && !url.startsWith("blob:") && !url.startsWith("data:"));
      assert(outside.length === 0, `asked elsewhere: ${outside}`);
      assert(host.missing.length === 0, "not everything is there");
      // A quick build is not small.
      assert(facts.isDev || host.bytes <= MAX_BYTES, `${host.bytes} bytes were sent`);
    });
    if (!reached) return;

    await told("it is kept without being fetched twice", async () => {
      const before = host.bytes;
      await waitFor(() => page.evaluate(() => strafe.isKept), "the page is kept", patience);
      assert(host.bytes - before < 60_000, `${host.bytes - before} bytes more were sent`);
      const manifest = await page.evaluate(async () => (await fetch(document.querySelector("link[rel=manifest]").href)).json());
      assert(manifest.icons.length > 1 && manifest.start_url === "./", "the page cannot be installed");
    });

    await told("?lab=2 is the lab's second experiment", async () => {
      const lab = await open("?lab=2");
      await isPlaying(lab);
      await hasBots(lab);
      await lab.evaluate(() => strafe.run("serverinfo"));
      await waitFor(() => log.some((line) => line.includes("the lab")), "the match is the lab's");
      await lab.screenshot({ path: join(facts.results, "site-lab.png") });
      await lab.close();
    });

    await told("a demo of the match can be linked to", async () => {
      await page.evaluate(() => strafe.run("record linked"));
      await page.waitForTimeout(8000);
      const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => strafe.run("stoprecord"))]);
      const name = download.suggestedFilename();
      const chunks = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk);
      host.extra.set(name, Buffer.concat(chunks));
      const demo = await open(`?demo=${name}`);
      await isPlaying(demo);
      await demo.screenshot({ path: join(facts.results, "site-demo.png") });
      await demo.close();
      const missing = await open("?demo=nowhere.dm_68");
      await says(missing, /cannot be played: localhost:\d+ answers 404 for nowhere\.dm_68/);
      await missing.close();
      host.missing.length = 0;
    });

    await told("who asks for a server is told what is missing, and can play here", async () => {
      const asking = await open("?server=192.0.2.1:27960");
      await says(asking, /cannot join 192\.0\.2\.1:27960: only a relay/);
      await asking.screenshot({ path: join(facts.results, "site-no-relay.png") });
      await asking.locator("#skirmish").click();
      await isPlaying(asking);
      await hasBots(asking);
      await asking.close();
    });

    await told("a host that packs nothing has packed forms of what is large, and an early click is not lost", async () => {
      host.packs = false;
      const fresh = await browser.newContext({ viewport: { width: 640, height: 360 } });
      fresh.setDefaultTimeout(patience);
      const plain = await fresh.newPage();
      const finished = [];
      plain.on("requestfinished", (request) => finished.push(new URL(request.url()).pathname));
      await plain.goto(host.url);
      // The code is still on its way.
      await plain.locator("#skirmish").click();
      await isPlaying(plain);
      for (const ending of [".wasm.gzip", ".pk3.gzip"]) assert(finished.some((path) => path.endsWith(ending)), `no ${ending} among ${finished}`);
      await waitFor(() => plain.evaluate(() => strafe.isKept), "the page is kept", patience);
      await fresh.close();
      host.packs = true;
    });

    await told("without a network it plays again", async () => {
      await host.close();
      await page.reload();
      await isPlaying(page);
      await hasBots(page);
      await page.screenshot({ path: join(facts.results, "site-offline.png") });
      const again = await page.evaluate(() => strafe.figures.firstFrameMsec);
      report.site.offlineFrameMsec = again;
      console.log(`           first frame after ${(again / 1000).toFixed(1)} s`);
    });
  } finally {
    await tools.keep(join(facts.results, "site-console.txt"), log.join("\n"));
    await browser.close();
    await host.close().catch(() => null);
  }
}
