// The service's findings about a field, in its own words.

import { html, nothing } from "../core/html.js";
import { failure, notice, sentence } from "./notice.js";

// Returns the findings of a refusal at a member of the body, such as "$.name", or at something inside it.
export function faultsAt(problem, path) {
  return (problem?.details ?? []).filter((one) => one.path === path || one.path?.startsWith(`${path}[`) || one.path?.startsWith(`${path}.`));
}

// Returns the drawing of these findings, to be put below the field.
export function faultOf(problem, path, id = nothing) {
  const found = faultsAt(problem, path);
  return found.length ? found.map((one) => html`<p class="fault" id=${id}>${sentence(one.message)}</p>`) : nothing;
}

// Returns the drawing of a refusal, without the findings that already stand at the fields with these paths.
export function refusalOf(problem, paths) {
  if (!problem) return nothing;
  const details = problem.details ?? [];
  const placed = paths.flatMap((path) => faultsAt(problem, path));
  if (!details.length || details.some((one) => !placed.includes(one))) return failure(problem);
  return notice("bad", html`<p>Nothing is changed yet: see the marked ${details.length === 1 ? "field" : "fields"}.</p>`);
}
