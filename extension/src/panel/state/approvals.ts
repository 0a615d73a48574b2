import { oneLine } from '$ui/foreign';
import type { Approval, TabID } from '$ui/protocol/protocol';

/** The approvals of the tab in view first. Each group keeps the backend's order, oldest first. */
export function inOrder(approvals: readonly Approval[], tab: TabID | undefined): Approval[] {
  const here = (approval: Approval): boolean => approval.tab !== undefined && approval.tab === tab;
  return [...approvals.filter(here), ...approvals.filter((one) => !here(one))];
}

/** The text for a screen reader; empty when no approval waits. */
export function announcement(approvals: readonly Approval[]): string {
  const newest = approvals.at(-1);
  if (newest === undefined) return '';
  const more = approvals.length > 1 ? ` ${String(approvals.length)} approvals are waiting.` : '';
  if (newest.login !== undefined)
    return `${oneLine(newest.origin)} asks for a user name and a password.${more}`;
  return `${oneLine(newest.words.sentence)}.${more}`;
}
