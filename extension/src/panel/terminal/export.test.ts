import { Terminal as Headless } from '@xterm/headless';
import type { ITheme, Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { exported, forms } from './export';

const theme: ITheme = { background: '#111', foreground: '#eee', red: '#c00', brightBlue: '#55f' };
const [text, ansi, html] = forms;

/** A terminal of 10 columns in which a program wrote something. */
async function terminal(written: string): Promise<Terminal> {
  const made = new Headless({ cols: 10, rows: 4, scrollback: 100, allowProposedApi: true });
  await new Promise<void>((done) => {
    made.write(written, done);
  });
  return made as unknown as Terminal;
}

describe('as plain text', () => {
  it.each([
    ['one\r\ntwo', 'one\ntwo\n'],
    ['spaces   \r\n', 'spaces\n'],
    ['', '\n'],
    ['0123456789abc', '0123456789abc\n'],
    ['\x1b[31mred\x1b[0m é 漢字', 'red é 漢字\n'],
  ])('%j', async (written, want) => {
    expect(exported(await terminal(written), text, theme)).toBe(want);
  });

  it('has what scrolled away, too', async () => {
    const rows = Array.from({ length: 20 }, (_, n) => `row ${String(n)}`);
    expect(exported(await terminal(rows.join('\r\n')), text, theme)).toBe(`${rows.join('\n')}\n`);
  });
});

describe('with colours', () => {
  it.each([
    ['plain', 'plain\n'],
    ['\x1b[1;31mred\x1b[0m no', '\x1b[1;38;5;1mred\x1b[0m no\n'],
    ['\x1b[48;2;1;2;3mx\x1b[0m', '\x1b[48;2;1;2;3mx\x1b[0m\n'],
    ['\x1b[7mback\x1b[0m', '\x1b[7mback\x1b[0m\n'],
    ['\x1b[2;3;4mall\x1b[0m', '\x1b[2;3;4mall\x1b[0m\n'],
  ])('%j', async (written, want) => {
    expect(exported(await terminal(written), ansi, theme)).toBe(want);
  });

  it('looks the same when it is written to a terminal again', async () => {
    const first = await terminal('\x1b[38;5;200ma\x1b[0mb \x1b[1;44mc d\x1b[0m 漢\x1b[3mé\x1b[0m');
    const once = exported(first, ansi, theme);
    const again = exported(await terminal(once.replaceAll('\n', '\r\n')), ansi, theme);
    expect(again).toBe(once);
  });
});

describe('as HTML', () => {
  /** The lines between the tags of the page. */
  const body = async (written: string): Promise<string> =>
    /<pre[^>]*>(.*)\n<\/pre>/s.exec(exported(await terminal(written), html, theme))?.[1] ?? '';

  it('has the colours of the theme', async () => {
    const page = exported(await terminal('a'), html, theme);
    expect(page).toContain('background:#111;color:#eee');
    expect(await body('\x1b[31mr\x1b[0m')).toBe('<span style="color:#c00">r</span>');
    expect(await body('\x1b[94mb\x1b[0m')).toBe('<span style="color:#55f">b</span>');
  });

  it.each([
    [16, 'rgb(0 0 0)'],
    [21, 'rgb(0 0 255)'],
    [208, 'rgb(255 135 0)'],
    [232, 'rgb(8 8 8)'],
    [255, 'rgb(238 238 238)'],
  ])('has colour %d of the 256', async (number, want) => {
    expect(await body(`\x1b[38;5;${String(number)}mx\x1b[0m`)).toBe(
      `<span style="color:${want}">x</span>`,
    );
  });

  it('swaps the colours of what is inverted', async () => {
    expect(await body('\x1b[7mx\x1b[0m')).toBe('<span style="color:#111;background:#eee">x</span>');
  });

  it('shows what a program wrote, and runs nothing of it', async () => {
    expect(await body('<b>&"')).toBe('&#60;b&#62;&#38;&#34;');
  });
});
