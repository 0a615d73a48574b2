import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { collect, covers, root, updated, written } from './catalogue.mjs';
import { messagesOf } from './extract.mjs';
import { rewrite, translation } from './plugin.mjs';
import { either, pseudo } from './pseudo.mjs';

const texts = (source: string, file: string): string[] =>
  messagesOf(source, file).map(({ text }) => text);

describe('what is found', () => {
  it('is the text of a component, whole sentences with their slots', () => {
    const source = `<script lang="ts" generics="Row">
      import { thing } from './A text.ts';
      let label = $state('off');
      const keys = event.key === 'Enter' || held.has('Shift');
      toast('Copied it');
      send('network rules');
    </script>
    <p class="Big words" title="Tab {n}">Fill &amp; press <b>{key}</b>,
      then {n === 1 ? 'one' : \`\${n} more\`}</p>
    <code>pilotfish help</code> {a} · {b}
    <Field {label} hint={ok ? 'Fine' : undefined} icon="Star" />`;
    expect(texts(source, 'A.svelte')).toEqual([
      'off',
      'Copied it',
      'Tab {0}',
      'Fill & press {0}, then {1}',
      'one',
      '{0} more',
      'Fine',
    ]);
  });

  it('is what a module shows, and no code', () => {
    const source = `type Kind = 'Open this';
      const one = { kind: 'Block', text: 'wait', id: 'a b', about: \`\${n} tabs\` };
      throw new Error(\`There is no \${thing}\`);
      select('td > a.Big one'); path = \`/tab/\${id}\`; css = '--line-one two';
      function f() { switch (one) { case 'In a case': return 'Back again'; } }`;
    expect(texts(source, 'a.ts')).toEqual(['wait', '{0} tabs', 'There is no {0}', 'Back again']);
    // So is what a script of a page shows.
    const page = `<p>Hello</p><div><script>say('Copied', \`Press \${key} now\`);</script></div>`;
    const found = messagesOf(page, 'a.html');
    expect(found.map(({ start, end }) => page.slice(start, end))).toEqual([
      'Hello',
      'Copied',
      'Press ${key} now',
    ]);
    expect(found[2]?.slots.map(({ start, end }) => page.slice(start, end))).toEqual(['${key}']);
    // In a file of words also what looks like code.
    expect(texts(`function said() { return 'ok'; }`, 'words.ts')).toEqual(['ok']);
    expect(texts(`function toneOf() { return 'ok'; }`, 'words.ts')).toEqual([]);
  });
});

describe('a translation', () => {
  const translate = (source: string, file: string, to: Record<string, string>): string =>
    rewrite(source, messagesOf(source, file), ({ text }) => to[text]);

  it('may move slots, and a text in a slot has its own', () => {
    const source = `const text = \`Filled \${what} with \${ok ? 'care' : 'haste'}\`;`;
    const to = { 'Filled {0} with {1}': 'Mit {1} `{0}` ${', care: "Sorg'falt" };
    expect(translate(source, 'a.ts', to)).toBe(
      `const text = \`Mit \${ok ? 'Sorg\\'falt' : 'haste'} \\\`\${what}\\\` \\\${\`;`,
    );
    expect(translate(source, 'a.ts', { care: 'Sorgfalt' })).toBe(
      source.replace('care', 'Sorgfalt'),
    );
  });

  it('is written so that it stays text', () => {
    const source = `<p title="A title">Some {n} text</p>`;
    const to = { 'A title': `"<{x}>"`, 'Some {0} text': '<b>{0} & y</b>' };
    const out = translate(source, 'A.svelte', to);
    expect(out).toBe(
      '<p title="&#34;&#60;&#123;x&#125;&#62;&#34;">&#60;b&#62;{n} &#38; y&#60;/b&#62;</p>',
    );
    expect(texts(out, 'A.svelte')).toEqual(['<b>{0} & y</b>']);
  });

  it('is written so that Go compiles it', () => {
    const go = (kind: 'chain' | 'format', source: string, text: string, slots: string[]): string =>
      rewrite(
        source,
        [
          {
            kind,
            text: '',
            start: 0,
            end: source.length,
            slots: slots.map((slot) => ({
              start: source.indexOf(slot),
              end: source.indexOf(slot) + slot.length,
            })),
          },
        ],
        () => text,
      );
    expect(go('chain', 'who() + " has " + n', '{1} "für"\n{0}', ['who()', 'n'])).toBe(
      String.raw`"" + n + " \"für\"\n" + who() + ""`,
    );
    expect(go('format', '%d of %.2q', '100 % “{1}” "{0}"', ['%d', '%.2q'])).toBe(
      String.raw`100 %% “%.2[2]q” \"%[1]d\"`,
    );
  });

  it('needs each slot once', () => {
    const source = `<p>Some {n} text</p>`;
    expect(() => translate(source, 'A.svelte', { 'Some {0} text': 'Text' })).toThrow(/slots/);
    expect(() => translate(source, 'A.svelte', { 'Some {0} text': '{0}{0}' })).toThrow(/slots/);
    expect(() => translate(source, 'A.svelte', { 'Some {0} text': '{1}' })).toThrow(/slots/);
  });

  it('that is not there says how to make one', () => {
    expect(() => translation('xx')).toThrow(/catalogue\.mjs xx/);
    expect(translation('en')).toBeUndefined();
    expect(translation('')).toBeUndefined();
  });

  it('keeps what is translated, and loses texts that are gone', () => {
    const english = { New: ['a.ts'], Open: ['a.ts', 'b.ts'] };
    const old = { Open: 'Offen', 'Open @b.ts': 'Öffnen', 'Open @c.ts': 'x', Gone: 'Weg' };
    expect(updated(english, old)).toEqual({ New: '', Open: 'Offen', 'Open @b.ts': 'Öffnen' });
  });

  it('in the pseudo-language is found by its English text', () => {
    const text = pseudo('Close the tab (now)?');
    expect(text).not.toMatch(/[A-Za-z]/);
    expect(text).toMatch(either('Close the tab (now)?', true));
    expect(text).toMatch(either(/^close the tab \(\w*/i));
    expect(text).not.toMatch(either('Close', true));
    expect('Close the tab').toMatch(either('the tab'));
  });
});

describe('all texts', () => {
  let all: Record<string, string[]>;
  beforeAll(async () => {
    all = await collect();
  }, 60_000);

  it('are in en.json; `make generate` writes it', () => {
    const listed = readFileSync(new URL('en.json', import.meta.url), 'utf8');
    expect(JSON.parse(listed)).toEqual(all);
    expect(listed).toBe(written(all));
  });

  it('stay the same when each is replaced by itself', async () => {
    for (const file of new Set(Object.values(all).flat().filter(covers))) {
      const source = await readFile(root + file, 'utf8');
      const before = messagesOf(source, file);
      const after = messagesOf(
        rewrite(source, before, ({ text }) => text),
        file,
      );
      expect(
        after.map(({ text }) => text),
        file,
      ).toEqual(before.map(({ text }) => text));
    }
  }, 60_000);

  it('are not those of tests and of models', () => {
    expect(covers('frontend/ui/words.ts')).toBe(true);
    expect(covers('frontend/ui/texts/texts.test.ts')).toBe(false);
    expect(covers('extension/src/panel/task/core/prompt.ts')).toBe(false);
    expect(covers('extension/test/states.ts')).toBe(false);
  });
});
