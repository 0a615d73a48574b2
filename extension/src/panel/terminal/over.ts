import { TerminalEnded, TerminalMissing, type TerminalInfo } from '$ui/protocol/protocol';

/** Whether nothing runs in a terminal, so that another agent may start in it. */
export function isOver(terminal: TerminalInfo | undefined): boolean {
  return terminal?.state === TerminalEnded || terminal?.state === TerminalMissing;
}
