// A gamepad for machines without one: in the page what is asked for pads answers with this one, and the native window
// reads one from a pipe.

import { execFile } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Plugs it in; to be called before the page is loaded. `globalThis.pad` has its axes and buttons. */
export async function plugIn(page) {
  await page.addInitScript(() => {
    const given = (object, values) => {
      for (const [name, value] of Object.entries(values)) {
        Object.defineProperty(object, name, { value, writable: true });
      }
      return object;
    };
    const button = () => given(Object.create(GamepadButton.prototype), { pressed: false, touched: false, value: 0 });
    globalThis.pad = given(Object.create(Gamepad.prototype), {
      axes: [0, 0, 0, 0],
      buttons: Array.from({ length: 17 }, button),
      connected: true,
      id: "Pad (STANDARD GAMEPAD)",
      index: 0,
      mapping: "standard",
    });
    // A state with the same time would not be looked at.
    Object.defineProperty(pad, "timestamp", { get: () => performance.now() });
    navigator.getGamepads = () => [pad];
  });
}

/** The stick to `[right, back]`, each from -1 to 1. */
export const lean = (page, stick) => page.evaluate(([right, back]) => {
  [pad.axes[0], pad.axes[1]] = [right, back];
}, stick);

/** A button as numbered in the standard layout; 0 is the lowest on the right. */
export const press = (page, number, isDown) => page.evaluate(([number, isDown]) => {
  Object.assign(pad.buttons[number], { pressed: isDown, touched: isDown, value: isDown ? 1 : 0 });
}, [number, isDown]);

/** Linux's numbers of kinds of events, of buttons, and of the axes of the cross, by the standard layout's numbers. */
const [SYN, KEY, ABS] = [0, 1, 3];
const BUTTON_CODES = { 0: 0x130, 1: 0x131, 2: 0x133, 3: 0x134, 8: 0x13a, 9: 0x13b };
const CROSS = { 12: [0x11, -1], 13: [0x11, 1], 14: [0x10, -1], 15: [0x10, 1] };

/** A pad for the native window: `env` is what the program is started with. */
export async function makePad() {
  const folder = await mkdtemp(join(tmpdir(), "strafe-pad-"));
  const [library, pipe] = ["pad.so", "event0"].map((name) => join(folder, name));
  const run = promisify(execFile);
  await run("cc", ["-shared", "-fPIC", "-o", library, join(dirname(fileURLToPath(import.meta.url)), "made_pad.c"), "-ldl"]);
  await run("mkfifo", [pipe]);
  // Reading as well, it does not wait for a reader.
  const wire = await open(pipe, "r+");
  const event = (kind, code, value) => {
    const bytes = Buffer.alloc(24);
    bytes.writeUInt16LE(kind, 16);
    bytes.writeUInt16LE(code, 18);
    bytes.writeInt32LE(value, 20);
    return bytes;
  };
  return {
    env: { LD_PRELOAD: library, MADE_PAD: folder, GILRS_DISABLE_UDEV: "1" },
    /** A button as above. */
    press: (number, isDown) => {
      const [kind, code, value] = number in CROSS ? [ABS, ...CROSS[number]] : [KEY, BUTTON_CODES[number], 1];
      return wire.write(Buffer.concat([event(kind, code, isDown ? value : 0), event(SYN, 0, 0)]));
    },
    close: async () => {
      await wire.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
