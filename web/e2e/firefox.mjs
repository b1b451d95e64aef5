// Plays in a real Firefox, by each transport.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Firefox } from "./bidi.mjs";

const facts = JSON.parse(process.argv[2]);
const PATIENCE = 180_000;
const pause = (msec) => new Promise((resolve) => setTimeout(resolve, msec));

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
