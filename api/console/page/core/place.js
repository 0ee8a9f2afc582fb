// The user's place in the console: the environment, the page and what it shows, all of it in the fragment of the address.
//
// Ids and attributes are personal data. A fragment is never sent to a server, so they stand in no log.
//
//   #/ENVIRONMENT/PAGE/ARGUMENT/…?name=value&…

const DEFAULT_ENVIRONMENT = "default";
const FIRST_PAGE = "overview";

// Returns the place that a fragment names: {env, page, given: [text], query: URLSearchParams}.
/** @type {(fragment: string) => Place} */
export function readPlace(fragment) {
  const [path, query = ""] = split(fragment.replace(/^#\/?/, ""), "?");
  const [env, page, ...given] = path.split("/").map(decoded);
  return { env: env || DEFAULT_ENVIRONMENT, page: page || FIRST_PAGE, given, query: new URLSearchParams(query) };
}

// Returns the fragment that names a place.
/** @type {(env: string, page: string, given?: (string | number)[], query?: Record<string, any>) => string} */
export function placeLink(env, page, given = [], query = {}) {
  const path = [env, page, ...given].map(encodeURIComponent).join("/");
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(kept).toString();
  return `#/${path}${text && `?${text}`}`;
}

// Goes to another place of the console.
export function goTo(link) {
  location.hash = link;
}

function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed a `%`
  }
}
