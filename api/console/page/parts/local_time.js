// Instants in fields of the type `datetime-local`, which speak of the reader's own zone.

const MINUTE = 60_000; // milliseconds

// Returns an instant as the text of such a field, or "" if there is none.
export function localInput(text) {
  const at = new Date(text);
  if (!text || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

// Returns the instant that such a field says, for the API, or "" if it is empty.
export const instantOf = (text) => (text ? new Date(text).toISOString() : "");
