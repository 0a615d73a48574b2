import { beforeEach, describe, expect, it } from 'vitest';
import type { PanelEvent, PickedElement } from '$ui/protocol/protocol';
import { AskedConnection } from '../connection/fakes/asked';
import { RefusedError } from '../connection/request';
import { Picker } from './picker.svelte';

const elements: PickedElement[] = [
  { ref: 'e1', role: 'link', name: 'Home' },
  { ref: 'e2', role: 'button', name: 'Save' },
];
const [, save] = elements as [PickedElement, PickedElement];

let connection: AskedConnection;
let picker: Picker;
beforeEach(() => {
  connection = new AskedConnection();
  connection.answers['/inspector/pick'] = () => ({ elements });
  picker = new Picker(connection.whole, () => 'p1');
});

const actions = (): unknown[] => connection.of('/inspector/pick').map(({ action }) => action);
const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};
const picked = (part: object): PanelEvent =>
  ({ type: 'picked', panel: 'p1', ...part }) as unknown as PanelEvent;

/**
 * Starts a pick. The promise of its end is inside an object, so that awaiting the
 * start does not await the end.
 */
async function begun(): Promise<{ over: Promise<PickedElement | undefined> }> {
  const over = picker.pick('t1');
  await settle();
  return { over };
}

describe('picking an element', () => {
  it('offers what the page has, and ends with what was clicked there', async () => {
    const { over: one } = await begun();
    expect(connection.of('/inspector/pick')[0]).toEqual({
      panel: 'p1',
      action: 'start',
      tab: 't1',
    });
    expect(picker.elements).toEqual(elements);
    picker.apply(picked({ panel: 'another', element: save }));
    expect(picker.elements).toBeDefined();
    picker.apply(picked({ element: save }));
    expect(await one).toEqual(save);
    expect(picker.elements).toBeUndefined();
    expect(actions()).toEqual(['start']);
  });

  it.each([
    [
      'chosen in the list',
      () => {
        picker.choose(save);
      },
      save,
      ['start', 'stop'],
    ],
    [
      'given up',
      () => {
        picker.cancel();
      },
      undefined,
      ['start', 'stop'],
    ],
    [
      'over with the socket',
      () => {
        picker.lost();
      },
      undefined,
      ['start'],
    ],
  ] as const)('%s', async (_, ends, element, asked) => {
    const { over: one } = await begun();
    ends();
    ends();
    expect(await one).toEqual(element);
    expect(actions()).toEqual(asked);
  });

  it('a second one ends the first', async () => {
    const { over: one } = await begun();
    const two = picker.pick('t2');
    expect(await one).toBeUndefined();
    await settle();
    picker.choose(save);
    expect(await two).toEqual(save);
  });

  it('a fast hand has picked before the reply was read', async () => {
    const one = picker.pick('t1');
    picker.apply(picked({ element: save }));
    await settle();
    expect(await one).toEqual(save);
    expect(picker.elements).toBeUndefined();
  });

  it.each([
    ['the start is refused', true],
    ['the page refuses it later', false],
  ])('says why not when %s', async (_, atOnce) => {
    const error = { code: 'no_input', message: 'not here' } as const;
    if (atOnce)
      connection.answers['/inspector/pick'] = () => {
        throw new RefusedError(error, 400);
      };
    const one = picker.pick('t1');
    const failed = expect(one).rejects.toThrow('not here');
    await settle();
    if (!atOnce) picker.apply(picked({ error }));
    await failed;
    expect(picker.elements).toBeUndefined();
  });

  it('whoever gave up is not told why it did not begin', async () => {
    connection.answers['/inspector/pick'] = () => {
      throw new Error('offline');
    };
    const one = picker.pick('t1');
    picker.cancel();
    expect(await one).toBeUndefined();
  });
});

describe('marks on the page', () => {
  it('are shown one after the other, of those that wait only the last', async () => {
    await begun();
    picker.mark('e1');
    picker.mark('e2');
    picker.mark('');
    await settle();
    const marks = connection.of('/inspector/pick').filter(({ action }) => action === 'mark');
    expect(marks.map(({ ref }) => ref)).toEqual(['e1', '']);
  });

  it('are none while nothing is picked', async () => {
    picker.mark('e1');
    await settle();
    expect(actions()).toEqual([]);
  });
});
