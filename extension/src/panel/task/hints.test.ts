import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { forPerson, hintInActions, inActions } from './hints';

test('a command that a task has under another name is named so', () => {
  expect(hintInActions('look again with `pilotfish snapshot`')).toBe(
    'look at the page of the next turn',
  );
  expect(hintInActions('`pilotfish dialog accept` or `pilotfish dialog dismiss`')).toBe(
    'the action dialog with answer accept or the action dialog with answer dismiss',
  );
  expect(
    inActions(
      'clicked; a confirm dialog is open: answer it with `dialog accept` or `dialog dismiss`',
    ),
  ).toContain('the action dialog with answer accept');
  expect(inActions('main\n … the frame: snapshot -s f2\nbtn Save')).toBe(
    'main\n … 1 frame more f2\nbtn Save',
  );
});

test('a host that the user can allow is named with the place to do so', () => {
  const go = readFileSync(
    fileURLToPath(new URL('../../../../backend/policy/policy.go', import.meta.url)),
    'utf8',
  );
  const [hint] = /the \w+ can allow this host: pilotfish rules allow open/.exec(go) ?? ['none'];
  expect(hintInActions(`${hint} a.example`)).toBe(
    'the user can allow this host (a.example) in Settings',
  );
});

test('what only a command line has is left out', () => {
  expect(hintInActions('`pilotfish snapshot` shows what is there; --timeout waits longer')).toBe(
    'the page of the next turn shows what is there',
  );
  expect(hintInActions('for example: pilotfish wait text Saved')).toBe('');
  expect(hintInActions('the page may hang: `pilotfish reload`, or a longer --timeout')).toBe(
    'the page may hang: the action reload',
  );
  expect(hintInActions('name one of them by label or value')).toBe(
    'name one of them by label or value',
  );
});

test('no hint of the backend names a command line to a task', () => {
  const found: string[] = [];
  for (const room of ['browser', 'command', 'policy', 'session']) {
    const folder = fileURLToPath(new URL(`../../../../backend/${room}/`, import.meta.url));
    for (const file of readdirSync(folder)) {
      if (!file.endsWith('.go') || file.endsWith('_test.go')) continue;
      const text = readFileSync(folder + file, 'utf8');
      for (const [, quoted, raw] of text.matchAll(
        /"((?:[^"\\\n]|\\.)*pilotfish [a-z](?:[^"\\\n]|\\.)*)"|`([^`\n]*)`/g,
      )) {
        const hint = quoted ?? raw ?? '';
        if (hint.includes('pilotfish ')) found.push(hint);
      }
    }
  }
  expect(found.length).toBeGreaterThan(40);
  for (const hint of found) expect(hintInActions(hint)).not.toMatch(/`pilotfish|pilotfish [a-z]/);
});

test('a person reads what a page said without its marks', () => {
  expect(forPerson('clicked\n<page-0a1b origin="https://a.test">\ne1 btn Save\n</page-0a1b>')).toBe(
    'clicked\ne1 btn Save',
  );
  expect(forPerson('a <page-tag> of its own')).toBe('a <page-tag> of its own');
});
