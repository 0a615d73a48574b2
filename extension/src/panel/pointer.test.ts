import { expect, it } from 'vitest';
import { AskedConnection } from './connection/fakes/asked';
import { Pointer } from './pointer';

const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

it('elements are shown one after the other, of those that wait only the last', async () => {
  const connection = new AskedConnection();
  connection.answers['/inspector/pick'] = ({ ref }) => {
    if (ref === 'e1') throw new Error('gone');
    return { elements: [] };
  };
  const pointer = new Pointer(connection.whole, () => 'p1');
  for (const ref of ['e1', 'e2', 'e3']) pointer.show('t1', ref);
  await settle();
  pointer.show('t2', '');
  await settle();
  expect(connection.of('/inspector/pick').map(({ tab, ref }) => [tab, ref])).toEqual([
    ['t1', 'e1'],
    ['t1', 'e3'],
    ['t2', ''],
  ]);
});
