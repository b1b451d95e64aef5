// Plays the demo of each reference view in a real browser, takes the picture that the client reads back from its
// graphics interface, and compares it with the reference client's frame.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGUMENTS, openDisplay } from "./browser.mjs";

const facts = JSON.parse(process.argv[2]);
/** Software rendering on a busy machine is slow. */
const PATIENCE = 180_000;
const manifest = JSON.parse(await readFile(join(facts.views, "manifest.json"), "utf8"));
await mkdir(facts.results, { recursive: true });

/** Shown by the reference only, or of no meaning here. */
const FOREIGN = /^(r_mode|r_custom|r_fullscreen|com_|s_|net_|cl_renderer|r_swapInterval)/;

const display = await openDisplay();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: facts.renderer !== "webgpu",
  env: { ...process.env, DISPLAY: display.name },
  args: [...ARGUMENTS.common, ...ARGUMENTS[facts.renderer]],
});
const failures = [];
try {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 1 });
  const page = await context.newPage();
  page.on("pageerror", (error) => failures.push(String(error.stack)));
  page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
  await page.goto(`${facts.page}?renderer=${facts.renderer}`);
  const status = await page.waitForFunction(() => {
    const status = globalThis.strafe?.status;
    return (status?.isDrawing || status?.error) && status;
  }, null, { timeout: PATIENCE });
  const refusal = await status.evaluate((status) => status.error);
  if (refusal) throw new Error(refusal);
  const adapter = await page.evaluate(() => strafe.status.adapter);
  if (!facts.json) console.log(`drawing on ${adapter}`);
  const settings = Object.entries(manifest.cvars).filter(([name]) => !FOREIGN.test(name));
  await run(page, ["set r_ext_max_anisotropy 1", "set cg_fovAspect 0", ...settings.map(([name, value]) => `set ${name} ${value}`)]);
  await page.evaluate(watchPictures);
  const wanted = manifest.views.filter((view) => facts.words.length === 0 || facts.words.some((word) => view.id.includes(word)));
  const comparer = await (await browser.newContext()).newPage();
  let compared = Promise.resolve();
  const views = [];
  for (const view of wanted) {
    // A page that draws is slow to encode its pictures as files, so of one view alone the file is compared too.
    const picture = await draw(page, view, view === wanted.at(-1) ? "file" : "pixels");
    await compared;
    // While the next one is drawn; who awaits it sees its error.
    compared = compare(comparer, view, picture).then((found) => {
      views.push({ name: view.id, ...found });
      if (!facts.json) console.log(line(views.at(-1)));
    });
    compared.catch(() => null);
  }
  await compared;
  const outside = views.filter((view) => !view.passes).length;
  if (facts.json) console.log(JSON.stringify({ renderer: facts.renderer, adapter, views, errors: failures }));
  else console.log(`${views.length} views, ${outside} outside the gates; pictures in ${facts.results}`);
  for (const failure of failures) console.error(`page: ${failure}`);
  process.exitCode = outside > 0 || views.length === 0 || failures.length > 0 ? 1 : 0;
} finally {
  await browser.close();
  display.close();
}

function run(page, lines) {
  return page.evaluate((lines) => lines.forEach((line) => strafe.run(line)), lines);
}

/** In the page: keeps the pixels of screenshots, and their files. */
function watchPictures() {
  const { host } = strafe;
  const encode = host.encodePicture;
  host.encodePicture = (pixels, ...shape) => {
    const file = encode(pixels, ...shape);
    strafe.pictured({ pixels: pixels.slice(), file });
    return file;
  };
}

