// Settings and keys go from our native client to the reference client and back, each reading what the other has written.

import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const REFERENCE = "/usr/lib/ioquake3/ioquake3";
/** What is chosen, as both write it down. */
const SETTINGS = [["sensitivity", "3.7"], ["name", "^1Walker"], ["cg_drawCrosshair", "7"], ["s_volume", "0.35"]];
const KEYS = [["j", "+moveup"], ["PAD0_A", "+moveup"], ["k", "say hello; wave"]];

/** `tools`: facts, display, check, assert, waitFor, patience. */
export async function tradeConfigs(tools) {
  const { facts, display, check, assert, waitFor, patience } = tools;
  const home = await mkdtemp(join(tmpdir(), "strafe-configs-"));
  const env = { ...process.env, DISPLAY: display.name, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config"), WAYLAND_DISPLAY: "" };
  const own = join(home, "config", "strafe", "strafe.cfg");
  const missing = (text) => [
    ...SETTINGS.map(([name, value]) => `seta ${name} "${value}"`),
    ...KEYS.map(([key, command]) => `bind ${key} "${command}"`),
  ].filter((line) => !text.toLowerCase().includes(line.toLowerCase()));
  /** Runs our client with these lines until its config holds everything. */
  const runOurs = async (...lines) => {
    const client = spawn(facts.witness, ["+set", "menu_welcomed", "1", ...lines], { env, stdio: "ignore" });
    const ended = new Promise((resolve) => client.on("close", resolve));
    const read = () => readFile(own, "utf8").catch(() => "");
    try {
      await waitFor(async () => missing(await read()).length === 0, "our config holds what was chosen", patience)
        .catch(async (error) => { throw new Error(`${error.message}: not there: ${missing(await read())}`); });
    } finally {
      client.kill("SIGINT");
      await ended;
    }
  };
  try {
    await check("configs: the reference client reads ours, and we read its q3config.cfg", async () => {
      await runOurs(...SETTINGS.flatMap(([name, value]) => ["+seta", name, value]), ...KEYS.flatMap(([key, command]) => ["+bind", key, `"${command}"`]));
      const theirs = join(home, "reference", "baseoa");
      await mkdir(theirs, { recursive: true });
      await copyFile(own, join(theirs, "strafe.cfg"));
      const settings = { com_basegame: "baseoa", com_standalone: 1, fs_basepath: "/usr/lib/openarena", fs_homepath: join(home, "reference"), r_fullscreen: 0, r_mode: 3, s_initsound: 0 };
      await promisify(execFile)(REFERENCE, [
        ...Object.entries(settings).flatMap(([name, value]) => ["+set", name, String(value)]),
        "+exec", "strafe.cfg", "+writeconfig", "q3config.cfg", "+quit",
      ], { env, timeout: patience, maxBuffer: 1e8 });
      const written = await readFile(join(theirs, "q3config.cfg"), "utf8");
      assert(missing(written).length === 0, `the reference client has not read ${missing(written)}`);
      // Whoever comes from it begins without a config of ours.
      await rm(own);
      const known = join(home, ".q3a", "baseq3");
      await mkdir(known, { recursive: true });
      await copyFile(join(theirs, "q3config.cfg"), join(known, "q3config.cfg"));
      await runOurs("+exec", "q3config.cfg");
      // What was read lasts.
      await runOurs();
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
