/** A parsed target. */
export type Target =
  | { by: 'css'; selector: string; nth?: number }
  | { by: 'role'; role: string; name?: string; nth?: number }
  | { by: 'text'; text: string; nth?: number }
  | { by: 'label'; text: string; nth?: number }
  | { by: 'point'; x: number; y: number }
  | { by: 'bad'; why: string };

const point = /^(?:point=)?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/;
const keyed = /^(css|role|text|label|point)=(.*)$/s;

/**
 * Parses a target: `css=…` (or just a selector), `role=button name="Save"`, `text=…`, `label=…`,
 * `point=x,y`; ` nth=2` at the end selects the second match. Texts may be quoted, or /expressions/.
 */
export function parseTarget(input: string): Target {
  const at = point.exec(input);
  if (at) return { by: 'point', x: Number(at[1]), y: Number(at[2]) };
  const count = /^(.*?)\s+nth=(\d+)\s*$/s.exec(input);
  const rest = (count?.[1] ?? input).trim();
  const nth = count ? { nth: Number(count[2]) } : {};
  if (nth.nth === 0) return { by: 'bad', why: 'nth counts from 1' };
  const key = keyed.exec(rest);
  const value = (key?.[2] ?? rest).trim();
  if (value === '') return { by: 'bad', why: 'nothing to look for' };
  switch (key?.[1]) {
    case undefined:
    case 'css':
      return { by: 'css', selector: value, ...nth };
    case 'text':
      return { by: 'text', text: unquote(value), ...nth };
    case 'label':
      return { by: 'label', text: unquote(value), ...nth };
    case 'role': {
      const parts = /^([\w-]+)(?:\s+name=(.+))?$/s.exec(value);
      if (!parts?.[1]) return { by: 'bad', why: 'write role=button name="Save"' };
      const name = parts[2] === undefined ? {} : { name: unquote(parts[2]) };
      return { by: 'role', role: parts[1], ...name, ...nth };
    }
    default:
      return { by: 'bad', why: 'write point=120,80' };
  }
}

/** A text without its quotes, in which a character may be written as a snapshot prints it: `\uXXXX`. */
function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(text) ?? /^'((?:[^'\\]|\\.)*)'$/s.exec(text);
  if (!quoted) return text;
  return (quoted[1] ?? '').replace(
    /\\(?:u([\da-f]{4})|(.))/gis,
    (_, code: string | undefined, char: string) =>
      code === undefined ? char : String.fromCharCode(parseInt(code, 16)),
  );
}
