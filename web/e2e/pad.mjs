// A gamepad for a browser without one: what the page asks for pads answers with this one.

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
