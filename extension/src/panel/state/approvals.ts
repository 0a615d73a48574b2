import { oneLine } from '$ui/foreign';
import type { Approval, TabID } from '$ui/protocol/protocol';

/** How long an argument is, when not all of it is in view at once. */
export function extent(value: string): string {
  const lines = value.split('\n').length;
  if (lines > 6) return ` · ${String(lines)} lines`;
  return value.length > 400 ? ` · ${String(value.length)} characters` : '';
}

/** Those of the tab in view first, each group oldest first: as the backend sends them. */
export function inOrder(approvals: readonly Approval[], tab: TabID | undefined): Approval[] {
  const here = (approval: Approval): boolean => approval.tab !== undefined && approval.tab === tab;
  return [...approvals.filter(here), ...approvals.filter((one) => !here(one))];
}

/** What a screen reader says; empty when nothing waits. */
export function announcement(approvals: readonly Approval[]): string {
  const newest = approvals.at(-1);
  if (newest === undefined) return '';
  const more = approvals.length > 1 ? ` ${String(approvals.length)} questions wait.` : '';
  return `${oneLine(newest.actor.name)} wants to ${newest.why} on ${oneLine(newest.origin)}.${more}`;
}
