// Draws the page again after its state has changed, once for all changes of a moment.

let draw = () => {};
let isDue = false;

// Names the function that draws the whole page.
export function drawWith(drawing) {
  draw = drawing;
}

// Asks for a new drawing. The function that draws runs soon, and once.
export function update() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    draw();
  });
}
