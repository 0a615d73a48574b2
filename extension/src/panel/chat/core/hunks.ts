import { structuredPatch } from 'diff';

/** One line of a diff. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
  /** Its number in the old and the new file; of added lines only the new one counts. */
  readonly number: number;
}

/** Lines that belong together. */
export interface Hunk {
  readonly head: string;
  readonly lines: readonly DiffLine[];
}

/** A change of a file. */
export interface Change {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

/** Beyond this many differing lines the two are shown one after the other. */
const mostEdits = 800;

/** What turns one text into the other, by hunk. */
export function change(before: string, after: string): Change {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
  });
  const hunks = patch === undefined ? [whole(before, after)] : patch.hunks.map(hunk);
  const count = (sign: string): number =>
    hunks.reduce((sum, one) => sum + one.lines.filter((line) => line.sign === sign).length, 0);
  return { hunks, added: count('+'), removed: count('-') };
}

function hunk(from: { oldStart: number; newStart: number; lines: string[] }): Hunk {
  let before = from.oldStart;
  let after = from.newStart;
  const lines: DiffLine[] = [];
  for (const line of from.lines) {
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case '+':
        lines.push({ sign: '+', text, number: after++ });
        break;
      case '-':
        lines.push({ sign: '-', text, number: before++ });
        break;
      case ' ':
        lines.push({ sign: ' ', text, number: after++ });
        before++;
        break;
      default:
        // "\ No newline at end of file" is about the line before.
        break;
    }
  }
  return { head: `Line ${String(from.newStart)}`, lines };
}

function whole(before: string, after: string): Hunk {
  const lines = (text: string, sign: '+' | '-'): DiffLine[] =>
    text.split('\n').map((line, at) => ({ sign, text: line, number: at + 1 }));
  return { head: 'The whole file', lines: [...lines(before, '-'), ...lines(after, '+')] };
}
