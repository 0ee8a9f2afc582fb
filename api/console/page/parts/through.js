// The way in which access was granted, in words.

const WORDS = {
  direct: "a direct grant",
  role: "a role",
  group: "a role of a group",
  abac: "a policy for everyone",
};

// Returns the words for an `access_path`.
export function throughWords(accessPath) {
  return WORDS[accessPath] ?? accessPath ?? "";
}
