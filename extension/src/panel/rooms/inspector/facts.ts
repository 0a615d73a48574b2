import type { DetailDeclaration, DetailRule, Details, Edits } from '$ui/protocol/protocol';
import { manyLines, oneLine } from '$ui/foreign';
import type { SendItem } from '../desk';

/** A part of what is known of an element, which the user can send by itself. */
export type SectionID =
  | 'selectors'
  | 'box'
  | 'rules'
  | 'pseudo'
  | 'computed'
  | 'fonts'
  | 'colors'
  | 'access'
  | 'listeners'
  | 'attributes'
  | 'edits';

/** All sections, in the order in which they are shown. */
export const sections: readonly { readonly id: SectionID; readonly name: string }[] = [
  { id: 'selectors', name: 'Selectors' },
  { id: 'box', name: 'Box' },
  { id: 'rules', name: 'Rules' },
  { id: 'pseudo', name: 'Pseudo-elements' },
  { id: 'computed', name: 'Computed' },
  { id: 'colors', name: 'Colours' },
  { id: 'fonts', name: 'Fonts' },
  { id: 'access', name: 'Accessibility' },
  { id: 'listeners', name: 'Listeners' },
  { id: 'attributes', name: 'Attributes and text' },
  { id: 'edits', name: 'Edits' },
];

/** The sections that are sent until the user ticks others. */
export const firstTicked: ReadonlySet<SectionID> = new Set([
  'selectors',
  'rules',
  'access',
  'edits',
]);

/** The ticked sections with one more or, if it is not on, one less. */
export function withTick(
  ticked: ReadonlySet<SectionID>,
  id: SectionID,
  on: boolean,
): ReadonlySet<SectionID> {
  const next = new Set(ticked);
  if (on) next.add(id);
  else next.delete(id);
  return next;
}

/** The last part of a source, with its line: "app.css:12". */
export function shortSource(source: string): string {
  const [, where = source, line = ''] = /^(.*?)(:\d+)?$/s.exec(source) ?? [];
  const [path = ''] = where.split(/[?#]/);
  const last = path.slice(path.lastIndexOf('/') + 1).trim();
  return (last === '' ? where : last) + line;
}

/** A declaration as text. */
export function written({
  name,
  value,
  important,
  off,
  beaten,
  unknown,
}: DetailDeclaration): string {
  const text = `${name}: ${value}${important === true ? ' !important' : ''};`;
  if (off === true) return `/* off: ${text} */`;
  if (unknown === true) return `${text} /* not understood */`;
  return beaten === true ? `${text} /* overridden */` : text;
}

/** A rule as text, with its conditions and where it is. */
export function ruleText(rule: DetailRule): string {
  const where = rule.original ?? rule.source ?? rule.origin;
  const about = [
    where,
    ...(rule.conditions ?? []),
    ...(rule.from === undefined ? [] : [`inherited from ${rule.from}`]),
  ];
  const lines = rule.declarations.map((one) => `  ${oneLine(written(one))}`);
  return [`/* ${oneLine(about.join(', '))} */`, `${oneLine(rule.selector)} {`, ...lines, '}'].join(
    '\n',
  );
}

const sides = (all: readonly number[]): string => all.map((n) => `${String(round(n))}px`).join(' ');

/** A number with at most two digits after the point. */
export function round(n: number): number {
  return Math.round(n * 100) / 100;
}

function sectionText(id: SectionID, d: Details, edits: Edits | undefined): string {
  switch (id) {
    case 'selectors':
      return d.selectors
        .map(({ selector, matches }) => `${oneLine(selector)} (${String(matches)})`)
        .join('\n');
    case 'box':
      return `${String(round(d.box.width))} × ${String(round(d.box.height))} at ${String(round(d.box.x))},${String(round(d.box.y))}; margin ${sides(d.box.margin)}; border ${sides(d.box.border)}; padding ${sides(d.box.padding)}`;
    case 'rules':
      return d.rules
        .filter(({ pseudo, origin }) => pseudo === undefined && origin !== 'browser')
        .map(ruleText)
        .join('\n');
    case 'pseudo':
      return d.rules
        .filter(({ pseudo }) => pseudo !== undefined)
        .map(ruleText)
        .join('\n');
    case 'computed':
      return d.computed.map(({ name, value }) => oneLine(`${name}: ${value};`)).join('\n');
    case 'fonts':
      return d.fonts
        .map(({ family, name, glyphs }) =>
          oneLine(`${family} (${name}), ${String(glyphs)} characters`),
        )
        .join('\n');
    case 'colors':
      if (d.colors === undefined) return '';
      return `${oneLine(d.colors.text)} on ${oneLine(d.colors.behind.join(', '))}: ${contrastWords(d.colors)}`;
    case 'access': {
      const states = Object.entries(d.access.properties ?? {}).map(([k, x]) => `${k}: ${x}`);
      return [
        oneLine(`role ${d.access.role}, name ${JSON.stringify(d.access.name)}`),
        ...(d.access.path.length > 0 ? [oneLine(`in ${d.access.path.join(' > ')}`)] : []),
        ...states.map(oneLine),
      ].join('\n');
    }
    case 'listeners':
      return d.listeners.map(({ type, source }) => oneLine(`${type}: ${source}`)).join('\n');
    case 'attributes':
      return [
        ...d.attributes.map(({ name, value }) => oneLine(`${name}=${JSON.stringify(value)}`)),
        ...(d.text === '' ? [] : [oneLine(`text: ${d.text}`)]),
      ].join('\n');
    case 'edits':
      return edits?.diff ?? '';
  }
}

/** The contrast in words: the ratio, and what it is enough for. */
export function contrastWords({ contrast, needed, best }: NonNullable<Details['colors']>): string {
  if (contrast === 0) return 'the contrast cannot be told';
  const grade =
    contrast >= best
      ? 'AAA'
      : contrast >= needed
        ? 'AA'
        : `fails AA, which needs ${String(needed)}`;
  return `${contrast.toFixed(2)} (${grade})`;
}

/** What is sent of an element: exactly the sections that were ticked. */
export function factsText(
  d: Details,
  edits: Edits | undefined,
  ticked: ReadonlySet<SectionID>,
): string {
  const parts = sections
    .filter(({ id }) => ticked.has(id))
    .map(({ id, name }) => ({ name, text: sectionText(id, d, edits) }))
    .filter(({ text }) => text !== '');
  return [
    oneLine(`${d.ref} ${d.element}`),
    ...parts.map(({ name, text }) => `${name}:\n${text}`),
  ].join('\n\n');
}

/** What is handed to the agent of an element: the ticked sections, and where they come from. */
export function factsItem(
  d: Details,
  edits: Edits | undefined,
  ticked: ReadonlySet<SectionID>,
): SendItem {
  return {
    title: `Element ${d.ref}`,
    text: manyLines(factsText(d, edits, ticked)),
    origin: new URL(d.url).origin,
  };
}
