/**
 * Names that need no quotes: they start with a letter or digit and contain no character that starts a mark.
 */
const bare = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,:;!?'()&/+%$€£¥#*_~–—’-]*$/u;

/**
 * Characters that must be visible as escapes, so that they have no effect on the reader's screen:
 * control characters, line separators, bidirectional controls, zero-width spaces, and the invisible
 * tag characters. The joiners of emoji and scripts are kept.
 */
const unsafe =
  // eslint-disable-next-line no-control-regex -- control characters are the point
  /["\\\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

/** Quotes a text as JSON does, with every invisible character written out. */
export function quote(text: string): string {
  return `"${text.replace(unsafe, escape)}"`;
}

/** A name as a line shows it: bare where that is unambiguous, else quoted. */
export function shownName(name: string): string {
  return bare.test(name) && !name.endsWith(' ') ? name : quote(name);
}

function escape(char: string): string {
  switch (char) {
    case '"':
      return '\\"';
    case '\\':
      return '\\\\';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default: {
      let out = '';
      for (let i = 0; i < char.length; i++)
        out += `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`;
      return out;
    }
  }
}
