import type { ElementItem, PageElement, TabID } from '$ui/protocol/protocol';

/** An element in the list; one that is gone is shown while it is selected. */
export interface Row extends PageElement {
  readonly gone?: boolean;
}

/** The list of a page's elements as the room has it. */
export interface Elements {
  readonly rows: readonly Row[];
  readonly url: string;
  readonly title: string;
  /** How many elements of the page the list lacks. */
  readonly more: number;
  /** Why the list is not current. */
  readonly failed?: { readonly message: string; readonly hint?: string } | undefined;
  /** Whether the first list has come. */
  readonly known: boolean;
}

/** An element that another part of the panel refers to. */
export interface Wanted {
  readonly ref: string;
  readonly tab: TabID;
}

/** The element that the room was opened for; undefined if it was opened for none. */
export function asked(wanted: unknown): Wanted | undefined {
  const is = typeof wanted === 'object' && wanted !== null && 'ref' in wanted && 'tab' in wanted;
  return is ? (wanted as Wanted) : undefined;
}

/** The list before anything has come. */
export const none: Elements = { rows: [], url: '', title: '', more: 0, known: false };

/** How many elements that are gone are remembered. */
const goneMost = 20;

/** The list after some changes. */
export function changed(was: Elements, items: readonly ElementItem[]): Elements {
  const now = { ...was, rows: [...was.rows], failed: undefined as Elements['failed'] };
  for (const item of items)
    switch (item.kind) {
      case 'new':
        now.rows = [];
        now.known = true;
        about(now, item);
        break;
      case 'page':
        about(now, item);
        break;
      case 'put':
        if (item.element) put(now.rows, item.element, item.after ?? '');
        break;
      case 'gone': {
        const at = now.rows.findIndex(({ ref }) => ref === item.ref);
        const row = now.rows[at];
        if (row) now.rows[at] = { ...row, gone: true };
        break;
      }
      case 'failed':
        now.failed = item.error;
        break;
    }
  let spare = now.rows.filter(({ gone }) => gone).length - goneMost;
  if (spare > 0) now.rows = now.rows.filter(({ gone }) => gone !== true || spare-- <= 0);
  return now;
}

function about(
  now: { url: string; title: string; more: number },
  { url = '', title = '', more = 0 }: ElementItem,
): void {
  now.url = url;
  now.title = title;
  now.more = more;
}

function put(rows: Row[], element: PageElement, after: string): void {
  const before = rows.findIndex(({ ref }) => ref === element.ref);
  if (before >= 0) rows.splice(before, 1);
  rows.splice(after === '' ? 0 : rows.findIndex(({ ref }) => ref === after) + 1, 0, element);
}

/** The rows that pass the filters. A row that is gone passes only while it is selected. */
export function passing(
  rows: readonly Row[],
  { text, role, selected }: { text: string; role: string; selected: string | undefined },
): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (row.gone) return row.ref === selected;
    if (role !== '' && row.role !== role) return false;
    const all = line(row).toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The roles in a list, with how often each occurs, the most frequent first. */
export function roles(rows: readonly Row[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { role, gone } of rows) if (!gone) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
}

/** An element in one line, as it is sent to an agent. */
export function line({ ref, role, name, states = [], value, context }: PageElement): string {
  return [
    ref,
    role,
    name !== '' && JSON.stringify(name),
    states.length > 0 && `[${states.join(', ')}]`,
    value !== undefined && `=${JSON.stringify(value)}`,
    context !== undefined && `(${context})`,
  ]
    .filter((part) => part !== false)
    .join(' ');
}

/** About how many tokens a text is for a model: four characters each, of languages with spaces. */
export function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Whether a value can be filled into an element with this role. */
export function isField(role: string): boolean {
  return ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider'].includes(role);
}
