// Plays on a server whose mod brings its own cgame: the pak comes from the server, its module runs in the browser's engine.

import { join } from "node:path";
import { Rcon } from "./rcon.mjs";

/** `tools`: facts, check, assert, waitFor, launch, patience. */
export async function playMod(tools) {
  const { facts, check, assert, waitFor, patience } = tools;
  const browser = await tools.launch();
  const rcon = new Rcon(facts.modServer, "test");
  const log = [];
  try {
    await check("mod: its own cgame comes from the server, plays, and goes on over a restart and a new map", async () => {
      const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
      page.setDefaultTimeout(patience);
      page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => log.push(`exception: ${error.stack}`));
      await page.goto(`${facts.modPage}?server=${facts.modServer}&renderer=webgl`);
      const plays = (map) => page.waitForFunction((map) => {
        if (strafe.status.error) throw new Error(strafe.status.error);
        return strafe.status.state === "active" && strafe.status.isDrawing && strafe.status.map === map;
      }, map, { timeout: patience, polling: 100 });
      await plays("oa_dm1");
      const told = (text) => log.filter((line) => line.includes(text)).length;
      assert(told("cgame: Strafe's own, which knows the game") === 1, "left to itself, the page uses its own cgame for Quake III's rules");
      await page.evaluate(() => strafe.run("vm_cgame 2; reconnect"));
      await waitFor(() => told("cgame: the module of") === 1, "the module is chosen");
      await plays("oa_dm1");
      const snapshots = () => page.evaluate(() => strafe.status.session.snapshots);
      const goesOn = async () => {
        const before = await snapshots();
        await waitFor(async () => (await snapshots()) > before + 20, "the match goes on");
      };
      await goesOn();
      await page.screenshot({ path: join(facts.results, "mod-play.png") });
      await page.evaluate(() => strafe.run("say heard by the module; kill"));
      await waitFor(() => told(": heard by the module") > 0, "the module prints what is said");
      await rcon.run("map_restart 0");
      await goesOn();
      await rcon.run("map oa_dm4");
      await plays("oa_dm4");
      await goesOn();
      assert(told("cgame: the module of") === 2, "the new map has its module too");
      assert(told("has ended, and Strafe's own") + told("exception") === 0, "the module did not give up");
    });
  } finally {
    rcon.close();
    await tools.keep(join(facts.results, "mod-console.txt"), log.join("\n"));
    await browser.close();
  }
}
