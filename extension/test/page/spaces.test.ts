// What a snapshot prints can be used to name, whatever spaces and invisible characters a page has.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

import type { Located, Snapshot } from '../../src/page/types.js';
import { onePage, script, World } from './browser.js';

let page: Page;
let code: string;

beforeAll(async () => {
  [page, code] = await Promise.all([onePage(), script()]);
});

const open = (html: string): Promise<World> => World.show(page, code, html);

const snapshot = (world: World, options: object = {}): Promise<Snapshot> =>
  world.run<Snapshot>(`page.snapshot(${JSON.stringify(options)})`);

/** A name as a page has it, as it is printed, and as a user types it. */
const names: [html: string, printed: string, typed: string][] = [
  ['Save&nbsp;changes', 'Save changes', 'Save changes'],
  ['Save\n   changes', 'Save changes', 'Save changes'],
  ['10&#8239;000&#8201;€', '10 000 €', '10 000 €'],
  [
    'a&#8192;b&#8195;c&#8199;d&#8202;e&#8287;f&#12288;g&#5760;h',
    'a b c d e f g h',
    'a b c d e f g h',
  ],
  ['Donau&shy;dampf&shy;schiff', 'Donaudampfschiff', 'Donaudampfschiff'],
  ['docs/&#8203;reference', 'docs/reference', 'docs/reference'],
  ['word&#8288;joiner&#65279;', 'wordjoiner', 'wordjoiner'],
  ['&lrm;Right&rlm; to left', 'Right to left', 'Right to left'],
  ['Cafe&#769; cre&#768;me', 'Cafe\u0301 cre\u0300me', 'Café crème'],
  // Joiners shape what is drawn: they are printed, and do not have to be typed.
  ['می&zwnj;خواهم', '"می\u200cخواهم"', 'میخواهم'],
  ['👩&zwj;💻 code', '"👩\u200d💻 code"', '👩💻 code'],
  ['❤&#xfe0f; it', '"❤\ufe0f it"', '❤ it'],
];

describe('a name with other spaces', () => {
  test.each(names)('%s', async (html, printed, typed) => {
    const world = await open(
      `<button>${html}</button><label>${html}: <input></label><p>${html}.</p><select aria-label=S><option>One<option>${html}</select>`,
    );
    const { text } = await snapshot(world);
    expect(text.split('\n')[0]).toBe(`e1 btn ${printed}`);
    const bare = JSON.parse(printed.startsWith('"') ? printed : `"${printed}"`) as string;
    for (const name of [bare, typed, typed.toUpperCase()]) {
      const quoted = JSON.stringify(name);
      for (const [target, ref] of [
        [`role=button name=${quoted}`, 'e1'],
        [`label=${quoted}`, 'e1'],
        [`role=textbox name=${JSON.stringify(`${name}:`)}`, 'e2'],
        [`label=${JSON.stringify(`${name}:`)}`, 'e2'],
      ] as const)
        expect(
          await world.run<Located>(`page.locate(${JSON.stringify(target)})`),
          target,
        ).toMatchObject({
          state: 'one',
          ref,
        });
      const words = `${name}.`;
      expect(
        await world.run<Located>(`page.locate(${JSON.stringify(`text=${words}`)})`),
        words,
      ).toMatchObject({ state: 'one' });
      const waits = { text: words, timeout: 0 };
      expect(await world.run(`page.waitFor(${JSON.stringify(waits)})`), words).toMatchObject({
        state: 'met',
      });
      expect((await snapshot(world, { find: words })).text, words).not.toBe('');
      expect(await world.run(`page.search(${quoted}, 9)`)).toMatchObject({ total: 3 });
      expect(await world.run(`page.choose('e3', [${quoted}])`), name).toMatchObject({
        state: 'ok',
      });
      await world.run(`page.choose('e3', ['One'])`);
    }
  });

  test('prints nothing invisible, and what turns a text as an escape that names it', async () => {
    const world = await open('<button>evil&#8238;gpj.exe</button>');
    const { text } = await snapshot(world);
    expect(text).toBe('e1 btn "evil\\u202egpj.exe"');
    expect(await world.run(`page.locate('role=button name="evil\\\\u202egpj.exe"')`)).toMatchObject(
      {
        ref: 'e1',
      },
    );
    expect(await world.run(`page.locate('role=button name="evilgpj.exe"')`)).toMatchObject({
      ref: 'e1',
    });
  });

  test('does not make quotes and dashes equal', async () => {
    const world = await open('<button>It’s</button><button>A–B</button><button>“x”</button>');
    for (const name of ["It's", 'A-B', '"x"'])
      expect(
        await world.run(
          `page.locate(${JSON.stringify(`role=button name=${JSON.stringify(name)}`)})`,
        ),
      ).toMatchObject({ state: 'none' });
  });

  test('tells names apart that only a joiner tells apart', async () => {
    const world = await open('<button>می&zwnj;خواهم</button><button>میخواهم</button>');
    expect(await world.run(`page.locate('role=button name="می\u200cخواهم"')`)).toMatchObject({
      ref: 'e1',
    });
    expect(await world.run(`page.locate('role=button name="میخواهم"')`)).toMatchObject({
      ref: 'e2',
    });
  });

  test('is found by an expression as it is printed', async () => {
    const world = await open('<button>Order&nbsp;no.&nbsp;42</button><p>Total:\n  7&nbsp;EUR</p>');
    for (const target of ['role=button name=/^Order no\\. \\d+$/', 'text=/^Total: \\d EUR$/'])
      expect(await world.run(`page.locate(${JSON.stringify(target)})`), target).toMatchObject({
        state: 'one',
      });
    expect(await world.run(`page.waitFor({ text: '/no\\\\. 42/', timeout: 0 })`)).toMatchObject({
      state: 'met',
    });
    expect((await snapshot(world, { find: '/: 7 EUR/' })).text).toBe('"Total: 7 EUR"');
  });

  test('points at the characters of a text', async () => {
    const world = await open('<p>Do&shy;nau <b>Dampf&shy;schiff</b> fahrt</p>');
    const found = `page.find('text=Dampfschiff').spot.text.map(String)`;
    expect(await world.run(found)).toEqual(['Dampf\u00adschiff']);
    const over = `page.find('text=Donau Dampf').spot.text.map(String)`;
    expect(await world.run(over)).toEqual(['Do\u00adnau ', 'Dampf\u00ad']);
  });

  test('keeps lines that a br divides apart where one is meant', async () => {
    const world = await open('<p>Total<br>42 EUR</p><p>Total of all</p>');
    const whole = await world.run<Located>(`page.locate('text=Total')`);
    expect(whole).toMatchObject({ state: 'one' });
    expect(await world.run(`page.locate('text=/^42 EUR$/')`)).toMatchObject({ state: 'one' });
    expect(await world.run(`page.locate('text="Total 42 EUR"')`)).toMatchObject({ state: 'one' });
    for (const [text, state] of [
      ['Total 42 EUR', 'met'],
      ['Total\\n42 EUR', 'met'],
      ['EUR Total', 'timeout'],
    ])
      expect(await world.run(`page.waitFor({ text: '${text}', timeout: 0 })`)).toMatchObject({
        state,
      });
  });
});
