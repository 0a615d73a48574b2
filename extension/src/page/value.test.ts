import { expect, test } from 'vitest';

import { isCardNumber } from './value.js';

test.each([
  ['4111 1111 1111 1111', true],
  ['5500-0055-5555-5559', true],
  ['378282246310005', true],
  ['4111 1111 1111 1112', false],
  ['0000000000000000', false],
  ['411111111111', false],
  ['not a number', false],
])('%s is a card number: %s', (text, is) => {
  expect(isCardNumber(text)).toBe(is);
});
