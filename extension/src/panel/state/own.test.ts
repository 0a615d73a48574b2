import { expect, it } from 'vitest';
import type { SessionInfo, Tab } from '$ui/protocol/protocol';
import { disconnected, sharing } from './own';

const tab: Tab = {
  id: 't1',
  url: 'https://example.com/',
  title: 'Example',
  active: true,
  focused: true,
  loading: false,
  index: 0,
};
const session: SessionInfo = {
  name: 'mine',
  state: 'running',
  warnings: [],
  panel: 'connected',
  tabs: [],
  terminals: [],
};

it('says whether agents can use a tab of the user, and of no other tab', () => {
  expect(sharing(undefined)).toBeUndefined();
  expect(sharing(tab)).toBeUndefined();
  expect(sharing({ ...tab, private: true })).toMatchObject({
    text: 'Agents cannot see this tab.',
    back: false,
  });
  expect(sharing({ ...tab, given: true })).toMatchObject({
    text: 'Agents can use this tab.',
    back: true,
  });
});

it('says when a browser that runs on is not connected any more', () => {
  expect(disconnected(undefined)).toBeUndefined();
  expect(disconnected(session)).toBeUndefined();
  expect(disconnected({ ...session, state: 'background' })).toContain('not connected');
});
