import { expect, test } from 'vitest';

import { quote, shownName } from './quote.js';

test.each([
  ['Save', 'Save'],
  ['Save (2)', 'Save (2)'],
  ['שמור הכל', 'שמור הכל'],
  ['10\u00a0kg', '"10\u00a0kg"'],
  ['Save ', '"Save "'],
  ['', '""'],
  ['a=b', '"a=b"'],
  ['Save [disabled]', '"Save [disabled]"'],
  ['x → y', '"x → y"'],
  ['ann@x.org', '"ann@x.org"'],
  ['| cell', '"| cell"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['one\ntwo', '"one\\ntwo"'],
  ['safe\u202eexe.txt', '"safe\\u202eexe.txt"'],
  ['zero\u200bwidth', '"zero\\u200bwidth"'],
  ['tag\u{e0041}', '"tag\\udb40\\udc41"'],
  ['half\ud800', '"half\\ud800"'],
])('%j is shown as %s', (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test('what joins emoji stays, and quoted text reads back as JSON', () => {
  expect(quote('👩‍👩‍👧')).toBe('"👩‍👩‍👧"');
  const hard = 'a"b\\c\n\t\u0007\u202e\u{e0041}\ud800é';
  expect(JSON.parse(quote(hard))).toBe(hard);
});
