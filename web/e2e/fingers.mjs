// A display with a touch screen for the native window: an X server that takes what fingers do from a socket, as its own
// tests do (inputtest(4), xf86-input-inputtest-protocol.h).

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CONFIG = ({ width, height }, socket) => `
Section "ServerFlags"
  Option "AutoAddDevices" "false"
EndSection
Section "Device"
  Identifier "card"
  Driver "dummy"
  VideoRam 65536
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5-1000
  VertRefresh 5-200
  Modeline "usual" 40 ${width} ${width + 40} ${width + 140} ${width + 240} ${height} ${height + 10} ${height + 20} ${height + 40}
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "usual"
    Virtual ${width} ${height}
  EndSubSection
EndSection
${[["fingers", "Touch"], ["keys", "Keyboard"], ["mouse", "PointerAbsolute"]].map(([name, type]) => `
Section "InputDevice"
  Identifier "${name}"
  Driver "inputtest"
  Option "SocketPath" "${socket}-${name}"
  Option "DeviceType" "${type}"
EndSection`).join("")}
Section "ServerLayout"
  Identifier "layout"
  Screen "screen"
  InputDevice "fingers" "SendCoreEvents"
  InputDevice "keys" "CoreKeyboard"
  InputDevice "mouse" "CorePointer"
EndSection
`;

/** Messages to the server, and their lengths in bytes. */
const [VERSION, SYNC, TOUCH] = [0, 1, 6];
/** Of a touch: its length, and where it has the finger, the phase, which axes are given, and their values. */
const TOUCH_BYTES = 1056;
const [FINGER_AT, PHASE_AT, AXES_AT, VALUES_AT] = [8, 12, 20, 32];
/** As X numbers them. */
const PHASES = { began: 18, moved: 19, ended: 20 };
/** The touch screen counts so far across and down. */
const RANGE = 65535;

/** How long the X server may take for an answer, in ms. */
const PATIENCE = 20_000;

/** What `start` promises by its `resolve`, or the reason why it did not come in time. */
function inTime(what, start) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} took over ${PATIENCE / 1000} s`)), PATIENCE);
    const settled = (settle) => (value) => {
      clearTimeout(timer);
      settle(value);
    };
    start(settled(resolve), settled(reject));
  });
}

/** A display of this size; `touch(phase, [x, y])` is what its one finger does. */
export async function openTouchScreen(size) {
  const folder = await mkdtemp(join(tmpdir(), "strafe-fingers-"));
  const socket = join(folder, "x");
  await writeFile(join(folder, "x.conf"), CONFIG(size, socket));
  const arguments_ = ["-displayfd", "3", "-config", join(folder, "x.conf"), "-logfile", join(folder, "log"), "-noreset", "-nolisten", "tcp"];
  const child = spawn("Xorg", arguments_, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await inTime("the X server's start", (resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`Xorg ended with ${code}; its log is ${join(folder, "log")}`)));
    child.stdio[3].on("data", (number) => resolve(String(number).trim()));
  });
  const wire = connect(`${socket}-fingers`);
  await inTime("the way to the X server's fingers", (resolve, reject) => wire.on("connect", resolve).on("error", reject));
  const message = (type, length) => {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32LE(length, 0);
    bytes.writeUInt32LE(type, 4);
    return bytes;
  };
  const answered = () => inTime("the X server's answer", (resolve) => wire.once("data", resolve));
  const version = message(VERSION, 12);
  version.writeUInt16LE(1, 8);
  wire.write(version);
  await answered();
  return {
    name: `:${number}`,
    touch: async (phase, [x, y]) => {
      const bytes = message(TOUCH, TOUCH_BYTES);
      bytes.writeUInt32LE(1, FINGER_AT);
      bytes.writeUInt32LE(PHASES[phase], PHASE_AT);
      bytes.writeUInt8(0b11, AXES_AT);
      [x / size.width, y / size.height].forEach((share, axis) => bytes.writeDoubleLE(share * RANGE, VALUES_AT + 8 * axis));
      wire.write(bytes);
      wire.write(message(SYNC, 8));
      await answered();
    },
    close: async () => {
      wire.destroy();
      child.removeAllListeners("close");
      child.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
