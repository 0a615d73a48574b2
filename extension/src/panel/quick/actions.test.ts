import { expect, it } from 'vitest';
import { allActions, offered } from './actions';
import { fakeDesk } from './fakes/desk';

it('offers only what the session’s browser can do', () => {
  const names = (cannot: readonly ('signins' | 'logins')[]): string[] =>
    offered(allActions, fakeDesk({ cannot }).desk).map(({ id }) => id);
  expect(names([])).toContain('signins');
  expect(names(['logins'])).toHaveLength(allActions.length);
  expect(names(['signins'])).toEqual(names([]).filter((id) => id !== 'signins'));
});
