import { expect, test } from 'vitest';
import { enveloped, withoutEnvelopes } from './pagewords';

test('a person reads what a page said without its marks', () => {
  expect(
    withoutEnvelopes('clicked\n<page-0a1b origin="https://a.test">\ne1 btn Save\n</page-0a1b>'),
  ).toBe('clicked\ne1 btn Save');
  expect(withoutEnvelopes(enveloped('https://a.test', 'one line'))).toBe('one line');
  expect(withoutEnvelopes('a <page-tag> of its own')).toBe('a <page-tag> of its own');
});
