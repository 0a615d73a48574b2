import { expect, it } from 'vitest';
import { Shown } from './shown';

it('knows what whom was shown in this document, and nobody else', () => {
  const shown = new Shown();
  shown.note('task:1', 'page "Shop"\n f0e1 btn "Save"\n  f012e3 edit Name\n+ f0e4 status\nf0e5');
  for (const ref of ['f0e1', '@f0e1', 'f012e3', 'f0e4', 'f0e5'])
    expect(shown.has('task:1', ref)).toBe(true);
  expect(shown.has('task:1', 'f0e2')).toBe(false);
  expect(shown.has('task:2', 'f0e1')).toBe(false);
  // Text of the page is quoted, or comes after the role.
  shown.note('task:2', '"f0e1 btn"\ntext f0e1\nf0e12 btn');
  expect(shown.has('task:2', 'f0e1')).toBe(false);
  expect(shown.has('task:2', 'f0e12')).toBe(true);
});
