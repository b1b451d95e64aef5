// The native client in a window of its own: what can be seen of it, and what hands can do to it.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export const SIZE = { width: 960, height: 600 };
/** Keys as xdotool calls them. */
const KEYS = { ArrowDown: "Down", ArrowRight: "Right", Enter: "Return", Escape: "Escape", Backspace: "BackSpace" };
const BUTTONS = { left: "1", middle: "2", right: "3" };
const WHEEL = { up: "4", down: "5" };

/** `tools`: facts, display, waitFor, patience. `pad` and `touchScreen`, where there are any, as in pad.mjs and fingers.mjs. */
export async function openWindow({ facts, display, waitFor, patience }, { pad, touchScreen } = {}) {
  const home = await mkdtemp(join(tmpdir(), "strafe-window-"));
  const env = { ...process.env, ...pad?.env, DISPLAY: (touchScreen ?? display).name, HOME: home, XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config"), WAYLAND_DISPLAY: "" };
  const run = async (...words) => (await promisify(execFile)("xdotool", words, { env })).stdout;
  // It says which row is chosen, and each frame that it has drawn.
  const settings = { r_mode: -1, r_customwidth: SIZE.width, r_customheight: SIZE.height, menu_print: 1, com_speeds: 1 };
  let client, ended, words;
  const start = async () => {
    words = "";
    client = spawn(facts.witness, Object.entries(settings).flatMap(([name, value]) => ["+set", name, `${value}`]), { env, stdio: ["ignore", "pipe", "ignore"] });
    client.stdout.on("data", (chunk) => (words += chunk));
    ended = new Promise((resolve) => client.on("close", resolve));
    await waitFor(() => drawn() > 2, "the window draws", patience);
    // Nobody manages this display's windows, so nobody else gives one the keys.
    await run("search", "--name", "^Strafe", "windowfocus", "--sync");
  };
  const drawn = () => words.split("frame:").length;
  const spoken = async () => words.slice(words.lastIndexOf("menu: ") + 6).split("\n", 1)[0];
  /** How many of the program's lines there were when it was looked at last. */
  let seen = 0;
  const tells = async (what, line) => {
    await waitFor(() => line.test(words.slice(seen)), what, patience);
    seen = words.length;
  };
  await start();
  return {
    size: SIZE,
    spoken,
    frames: (count) => {
      const before = drawn();
      return waitFor(() => drawn() >= before + count, "the window draws", patience);
    },
    isPlaying: () => tells("the player is in a match", /UnnamedPlayer.{0,8} entered the game/),
    hasLeft: () => waitFor(async () => (await spoken()).startsWith("Strafe."), "the first menu is back", patience),
    config: () => readFile(join(home, "config", "strafe", "strafe.cfg"), "utf8").catch(() => ""),
    picture: (path) => promisify(execFile)("import", ["-window", "root", path], { env }),
    restart: async () => {
      client.kill("SIGINT");
      await ended;
      await start();
    },
    close: async () => {
      client.kill("SIGINT");
      await ended;
      await Promise.all([pad?.close(), touchScreen?.close(), rm(home, { recursive: true, force: true })]);
    },
    pad,
    touch: touchScreen?.touch,
    press: (key) => run("key", KEYS[key] ?? key),
    type: (text) => run("type", "--delay", "60", text),
    move: async ([x, y]) => {
      await run("mousemove", `${Math.round(x) - 1}`, `${Math.round(y)}`);
      await run("mousemove", `${Math.round(x)}`, `${Math.round(y)}`);
    },
    click: async ([x, y], button = "left") => run("mousemove", `${Math.round(x)}`, `${Math.round(y)}`, "click", BUTTONS[button]),
    wheel: (isDown) => run("click", "--repeat", "6", isDown ? WHEEL.down : WHEEL.up),
  };
}
