// The parts of a browser that modules need while they load, and the calls that they make: enough to test them without one.

globalThis.document = { baseURI: "http://console.test/proxied/console/", createTreeWalker: () => ({}) };
globalThis.location = { hash: "" };

// The calls that were made, as {method, url, headers, body, signal}.
export const calls = [];

// Lets `answer({method, url, headers, body})` answer all calls: it returns {status, body, headers}, or throws.
export function service(answer) {
  calls.length = 0;
  globalThis.fetch = async (url, { method, headers, body, signal }) => {
    const asked = { method, url: String(url), headers, body, signal };
    calls.push(asked);
    const { status = 200, body: given = null, headers: more = {} } = await answer(asked);
    return new Response(given === null ? null : JSON.stringify(given), { status, headers: { "Content-Type": "application/json", ...more } });
  };
}

// Returns the text of a drawing without its marks.
export const textOf = (drawing) => markup(drawing).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();

// Returns the markup of a drawing, in which handlers are left out.
export function markup(drawing) {
  if (Array.isArray(drawing)) return drawing.map(markup).join("");
  if (drawing?.strings) return drawing.strings.map((text, at) => (at ? markup(drawing.values[at - 1]) : "") + text).join("");
  return ["string", "number"].includes(typeof drawing) ? String(drawing) : "";
}

// Chooses a value of the field whose markup has an id.
export function choose(drawing, id, value) {
  const found = changes(drawing).find(({ before }) => before.includes(`id=${id} `));
  if (!found) throw new Error(`there is no choice ${id}`);
  return found.handler({ target: { value } });
}

function changes(drawing) {
  if (Array.isArray(drawing)) return drawing.flatMap(changes);
  if (!drawing?.strings) return [];
  return drawing.values.flatMap((value, at) => {
    if (!drawing.strings[at].endsWith("@change=")) return changes(value);
    return [{ handler: value, before: markup({ strings: drawing.strings.slice(0, at + 1), values: drawing.values.slice(0, at) }) }];
  });
}

// Calls the handler of the button whose markup ends with a name.
export function press(drawing, name) {
  const found = handlers(drawing).find(({ after }) => after.split("</button>")[0].trim().endsWith(name));
  if (!found) throw new Error(`there is no button ${name}`);
  return found.handler({ preventDefault() {} });
}

function handlers(drawing) {
  if (Array.isArray(drawing)) return drawing.flatMap(handlers);
  if (!drawing?.strings) return [];
  return drawing.values.flatMap((value, at) => {
    const isClick = drawing.strings[at].endsWith("@click=");
    const rest = { strings: drawing.strings.slice(at + 1), values: drawing.values.slice(at + 1) };
    return isClick ? [{ handler: value, after: markup(rest) }] : handlers(value);
  });
}
