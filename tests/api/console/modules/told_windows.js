// Prints the words of the console for each time window of the JSON list on standard input, a line for each.

import "./browser.js";
import { readFileSync } from "node:fs";
import { askingWords } from "../../../../api/console/page/parts/window_words.js";

for (const window of JSON.parse(readFileSync(0, "utf8"))) process.stdout.write(`${askingWords(window)}\n`);
