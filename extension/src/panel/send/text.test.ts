import { describe, expect, it } from 'vitest';
import { MAX_SENT, originOf, textFor } from './text';

describe('what is sent to an agent', () => {
  it('marks the text of a page with its origin', () => {
    const { text, cut } = textFor(
      { title: 'Selected text', text: 'Hello\nthere', origin: 'https://example.com/a?b#c' },
      MAX_SENT,
      'aa',
    );
    expect(cut).toBe(0);
    expect(text).toBe(
      '[Selected text, from https://example.com]\n' +
        '<page-aa origin="https://example.com">\nHello\nthere\n</page-aa>',
    );
  });
  it('has another mark each time, so that no page can close it', () => {
    const item = { title: 'Text', text: 'x', origin: 'https://a.example' };
    const mark = (text: string): string => /<page-(\w+)/.exec(text)?.[1] ?? '';
    const [one, two] = [mark(textFor(item).text), mark(textFor(item).text)];
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(one).not.toBe(two);
  });
  it('leaves text of our own as it is', () => {
    expect(textFor({ title: 'Note', text: ' what is left ' }).text).toBe('[Note]\nwhat is left');
    expect(textFor({ title: 'Screenshot', text: '' }).text).toBe('[Screenshot]');
  });
  it('is cut with a note', () => {
    const { text, cut } = textFor({ title: 'Page', text: 'a'.repeat(MAX_SENT + 7) });
    expect(cut).toBe(7);
    expect(text).toMatch(/a\n\[7 more characters were left out\]$/);
    expect(textFor({ title: 'P', text: 'ab\u{1f600}' }, 3).text).toContain('\nab\n');
  });
  it('shows invisible characters, and takes none into its title', () => {
    const { text } = textFor(
      { title: 'a\u202e\nb', text: 'c\u202ed\u001b[31m', origin: 'x' },
      99,
      'm',
    );
    expect(text).toBe(
      '[a b, from unknown]\n<page-m origin="unknown">\nc\ufffdd\ufffd[31m\n</page-m>',
    );
    expect(textFor({ title: 't'.repeat(500), text: '' }).text.length).toBe(122);
  });
  it('names where a text comes from', () => {
    expect(originOf('https://user:pw@example.com:8443/a')).toBe('https://example.com:8443');
    expect(originOf('about:blank')).toBe('about:');
    expect(originOf('nothing')).toBe('unknown');
  });
});
