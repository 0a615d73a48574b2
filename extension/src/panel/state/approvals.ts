import { what, where, who } from '$ui/approvals/words';
import { oneLine } from '$ui/foreign';
import type { Approval, TabID } from '$ui/protocol/protocol';

/** Those of the tab in view first, each group oldest first: as the backend sends them. */
export function inOrder(approvals: readonly Approval[], tab: TabID | undefined): Approval[] {
  const here = (approval: Approval): boolean => approval.tab !== undefined && approval.tab === tab;
  return [...approvals.filter(here), ...approvals.filter((one) => !here(one))];
}

/** What a screen reader says; empty when nothing waits. */
export function announcement(approvals: readonly Approval[]): string {
  const newest = approvals.at(-1);
  if (newest === undefined) return '';
  const place = where(newest);
  const on = place === '' ? '' : ` on ${place}`;
  const more = approvals.length > 1 ? ` ${String(approvals.length)} approvals are waiting.` : '';
  return `${oneLine(`${who(newest.actor)} wants to ${what(newest)}${on}`)}.${more}`;
}
