// The page after a sign-in: it goes on where the user was, or leaves that to the window which waits.

import { BEGUN, CHANNEL, comeBack } from "./tabs.js";

const { place, waits } = comeBack();
new BroadcastChannel(CHANNEL).postMessage(BEGUN);

if (waits) {
  const text = document.getElementById("text");
  if (text) text.textContent = "Go back to the window where you wrote. You can close this one.";
  window.close();
} else {
  location.replace(`./${place}`);
}
