// The types of the library, as far as the console uses it. Only the type checker reads this file.

// A piece of a page that is drawn later.
export interface Drawing {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}

export function html(strings: TemplateStringsArray, ...values: unknown[]): Drawing;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): Drawing;
export function render(content: unknown, container: Element): void;
export const nothing: unique symbol;
