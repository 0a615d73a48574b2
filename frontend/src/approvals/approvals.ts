import type { Approval, WindowState } from '$ui/protocol/protocol';
import { byTime } from '$ui/time';

/** All approvals that wait for the user, oldest first. */
export function waiting(state: WindowState | undefined): Approval[] {
  return (state?.sessions ?? [])
    .flatMap((session) => session.approvals ?? [])
    .sort((a, b) => byTime(a.since, b.since));
}
