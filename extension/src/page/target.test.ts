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

/** A generator with the same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const pieces =
  'css= role= text= label= point= button link name= nth= nth=0 nth=2 "Save" \'x\' " \' \\ \\" / /a/i , 12 -3.5 # . [a=b] : > ( ) * \n \t 🐟 עברית e5 f2e7 @'.split(
    ' ',
  );

// The run time on a busy machine is not tested.
const patient = { timeout: 60_000 };

test('whatever is written is read as one thing, or refused with a reason', patient, () => {
  const next = numbers(4711);
  for (let i = 0; i < 20_000; i++) {
    let input = '';
    for (let n = next() * 8; n > 0; n--) {
      input += pieces[Math.floor(next() * pieces.length)] ?? '';
      if (next() < 0.4) input += ' ';
    }
    const target = parseTarget(input);
    if (target.by === 'bad') expect(target.why, input).not.toBe('');
    else if (target.by === 'point') expect(Number.isFinite(target.x + target.y), input).toBe(true);
    else if (target.nth !== undefined) expect(target.nth, input).toBeGreaterThan(0);
  }
});

test('a quoted text comes back as it was', patient, () => {
  const next = numbers(815);
  for (let i = 0; i < 5000; i++) {
    let text = '';
    for (let n = 1 + next() * 6; n > 0; n--)
      text += pieces[Math.floor(next() * pieces.length)] ?? '';
    const quoted = `"${text.replace(/["\\]/g, '\\$&')}"`;
    expect(parseTarget(`text=${quoted}`), quoted).toEqual({ by: 'text', text });
    expect(parseTarget(`role=button name=${quoted} nth=3`), quoted).toEqual({
      by: 'role',
      role: 'button',
      name: text,
      nth: 3,
    });
  }
});
