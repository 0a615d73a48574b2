import type { Approval, WindowState } from '$ui/protocol/protocol';

/** Everything that waits for the person, oldest first. */
export function waiting(state: WindowState | undefined): Approval[] {
  return (state?.sessions ?? [])
    .flatMap((session) => session.approvals ?? [])
    .sort((a, b) => a.since.localeCompare(b.since));
}
