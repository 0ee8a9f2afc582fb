// The types that many modules share. Only the type checker reads this file.

type Drawing = import("./vendor/lit-html.js").Drawing | typeof import("./vendor/lit-html.js").nothing | string | Drawing[];

type Draft = import("./editing/draft.js").Draft;
type Session = import("./core/session.js").Session;
type Sorting = import("./parts/sorting.js").Sorting;

// Where the user is: `given` are the parts of the address after the page.
interface Place {
  env: string;
  page: string;
  given: string[];
  query: URLSearchParams;
}

// An open page. Its title names the element that it shows.
interface Page {
  readonly title: string;
  view(): Drawing;
  isUnsaved?(): boolean;
}

// A page in the navigation, see app/pages.js.
interface PageRow {
  id: string;
  name: string;
  key: string;
  kind?: string;
  scope?: string;
  open(): Promise<{ page(place: Place): Page }>;
}

// A kind of elements, see core/kinds.js.
interface Kind {
  name: string;
  segment: string;
  noun: string;
  plural: string;
  key: string[];
  blank: ModelElement;
  isOne?: boolean;
  page?: string;
  isOrdered?: boolean;
  isOutside?: boolean;
  said?(body: ModelElement): [words: string, name: string];
  ending?: string;
}

// An element of the model as the API has it.
type ModelElement = Record<string, any>;

// A finding about a member of an element.
interface Fault {
  path?: string;
  message: string;
  code?: string;
  severity?: string;
  help?: string;
}

// A column of a table. `env` is the environment of the page.
interface Column {
  title: string;
  cell(row: any, env?: any): Drawing | number;
  isNumber?: boolean;
  isHeader?: boolean;
  look?(row: any): string;
  sort?: string;
  csv?(row: any): unknown;
}

// What the pages of a kind show: the list, see editing/element_list.js, and one element, see editing/element_page.js.
interface ListRow {
  kind: Kind;
  about: string;
  columns: Column[];
  filters: [parameter: string, label: string, choices?: Choice[]][];
  empty: string;
  sorts?: string[];
  limit?: number;
  above?(place: Place): () => Drawing;
  draw?(place: Place): (items: any[], found: any) => Drawing;
  beside?(env: string, one: any, suggestions: any): () => Drawing;
  before?(env: string, one: any, suggestions: any): () => Drawing;
  absent?: string;
}

// A list of the API, see parts/list_page.js. `what` names it while it is read. `cursor` is where the address keeps the page.
interface ApiList extends Pick<ListRow, "columns" | "empty"> {
  what: string;
  where: string;
  limit: number;
  query?: Record<string, string | undefined>;
  cursor?: string;
  label?: string;
  above?: Drawing;
  file?: { name: string; members: string[] };
  link?(row: any): string;
}

// A value that can be chosen, and its name.
type Choice = [string, Drawing];

// The members of a form's field. `at` is the path of its value in the element, and the id of the field.
interface FieldGiven {
  label: string;
  at: string;
  value?: any;
  set(value: any): void;
  faults?: Fault[];
  hint?: Drawing;
  list?: string;
  isName?: boolean;
  isHidden?: boolean;
  placeholder?: string;
}

// Browsers keep the text of a number of JSON, if they are new enough.
interface JSON {
  rawJSON?(text: string): unknown;
  isRawJSON?(value: unknown): boolean;
}
