import type { Exit } from '$ui/protocol/protocol';

/** A sentence for the user about how a process ended. */
export function endedSentence(name: string, exit: Exit | undefined): string {
  if (exit === undefined) return `${name} ended.`;
  if (exit.signal !== undefined && exit.signal !== '')
    return `${name} was ended by ${exit.signal}.`;
  if (exit.code === 0) return `${name} ended.`;
  return `${name} ended with exit code ${String(exit.code)}.`;
}

/** The name of a command line: its program without the folders. */
export function programName(command: string): string {
  const [program = ''] = command.trim().split(/\s+/);
  return program.slice(program.lastIndexOf('/') + 1);
}

/** The first characters of a text, without cutting a surrogate pair. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

export { sentence } from '$ui/words';
