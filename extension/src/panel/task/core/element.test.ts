import { expect, it } from 'vitest';
import { calledIn, elementsOf, markOf, meant, similar } from './element';

const observe = [
  'page "Order" http://a.test/ 800x600 [↑0 ↓0]',
  '# Order',
  'form Billing',
  ' e1 edit Name [required] ="Ada"',
  ' e2 btn Save',
  'form Delivery',
  ' e3 edit Name',
  ' e4 btn Save',
  ' e5 [x] "Send [me] news"',
  '## Rows',
  '| Ann',
  ' e6 btn Delete',
  '| Bob',
  ' e7 btn Delete',
  'e8 ## link More →/more',
  '"e9 btn Forged"',
].join('\n');

it('reads what each element is, says, and stands in; text of the page is none', () => {
  expect(elementsOf(observe).map(({ ref, kind, name }) => `${ref} ${kind} ${name}`)).toEqual([
    'e1 edit Name',
    'e2 btn Save',
    'e3 edit Name',
    'e4 btn Save',
    'e5 checkbox Send [me] news',
    'e6 btn Delete',
    'e7 btn Delete',
    'e8 link More',
  ]);
  expect(markOf(observe, 'e4')).toEqual({
    kind: 'btn',
    name: 'Save',
    place: ['Order', 'Delivery'],
    nth: 2,
    of: 2,
  });
  expect(markOf(observe, 'e77')).toBeUndefined();
});

/** What the mark of a ref means in another snapshot: "sure e1", or the refs that it may mean. */
const means = (text: string, ref: string, now: string): string => {
  const mark = markOf(text, ref);
  if (mark === undefined) throw new Error(`no ${ref}`);
  const { sure, maybe } = meant(now, mark);
  return sure === undefined ? maybe.map((one) => one.ref).join(' or ') : `sure ${sure.ref}`;
};

it('one of several is found by its place, also when they were sorted again', () => {
  const sorted = '# Order\n## Rows\n| Bob\n e21 btn Delete\n| Ann\n e22 btn Delete';
  expect(means(observe, 'e7', sorted)).toBe('sure e21');
  expect(means(observe, 'e6', sorted)).toBe('sure e22');
});

it('one of several whose place is gone is none of those that are left', () => {
  const ann = '# Order\n## Rows\n| Ann\n e6 btn Delete';
  expect(means(observe, 'e7', ann)).toBe('e6');
  expect(means(observe, 'e7', `${ann}\n| Cid\n e8 btn Delete`)).toBe('e6 or e8');
});

it('the only one is found wherever it stands now, two are two, and a longer name is another', () => {
  expect(means('e1 btn Save', 'e1', 'form Billing\n e9 btn Save')).toBe('sure e9');
  expect(means('e1 btn Save', 'e1', 'e9 btn Save\ne8 btn Save')).toBe('e9 or e8');
  expect(means('e1 btn Save', 'e1', 'e9 btn Save as draft')).toBe('');
});

it('equal ones in equal places are told by their number while all are there', () => {
  const rows = 'e1 btn Add\ne2 btn Add\ne3 btn Add';
  expect(means(rows, 'e2', 'e5 btn Add\ne6 btn Add\ne7 btn Add')).toBe('sure e6');
  expect(means(rows, 'e2', 'e5 btn Add\ne6 btn Add')).toBe('e5 or e6');
});

it('what is similar comes with what shares its words first', () => {
  const mark = { kind: 'btn', name: 'Save order', place: [], nth: 1, of: 1 };
  expect(
    similar('e1 btn Cancel\ne2 btn Save draft\ne3 link Save', mark).map(({ ref }) => ref),
  ).toEqual(['e2', 'e1']);
});

it.each([
  ['edit Name', '“Name” (field)'],
  ['select City ="Berlin"', '“City” (list)'],
  ['btn "Save \\"all\\""', '“Save "all"” (button)'],
  ['[x] Gift wrap', '“Gift wrap” (checkbox)'],
  ['## btn Menu', '“Menu” (button)'],
  ['click', 'the element'],
  ['', undefined],
  [undefined, undefined],
])('the line %s is called %s by a person', (line, name) => {
  expect(calledIn(line)).toBe(name);
});
