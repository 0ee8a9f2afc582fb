// Prints what the console says of each `people` of the JSON list on standard input, a line for each, so that tests can compare it.

import { textOf } from "./browser.js";
import { readFileSync } from "node:fs";
import { effectOnPeople } from "../../../../api/console/page/editing/people.js";

for (const people of JSON.parse(readFileSync(0, "utf8"))) process.stdout.write(`${textOf(effectOnPeople("default", people))}\n`);
