import { expect, test } from 'vitest';

import { parseTarget } from './target.js';

test.each([
  ['#save', { by: 'css', selector: '#save' }],
  ['css=a[href="x=y"]', { by: 'css', selector: 'a[href="x=y"]' }],
  ['role=button', { by: 'role', role: 'button' }],
  ['role=button name="Say \\"hi\\""', { by: 'role', role: 'button', name: 'Say "hi"' }],
  ['role=link name=/more$/i nth=2', { by: 'role', role: 'link', name: '/more$/i', nth: 2 }],
  ["text='two words'", { by: 'text', text: 'two words' }],
  ['label=Email', { by: 'label', text: 'Email' }],
  ['120, 80', { by: 'point', x: 120, y: 80 }],
  ['point=1.5,-2', { by: 'point', x: 1.5, y: -2 }],
])('%s', (input, target) => {
  expect(parseTarget(input)).toEqual(target);
});

test.each(['', 'text=', 'role=', 'role=a b', 'point=1', 'a nth=0'])('%j is refused', (input) => {
  expect(parseTarget(input).by).toBe('bad');
});