/** Plays a view's demo as if it had been dropped on the page; the picture's pixels or its file in base64, and its draws. */
async function draw(page, view, kind) {
  const demo = await readFile(join(facts.views, view.demo));
  await run(page, [`set cg_fov ${view.cg_fov}`]);
  await page.evaluate(({ name, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    strafe.viewBegan = strafe.status.frames;
    dispatchEvent(new CustomEvent("strafe-demo", { detail: { name, bytes } }));
  }, { name: `${view.id}.dm_71`, base64: demo.toString("base64") });
  await page.waitForFunction(
    (map) => {
      const { status } = strafe;
      if (status.error) throw new Error(status.error);
      const { wanted = 0 } = status.loading ?? {};
      return status.state === "active" && status.isDrawing && status.map === map && wanted === 0 && status.frames > strafe.viewBegan + 10;
    },
    view.map,
    { timeout: PATIENCE, polling: 100 },
  );
  // Textures and pipelines go to the graphics adapter a few in each frame.
  const begun = await page.evaluate(() => strafe.status.frames);
  await page.waitForFunction((begun) => strafe.status.frames > begun + 30 && strafe.status.lacking === 0, begun, { timeout: PATIENCE, polling: 100 });
  return page.evaluate(async ({ id, kind, patience }) => {
    const picture = await new Promise((resolve, reject) => {
      strafe.pictured = resolve;
      setTimeout(() => reject(new Error(`no screenshot of ${id} after ${patience / 1000} s`)), patience);
      strafe.run(`screenshot ${id}`);
    });
    const bytes = await picture[kind];
    let letters = "";
    for (let at = 0; at < bytes.length; at += 4096) letters += String.fromCharCode(...bytes.subarray(at, at + 4096));
    return { [kind]: btoa(letters), draws: strafe.status.draws ?? null };
  }, { id: view.id, kind, patience: PATIENCE });
}

/** Mean error and share of pixels far off, with the browser as the decoder. */
async function compare(page, view, { draws, ...picture }) {
  const pictures = [picture, { file: await readFile(join(facts.views, view.file), "base64") }];
  const { width, height } = view;
  const found = await page.evaluate(async ({ pictures, width, height }) => {
    const [ours, theirs] = await Promise.all(pictures.map(async ({ file, pixels }) => {
      const bytes = Uint8Array.from(atob(file ?? pixels), (letter) => letter.charCodeAt(0));
      if (pixels) return new ImageData(new Uint8ClampedArray(bytes.buffer), width, height);
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }), { colorSpaceConversion: "none" });
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height);
    }));
    if (ours.width !== theirs.width || ours.height !== theirs.height) throw new Error(`the picture is ${ours.width} x ${ours.height}`);
    // Ours, the reference's, and what differs eight times as bright.
    const sheet = new OffscreenCanvas(3 * ours.width, ours.height);
    const paper = sheet.getContext("2d");
    const difference = new ImageData(ours.width, ours.height);
    let [sum, far] = [0, 0];
    for (let at = 0; at < ours.data.length; at += 4) {
      const off = [0, 1, 2].map((k) => Math.abs(ours.data[at + k] - theirs.data[at + k]));
      difference.data.set([...off.map((value) => Math.min(255, 8 * value)), 255], at);
      sum += off[0] + off[1] + off[2];
      far += Math.max(...off) > 16 ? 1 : 0;
    }
    const pixels = ours.width * ours.height;
    [ours, theirs, difference].forEach((image, place) => paper.putImageData(image, place * ours.width, 0));
    const png = new Uint8Array(await (await sheet.convertToBlob({ type: "image/png" })).arrayBuffer());
    return { mean_abs_error: sum / pixels / 3, share_over_16: far / pixels, sheet: btoa(Array.from(png, (byte) => String.fromCharCode(byte)).join("")) };
  }, { pictures, width, height });
  const { sheet, ...errors } = found;
  await writeFile(join(facts.results, `${view.id}-${facts.renderer}.png`), Buffer.from(sheet, "base64"));
  return { ...errors, draws, passes: errors.mean_abs_error <= 1.5 && errors.share_over_16 <= 0.01 && draws <= 300 };
}

function line({ name, mean_abs_error, share_over_16, draws, passes }) {
  return `${name.padEnd(24)} mean ${mean_abs_error.toFixed(2).padStart(6)}  over 16: ${(share_over_16 * 100).toFixed(2).padStart(6)} %  ${String(draws).padStart(4)} draws  ${passes ? "ok" : "FAILED"}`;
}
