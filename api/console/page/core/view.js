// A part of a page that has just come is brought into the user's view.

const SEEN = 0.7; // of the window's height: a part that begins further down is not noticed

// Brings the element with an id to the top of the window, once it is drawn, unless its beginning is in view.
export function bringIntoView(id) {
  requestAnimationFrame(() => {
    const part = document.getElementById(id);
    const top = part?.getBoundingClientRect().top ?? 0;
    if (top < 0 || top > innerHeight * SEEN) part?.scrollIntoView({ block: "start" });
  });
}
