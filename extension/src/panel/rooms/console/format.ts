import type { PageValue } from '$ui/protocol/protocol';

/** A part of a line: a text, or a value that may be opened. */
export type Part = string | PageValue;

/**
 * The arguments of a call of the console as the parts of its line. The first may be a format;
 * %c styles are left out, because a page must not decide how our panel looks.
 */
export function formatted(args: readonly PageValue[]): readonly Part[] {
  const [first, ...rest] = args;
  if (first?.type !== 'string') return spaced(args);
  const out: Part[] = [];
  let text = '';
  let from = 0;
  for (const { 0: mark, index } of first.text.matchAll(/%[sdifoOc%]/gu)) {
    text += first.text.slice(from, index);
    from = index + 2;
    if (mark === '%%') {
      text += '%';
      continue;
    }
    const value = rest.shift();
    if (value === undefined) text += mark;
    else if (mark === '%o' || mark === '%O') {
      out.push(text, value);
      text = '';
    } else if (mark !== '%c') text += numeric(mark, value.text);
  }
  out.push(text + first.text.slice(from));
  return [...out.filter((part) => part !== ''), ...(rest.length > 0 ? [' '] : []), ...spaced(rest)];
}

function numeric(mark: string, text: string): string {
  if (mark === '%s') return text;
  const n = Number.parseFloat(text);
  return String(mark === '%f' ? n : Math.trunc(n));
}

const spaced = (args: readonly PageValue[]): readonly Part[] =>
  args.flatMap((value, at) => (at === 0 ? [asPart(value)] : [' ', asPart(value)]));

/** A string of its own is a text; any other value has a tree. */
const asPart = (value: PageValue): Part => (value.type === 'string' ? value.text : value);
