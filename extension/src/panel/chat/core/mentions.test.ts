import { expect, it } from 'vitest';
import { elementMention, elementWords, pathMention } from './mentions';

it('puts an element in with its ref and what it is called', () => {
  expect(elementMention({ ref: 'e3', role: 'button', name: 'Save' })).toBe('@e3 button "Save" ');
  expect(elementMention({ ref: 'f2e1', role: 'div#main' })).toBe('@f2e1 div#main ');
});

it('takes a name for what it is: one short line that ends no quotes', () => {
  expect(elementWords({ ref: 'e1', role: 'link', name: 'say "yes"\nnow' })).toBe(
    `link "say 'yes' now"`,
  );
  expect(elementWords({ ref: 'e1', role: 'link', name: 'x'.repeat(99) }).length).toBe(67);
});

it('ends a file, and not a folder', () => {
  expect(pathMention('src/a.go')).toBe('@src/a.go ');
  expect(pathMention('src/')).toBe('@src/');
  expect(pathMention('my notes.txt')).toBe('@"my notes.txt" ');
});
