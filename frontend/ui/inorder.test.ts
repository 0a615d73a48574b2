import { expect, it } from 'vitest';
import { InOrder } from './inorder';

it('carries out one after the other, also after one that failed', async () => {
  const order = new InOrder();
  const done: string[] = [];
  const work = (name: string, fails = false) =>
    order.run(async () => {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const all = await Promise.allSettled([work('a', true), work('b')]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});
