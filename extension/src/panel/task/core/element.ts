// Identifies an element without its ref, which is not valid in later snapshots: by
// its kind, its name and its place.

/** An identification of an element, by which it can be found again. */
export interface Mark {
  /** The kind, as a snapshot writes it: "btn", "edit", "checkbox". */
  readonly kind: string;
  readonly name: string;
  /** The names of the groups and headings around the element, outermost first. */
  readonly place: readonly string[];
  /**
   * The element's number among those with the same kind and name, from 1, and how
   * many there were.
   */
  readonly nth: number;
  readonly of: number;
}

/** An element in a snapshot. */
export interface Found extends Mark {
  readonly ref: string;
}

const line = /^( *)(?:((?:f\d+)?e\d+) )?(.+)$/;
const sign = /^(#{1,6}(?: (?=\S))?)?(\[[ x-]\]|\([ x]\)|[a-z][\w-]*|[-|])?/;
const quoted = /^"(?:[^"\\]|\\.)*"/;
const bare = /^[^"[\]=@|\\<>→]*/;

/** All elements of a snapshot that have a ref, in reading order. */
export function elementsOf(observe: string): Found[] {
  const out: Omit<Found, 'nth' | 'of'>[] = [];
  const around: { depth: number; label: string; heading: string }[] = [
    { depth: -1, label: '', heading: '' },
  ];
  for (const raw of observe.split('\n')) {
    const [, indent = '', ref, rest = ''] = line.exec(raw) ?? [];
    if (rest === '' || rest.startsWith('"')) continue; // text of the page
    const depth = indent.length;
    while ((around.at(-1)?.depth ?? -1) >= depth && around.length > 1) around.pop();
    const { kind, heading, name } = said(rest);
    if (heading && name !== '') {
      const within = around.at(-1);
      if (within !== undefined) within.heading = name;
    }
    if (ref !== undefined) {
      const place = around.flatMap(({ label, heading: above }) =>
        [label, above].filter((one) => one !== '' && one !== name),
      );
      out.push({ ref, kind, name, place });
    }
    around.push({ depth, label: heading ? '' : name, heading: '' });
  }
  return out.map((one, at) => {
    const same = out.filter((other) => alike(one, other));
    return {
      ...one,
      of: same.length,
      nth: out.slice(0, at + 1).filter((other) => alike(one, other)).length,
    };
  });
}

/** The kind and name of a line. */
function said(rest: string): { kind: string; heading: boolean; name: string } {
  const [all, above, own] = sign.exec(rest) ?? [''];
  const tail = rest.slice(all.length).trimStart();
  const text = quoted.exec(tail)?.[0];
  const name = text === undefined ? (bare.exec(tail)?.[0] ?? '').trim() : unquoted(text);
  return { kind: kindOf(own ?? 'heading'), heading: above !== undefined, name };
}

function kindOf(own: string): string {
  if (own.startsWith('[')) return 'checkbox';
  if (own.startsWith('(')) return 'radio';
  return { '-': 'listitem', '|': 'row' }[own] ?? own;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

const alike = (a: Pick<Mark, 'kind' | 'name'>, b: Pick<Mark, 'kind' | 'name'>): boolean =>
  a.kind === b.kind && a.name === b.name;

const samePlace = (a: Mark, b: Mark): boolean =>
  a.place.length === b.place.length && a.place.every((part, at) => part === b.place[at]);

/** Identifies the element of a ref in a snapshot. */
export function markOf(observe: string, ref: string): Mark | undefined {
  const found = elementsOf(observe).find((one) => one.ref === ref);
  if (found === undefined) return undefined;
  const { kind, name, place, nth, of } = found;
  return { kind, name, place, nth, of };
}

/**
 * The element that a mark means in this snapshot, if that is certain, and all
 * elements that it may mean. If it was the only one of its kind and name, it is
 * certain when there is still exactly one. One of several is found by its place.
 * Its number decides only while there are still as many and it has the same place;
 * otherwise the remaining one may be another element.
 */
export function meant(observe: string, mark: Mark): { sure?: Found; maybe: readonly Found[] } {
  const maybe = elementsOf(observe).filter((one) => alike(one, mark));
  const [first] = maybe;
  if (mark.of <= 1) return maybe.length === 1 && first ? { sure: first, maybe } : { maybe };
  const there = maybe.filter((one) => samePlace(one, mark));
  const nth = maybe.length === mark.of ? maybe[mark.nth - 1] : undefined;
  const sure =
    there.length === 1 ? there[0] : nth !== undefined && samePlace(nth, mark) ? nth : undefined;
  return sure === undefined ? { maybe } : { sure, maybe };
}

/** Elements of the same kind as one that is gone, those with the most words in common first. */
export function similar(observe: string, mark: Mark): readonly Found[] {
  const words = new Set(mark.name.toLowerCase().split(/\W+/).filter(Boolean));
  const score = ({ name }: Mark): number =>
    name
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => words.has(word)).length;
  return elementsOf(observe)
    .filter(({ kind, name }) => kind === mark.kind && name !== '')
    .sort((a, b) => score(b) - score(a));
}

const kinds: Readonly<Record<string, string>> = {
  btn: 'button',
  edit: 'field',
  select: 'list',
  number: 'field',
  item: 'menu item',
  click: 'element',
  listitem: 'item',
};

/** Names an element for the user. */
export function called(mark: Pick<Mark, 'kind' | 'name'>): string {
  const kind = kinds[mark.kind] ?? mark.kind;
  return mark.name === '' ? `the ${kind}` : `“${mark.name}” (${kind})`;
}

/**
 * Names the element of a snapshot's line (without its ref) for the user; undefined
 * without a line.
 */
export function calledIn(rest: string | undefined): string | undefined {
  return rest === undefined || rest === '' ? undefined : called(said(rest));
}
