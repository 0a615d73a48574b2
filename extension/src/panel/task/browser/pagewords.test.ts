import { describe, expect, it, test } from 'vitest';
import { MessageError } from '../../../messages/envelope';
import { withoutEnvelopes } from '$ui/foreign';
import { clean, enveloped, originOf, refused, short, told } from './pagewords';

test('a person reads what a page said without its marks', () => {
  expect(
    withoutEnvelopes('clicked\n<page-0a1b origin="https://a.test">\ne1 btn Save\n</page-0a1b>'),
  ).toBe('clicked\ne1 btn Save');
  expect(withoutEnvelopes(enveloped('https://a.test', 'one line'))).toBe('one line');
  expect(withoutEnvelopes('a <page-tag> of its own')).toBe('a <page-tag> of its own');
});

const done = { hit: 'e1 btn Save', next: 9, url: 'https://a.test/', title: 'A' };
const change = (part: object) =>
  ({ any: true, said: [], appeared: [], changed: [], gone: [], more: 0, ...part }) as never;

describe('what an action of the page’s own led to', () => {
  it.each<[string, Parameters<typeof told>[1], boolean, string]>([
    ['nothing', { ...done, change: change({ any: false }) }, false, '; no change was seen'],
    ['a value', { ...done, value: 'Ada' }, false, ''],
    ['another address', { ...done, change: change({ url: 'x' }) }, false, '; the address changed'],
    ['another page', done, true, '; the tab went to another page'],
    [
      'a scroll',
      { ...done, scrolled: [0, 500, 500, 20] },
      false,
      '; scrolled by 0,500, above 500, below 20',
    ],
  ])('%s is in our words', (_, what, left, tail) => {
    const { head } = told('clicked', what, left);
    expect(head).toBe(
      `clicked by the page’s own events, which the page can tell from a user’s${tail}`,
    );
  });

  it('is told line by line, each line cut and with its mark', () => {
    const { page } = told(
      'clicked',
      {
        ...done,
        change: change({
          said: ['Saved\nfor you'],
          appeared: [`e2 ${'x'.repeat(400)}`],
          changed: ['e3 edit'],
          gone: ['e4 btn'],
          more: 2,
          focus: 'e5 edit',
        }),
      },
      false,
    );
    expect(page.split('\n')).toEqual([
      'e1 btn Save',
      'says: Saved for you',
      `+ e2 ${'x'.repeat(296)}…`,
      '~ e3 edit',
      '- e4 btn',
      '… 2 more',
      'focus: e5 edit',
    ]);
  });
});

describe('a fault', () => {
  it('quotes the page in its envelope, and our own words without one', () => {
    const foreign = refused(
      't1',
      new MessageError('covered', 'by “x”', 'act on it'),
      'https://a.t',
    );
    expect(foreign.error?.code).toBe('covered');
    expect(foreign.text).toMatch(/^<page-[0-9a-f]{16} origin="https:\/\/a\.t">by “x”<\/page-/);
    expect(withoutEnvelopes(foreign.text)).toBe('by “x”: act on it');
    expect(refused('t1', new MessageError('deadline', 'late', ''), 'https://a.t')).toMatchObject({
      ok: false,
      tab: 't1',
      text: 'late',
      error: { code: 'timeout', message: 'late', hint: '' },
    });
  });

  it('that no command knows is an internal one', () => {
    expect(refused('t1', new MessageError('version', 'old'), 'x').error?.code).toBe('internal');
  });
});

it.each([
  ['https://a.test:8/b', 'https://a.test:8'],
  ['about:blank', 'null'],
  ['not an address', 'null'],
])('the origin of %j is %s', (url, origin) => {
  expect(originOf(url)).toBe(origin);
});

it('what makes a text look like another is taken out', () => {
  expect(clean('a\u202eb\u0000c\n\td\u{E0041}')).toBe('abc\n\td');
  expect(short('a  b\n c')).toBe('a b c');
});
