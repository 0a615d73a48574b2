// The values of fields: how they are filled, chosen and reported.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Snapshot } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

const open = (html: string): Promise<World> => World.show(page, code, html);

const snapshot = (world: World, options: object = {}): Promise<Snapshot> =>
  world.run<Snapshot>(`page.snapshot(${JSON.stringify(options)})`);

describe('values', () => {
  test('are set with the events that a person causes', async () => {
    const world = await open(
      '<input type=date aria-label=D><input type=range aria-label=R><select aria-label=S><option>A<option>B<option disabled>C</select><input aria-label=T value=old>',
    );
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      for (const type of ['input', 'change'])
        addEventListener(type, ({ target }) =>
          seen.push(`${(target as Element).ariaLabel ?? ''} ${type}`),
        );
    });
    await snapshot(world);
    expect(await world.run(`page.fill('e1', '2026-02-03')`)).toEqual({
      state: 'ok',
      value: '2026-02-03',
      told: true,
    });
    expect(await world.run(`page.fill('e1', 'soon')`)).toMatchObject({
      state: 'refused',
      code: 'bad_value',
    });
    expect(await world.run(`page.fill('e2', '70')`)).toEqual({
      state: 'ok',
      value: '70',
      told: true,
    });
    expect(await world.run(`page.choose('e3', ['B'])`)).toEqual({
      state: 'ok',
      value: 'B',
      told: true,
    });
    expect(await world.run(`page.choose('e3', ['C'])`)).toMatchObject({
      state: 'refused',
      code: 'option_disabled',
    });
    expect(await world.run(`page.choose('e3', ['Z'])`)).toMatchObject({
      code: 'no_option',
      options: ['A', 'B', 'C'],
    });
    expect(await page.evaluate('window.seen')).toEqual(
      ['D', 'R', 'S'].flatMap((name) => [`${name} input`, `${name} change`]),
    );
    expect(await world.run(`page.fill('e4', 'new')`)).toEqual({ state: 'type', selected: true });
    await world.cdp.send('Input.insertText', { text: 'new' });
    expect(await world.run(`page.value('e4', 'new')`)).toEqual({ value: 'new', matches: true });
    expect(await world.run(`page.resolve('e4')`)).toMatchObject({
      line: 'e4 edit T [focused] ="new"',
      bare: 'e4 edit T [focused]',
    });
  });

  test.each([
    ['4242424242424242', '4242 4242 4242 4242', true],
    ['5551234567', '(555) 123-4567', true],
    ['1230', '12 / 30', true],
    ['save10', 'SAVE10', true],
    ['42 42', '4242', true],
    ['ada lovelace', 'ADA LOVELACE', true],
    ['Ada  Lovelace', 'AdaLovelace', false],
    ['AdaLovelace', 'Ada Lovelace', false],
    ['15', '-15', false],
    ['-15', '15', false],
    ['1.5', '15', false],
    ['1500', '15.00', false],
    ['abcdef', 'abc', false],
    ['abc', '', false],
    ['ab', 'ba', false],
  ])('%j that the page shows as %j was taken: %j', async (text, shown, matches) => {
    const world = await open(`<input value="${shown}">`);
    await snapshot(world);
    expect(await world.run(`page.value('e1', '${text}')`)).toMatchObject({ matches });
  });

  test('of a password are taken exactly', async () => {
    const world = await open('<input type=password value=SECRET>');
    await snapshot(world);
    expect(await world.run(`page.value('e1', 'secret')`)).toMatchObject({ matches: false });
  });

  test('that are card numbers are not told, whatever their field is called', async () => {
    const world = await open('<input value="4242 4242 4242 4242">');
    const shown = await snapshot(world);
    expect(shown.text).not.toContain('4242');
    const reply = await world.run(`page.value('e1', '4242424242424242')`);
    expect(reply).toEqual({ value: '•••', matches: true });
  });

  test('of an editor are typed over', async () => {
    const world = await open(
      '<div contenteditable role=textbox aria-label=E>old <b>text</b></div>',
    );
    await snapshot(world);
    expect(await world.run(`page.fill('e1', 'new')`)).toEqual({ state: 'type', selected: true });
    await world.cdp.send('Input.insertText', { text: 'new' });
    expect(await world.run(`page.value('e1', 'new')`)).toMatchObject({ matches: true });
  });
});
