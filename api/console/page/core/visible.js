// Characters that people can't see, or that change the direction of others: pages and exports show them by their numbers.

// Tabs and ends of lines have their place in texts, but not in a name.
const UNSEEN = "(?![\\t\\n\\r ])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]";
const IN_TEXT = new RegExp(`(${UNSEEN})`, "u");
const IN_NAME = new RegExp(`(${UNSEEN}|[\\t\\n\\r])`, "u");
const ALL = new RegExp(UNSEEN, "gu");

// Returns the number of a character, such as "U+202E".
const numbered = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

// Returns a text with the numbers of what is not seen in it: "⟨U+202E⟩gnp.exe".
export const visible = (text) => text.replace(ALL, (one) => `⟨${numbered(one)}⟩`);

// Returns a JSON text that means the same, in which each of them is escaped.
export const escaped = (json) => json.replace(ALL, (one) => [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""));

// Returns the parts of a text, as {text, unseen}: `unseen` is the number of a character, or null for a part that is seen.
// Returns null if all of it is seen.
/** @type {(text: string, isName: boolean) => {text: string, unseen: string | null}[] | null} */
export function partsOf(text, isName) {
  const pattern = isName ? IN_NAME : IN_TEXT;
  if (!pattern.test(text)) return null;
  return text.split(pattern).map((one, at) => ({ text: one, unseen: at % 2 ? numbered(one) : null }));
}
