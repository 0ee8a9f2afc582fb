// The messages between the tabs of the console, and what the windows of a sign-in find again. None of it is secret.

export const CHANNEL = "writ-session";
export const BEGUN = "begun"; // somebody has signed in
export const ENDED = "ended"; // somebody has signed out

const PLACE = "place"; // to go on at, after the sign-in
const AGAIN = "again"; // the window that was open waits, with unsaved text

// Goes to the provider, and keeps the place of this window.
export function goAway(url, place) {
  sessionStorage.setItem(PLACE, place);
  location.assign(url);
}

// Goes to the provider in another window, which gets a copy of what this one keeps, while this one waits.
export function goAwayBeside(url) {
  sessionStorage.setItem(AGAIN, "1");
  window.open(url, "_blank");
  sessionStorage.removeItem(AGAIN);
}

// Returns what was kept: the place to go on at, and whether another window waits. It is kept no longer.
export function comeBack() {
  const place = sessionStorage.getItem(PLACE) ?? "";
  const waits = sessionStorage.getItem(AGAIN) !== null;
  sessionStorage.removeItem(PLACE);
  sessionStorage.removeItem(AGAIN);
  return { place: place.startsWith("#") ? place : "", waits };
}
