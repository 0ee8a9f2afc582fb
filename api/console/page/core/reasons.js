// The reasons of decisions in words. Their codes are for programs.

const WORDS = {
  ALLOWED: "Allowed",
  NO_POLICY_MATCH: "Nothing allows it",
  DENY_OVERRIDE: "Something allows it, but a policy denies it",
  EXPLICIT_DENY: "A policy denies it, and nothing allows it",
  CONDITION_FAILED: "A condition does not hold",
  ACTION_NOT_PERMITTED: "Only other actions are allowed",
};

// Each code, and the words for it.
/** @type {[string, string][]} */
export const REASONS = Object.entries(WORDS);

// Returns the words for a code. A newer service may have others.
/** @type {(code: string | null | undefined) => string} */
export const reasonWords = (code) => (code ? (WORDS[code] ?? code.toLowerCase().replaceAll("_", " ")) : "Not recorded");
