// Refs of elements in what an agent says and does.

const ref = String.raw`@?((?:f\d+)?e\d+)`;
const code = new RegExp(`<code>${ref}</code>`, 'g');
const word = new RegExp(String.raw`(?<![\w.\-/])${ref}(?![\w.\-/])`, 'g');

/** The most refs that are offered below one tool call. */
const most = 8;

/**
 * Turns each ref that is written as code into a button, in sanitized HTML. Nothing but
 * the ref itself gets into it.
 */
export function withRefButtons(html: string): string {
  return html.replace(
    code,
    '<button type="button" class="ref" title="Show $1 in Elements"><code>$1</code></button>',
  );
}

/** The refs in the line and in the arguments of a tool call, each once. */
export function refsOf(line: string, input = ''): string[] {
  const found = [line, input].flatMap((text) =>
    Array.from(text.matchAll(word), ([, one = '']) => one),
  );
  return [...new Set(found)].slice(0, most);
}
