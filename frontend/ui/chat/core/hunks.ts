import { structuredPatch } from 'diff';

/** One line of a diff. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
  /**
   * Its line number: in the new file for an added line; undefined when the position of the change
   * in the file is not known.
   */
  readonly number: number | undefined;
}

/** Adjacent lines of a diff. */
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

/** With more differing lines than this, the two texts are shown one after the other. */
const mostEdits = 800;

/** The diff of two texts, by hunk. `first` is the line of the file at which the texts begin. */
export function change(before: string, after: string, first: number | undefined): Change {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
  });
  const hunks =
    patch === undefined
      ? [whole(before, after, first)]
      : patch.hunks.map((one) => hunk(one, first));
  const count = (sign: string): number =>
    hunks.reduce((sum, one) => sum + one.lines.filter((line) => line.sign === sign).length, 0);
  return { hunks, added: count('+'), removed: count('-') };
}

function hunk(
  from: { oldStart: number; newStart: number; lines: string[] },
  first: number | undefined,
): Hunk {
  let before = from.oldStart;
  let after = from.newStart;
  const inFile = (line: number): number | undefined =>
    first === undefined ? undefined : first - 1 + line;
  const lines: DiffLine[] = [];
  for (const line of from.lines) {
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case '+':
        lines.push({ sign: '+', text, number: inFile(after++) });
        break;
      case '-':
        lines.push({ sign: '-', text, number: inFile(before++) });
        break;
      case ' ':
        lines.push({ sign: ' ', text, number: inFile(after++) });
        before++;
        break;
      default:
        // "\ No newline at end of file" belongs to the line before.
        break;
    }
  }
  const line = inFile(from.newStart);
  return { head: line === undefined ? 'Change' : `Line ${String(line)}`, lines };
}

function whole(before: string, after: string, first: number | undefined): Hunk {
  const lines = (text: string, sign: '+' | '-'): DiffLine[] =>
    text.split('\n').map((line, at) => ({
      sign,
      text: line,
      number: first === undefined ? undefined : first + at,
    }));
  return { head: 'All of it', lines: [...lines(before, '-'), ...lines(after, '+')] };
}
