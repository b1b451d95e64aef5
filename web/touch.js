// What devices without keys need: a keyboard for lines that are typed, and how the device is turned.

const typing = document.getElementById("typing");
const canvas = document.getElementById("game");

let isUsed = matchMedia("(pointer: coarse)").matches;
let wantsText = false;
let wantsGyro = false;
let mayHearGyro = null; // a promise; some browsers ask the player first

/** Whether fingers play: then there is no pointer to catch. */
export const usesTouch = () => isUsed;

addEventListener("pointerdown", (event) => {
  isUsed = event.pointerType === "touch";
  // Browsers show their keyboard within a touch only; by the next one at the latest it is there.
  if (isUsed) setTimeout(followText, 120);
  if (isUsed && wantsGyro) askForGyro();
}, { capture: true });

/** Follows what the game wants: letters, and turning. */
export function wantInput(text, gyro) {
  if (gyro !== wantsGyro) {
    wantsGyro = gyro;
    mayHearGyro = null;
    if (!gyro) removeEventListener("devicemotion", turn);
    else if (isUsed) askForGyro();
  }
  if (text !== wantsText) {
    wantsText = text;
    followText();
  }
}

function followText() {
  const shows = wantsText && isUsed;
  if (shows === !typing.hidden) return;
  typing.hidden = !shows;
  typing.value = BLANK;
  if (shows) typing.focus();
  else canvas.focus();
}

/** Something to delete must stand there, or the keyboard's way back says nothing. */
const BLANK = "  ";

typing.addEventListener("input", () => {
  const text = typing.value;
  for (let missing = BLANK.length - text.length; missing > 0; missing--) press("Backspace");
  if (text.length >= BLANK.length) for (const letter of text.slice(BLANK.length)) press(letter, "");
  typing.value = BLANK;
});
typing.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  event.preventDefault();
  press(event.key);
});

/** Letters go the same way as keys: who types quickly presses Enter in the same frame, and after them. */
function press(key, code = key) {
  for (const type of ["keydown", "keyup"]) canvas.dispatchEvent(new KeyboardEvent(type, { code, key, bubbles: true }));
}

async function askForGyro() {
  mayHearGyro ??= Promise.resolve(globalThis.DeviceMotionEvent?.requestPermission?.() ?? "granted").catch(() => "denied");
  if ((await mayHearGyro) === "granted" && wantsGyro) addEventListener("devicemotion", turn);
}

/** Degrees per second around the device's own axes become degrees to the left and down, however it is held. */
function turn({ rotationRate, interval }) {
  if (rotationRate?.alpha == null) return;
  const seconds = Math.min(interval / 1000 || 0.016, 0.1);
  // Alpha is the rate around the device's axis to the right, beta that around the axis to its top.
  const { alpha: right, beta: top } = rotationRate;
  const angle = screen.orientation?.angle ?? 0;
  const [up, left] = { 90: [-top, right], 180: [-right, -top], 270: [top, -right] }[angle] ?? [right, top];
  dispatchEvent(new CustomEvent("strafe-turned", { detail: { yaw: left * seconds, pitch: -up * seconds } }));
}
