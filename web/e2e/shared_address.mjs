// Players through one relay: a page in a real browser, and clients without a window whose datagrams go by WebSocket
// as a page's would. Prints how many of them the real server has in its game.

import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { chromium } from "playwright-core";
import { Rcon } from "./rcon.mjs";

const facts = JSON.parse(process.argv[2]);
const rcon = new Rcon(facts.real, facts.rconPassword);
const pause = (msec) => new Promise((resolve) => setTimeout(resolve, msec));
const clients = [];

/** A UDP port here whose datagrams travel by a WebSocket of their own. */
async function bridge() {
  const socket = createSocket("udp4");
  await new Promise((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const path = new WebSocket(`ws://${facts.relay}/ws?server=${facts.server}`, ["strafe.1"]);
  path.binaryType = "arraybuffer";
  let player = null;
  socket.on("message", (bytes, { port }) => {
    player = port;
    if (path.readyState === WebSocket.OPEN) path.send(bytes);
  });
  path.onmessage = ({ data }) => {
    if (player && typeof data !== "string") socket.send(Buffer.from(data), player, "127.0.0.1");
  };
  await new Promise((resolve, reject) => {
    path.onopen = resolve;
    path.onerror = () => reject(new Error("the relay takes no WebSocket"));
  });
  return socket.address().port;
}

async function startClient(name) {
  const port = await bridge();
  clients.push(spawn(facts.client, ["--headless", "--seconds", "300", "+set", "name", name, "+connect", `127.0.0.1:${port}`], { stdio: ["ignore", "ignore", "ignore"] }));
}

/** Names of those who are in the game: who is only connecting has a word in place of the ping. */
async function inGame() {
  const lines = (await rcon.run("status")).split("\n");
  return lines.map((line) => line.match(/^\s*\d+\s+-?\d+\s+\d+\s+(\S+)/)).filter(Boolean).map((found) => found[1]);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-background-timer-throttling", "--enable-unsafe-swiftshader"],
});
try {
  const context = await browser.newContext({ viewport: { width: 160, height: 90 } });
  await context.addInitScript(() => delete globalThis.WebTransport);
  const page = await context.newPage();
  await page.goto(`${facts.page}?server=${facts.server}&renderer=webgl`);
  await page.waitForFunction(() => globalThis.strafe?.status?.state === "active" && strafe.status.isDrawing, null, { timeout: 180_000, polling: 200 });
  await page.evaluate(() => strafe.run("name Fair-0"));
  for (let number = 1; number < facts.players; number++) await startClient(`Fair-${number}`);
  let names = [];
  // All in, or nobody new for a while.
  for (let quiet = 0; quiet < 30 && names.length < facts.players; quiet++) {
    await pause(1000);
    const now = await inGame();
    if (now.length > names.length) quiet = 0;
    names = now;
  }
  const { snapshots, transport } = await page.evaluate(() => strafe.status.session);
  await pause(3000);
  const later = await page.evaluate(() => strafe.status.session.snapshots);
  names = await inGame();
  console.log(JSON.stringify({ players: facts.players, in_game: names.length, names, page: { transport, snapshots_in_3_s: later - snapshots } }));
} finally {
  await browser.close();
  for (const client of clients) client.kill("SIGINT");
  await pause(1500);
  for (const client of clients) client.kill("SIGKILL");
  rcon.close();
}
process.exit(0);
