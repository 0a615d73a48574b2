import { expect, it } from 'vitest';
import { Input } from './input.svelte';

it('is sent again as the same message when nobody knows whether it arrived', () => {
  const input = new Input();
  input.text = 'Hello ';
  const sent = input.take();
  expect(sent).toMatchObject({ text: 'Hello', attachments: [] });
  expect(input.text).toBe('');
  expect(input.unsure).toBeUndefined();
  input.restore(sent);
  expect(input.unsure).toBe(sent.message);
  expect(input.take().message).toBe(sent.message);
});

it('is another message when it was changed since', () => {
  const input = new Input();
  input.text = 'Hello';
  const sent = input.take();
  input.text = 'and more';
  input.restore(sent);
  expect(input.text).toBe('Hello\nand more');
  expect(input.unsure).toBeUndefined();
  input.text = 'Hello';
  input.attach({ kind: 'file', name: 'a.txt' });
  expect(input.unsure).toBeUndefined();
  expect(input.take().message).not.toBe(sent.message);
});
