import type { Exit } from '$ui/protocol/protocol';

/** How a process ended, in a sentence for a person. */
export function endedSentence(name: string, exit: Exit | undefined): string {
  if (exit === undefined) return `${name} ended.`;
  if (exit.signal !== undefined && exit.signal !== '')
    return `${name} was ended by ${exit.signal}.`;
  if (exit.code === 0) return `${name} ended.`;
  return `${name} ended with exit code ${String(exit.code)}.`;
}

/** What a command line is called: its program, without the folders before it. */
export function programName(command: string): string {
  const [program = ''] = command.trim().split(/\s+/);
  return program.slice(program.lastIndexOf('/') + 1);
}

/** The first letters of a text, with no character cut in two. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

export { sentence } from '$ui/words';
