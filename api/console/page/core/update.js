// Draws the page again after its state has changed, once for all changes of a moment.

let draw = () => {};
let isDue = false;
let isPressed = false;
let isHeld = false; // a drawing waits for the end of a press

const CLICK_COMES = 100; // milliseconds from the end of a touch to its click
const LONGEST_PRESS = 10_000; // milliseconds: a menu of the system may swallow the end of a press

// Names the function that draws the whole page. While a pointer is down it rests: what is pressed would move away.
export function drawWith(drawing) {
  draw = drawing;
  addEventListener("pointerdown", ({ button }) => { isPressed = button === 0; }, true);
  addEventListener("pointerdown", () => setTimeout(release, LONGEST_PRESS), true);
  addEventListener("click", release, true); // what the click itself changes is drawn at once, as ever
  addEventListener("pointermove", ({ buttons }) => isPressed && !buttons && release(), true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(release, CLICK_COMES), true);
}

// Ends the rest. What was held is drawn after the click that may be under way.
function release() {
  isPressed = false;
  if (!isHeld) return;
  isHeld = false;
  setTimeout(update);
}

// Asks for a new drawing. The function that draws runs soon, and once.
export function update() {
  if (isPressed) isHeld = true;
  if (isPressed || isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    draw();
  });
}
