import { expect, test } from 'vitest';
import type { Approval, WindowState } from '$ui/protocol/protocol';
import { waiting } from './approvals';

const at = (time: string) => ({ id: time, since: `2026-11-21T${time}` }) as Approval;

test('what waits in all sessions is listed oldest first, and times are no texts', () => {
  const state = {
    sessions: [
      { approvals: [at('09:30:00.5Z'), at('09:30:00Z')] },
      {},
      { approvals: [at('09:30:00.12Z')] },
    ],
  } as WindowState;
  expect(waiting(state).map(({ id }) => id)).toEqual(['09:30:00Z', '09:30:00.12Z', '09:30:00.5Z']);
  expect(waiting(undefined)).toEqual([]);
});
