// How browsers are started here: their arguments by graphics interface, and a display for those that need one.

import { spawn } from "node:child_process";

export const ARGUMENTS = {
  common: [
    "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-background-timer-throttling", "--autoplay-policy=no-user-gesture-required",
  ],
  webgl: ["--enable-unsafe-swiftshader"],
  // As a player's Chromium draws on Mesa. A browser that has no GPU stops the page in each frame until its pixels are
  // read back (60 ms, at times 250), and its own software GPU compiles in the midst of a match, 100 to 250 ms at a time.
  flowing: ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-gpu-rasterization"],
  // Without a window, and by its other paths, this browser never shows what software WebGPU drew.
  webgpu: ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=vulkan"],
};

/** A display that only the browser of this run draws to. */
export function openDisplay() {
  return new Promise((resolve, reject) => {
    const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "inherit", "pipe"] });
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`Xvfb ended with ${code}`)));
    child.stdio[3].on("data", (number) => resolve({ name: `:${String(number).trim()}`, close: () => child.kill() }));
  });
}
