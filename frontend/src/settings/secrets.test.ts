import { expect, test } from 'vitest';
import type { Secret } from '$ui/protocol/protocol';
import { keptWord, kindWord, usedWord, valueLabel } from './secrets';

const one = (part: Partial<Secret> = {}): Secret => ({
  name: 'shop',
  kind: 'password',
  origin: 'https://shop.example',
  kept: 'keychain',
  added: '2026-11-20T09:30:00Z',
  ...part,
});

test('a secret in words', () => {
  expect(kindWord(one())).toBe('password');
  expect(kindWord(one({ user: 'ada' }))).toBe('password of ada');
  expect(kindWord(one({ kind: 'totp' }))).toBe('one-time codes');
  expect(kindWord(one({ kind: 'header', header: 'X-Key' }))).toBe('header X-Key');
  expect(keptWord(one())).toBe('in the keychain');
  expect(keptWord(one({ kept: 'memory' }))).toContain('until Pilotfish quits');
  expect(keptWord(one({ kept: 'elsewhere', from: 'pass:shop' }))).toBe('pass:shop');
  expect(usedWord(one())).toBe('never used');
  expect(usedWord(one({ used: '2026-11-21T09:12:00Z', usedBy: 'claude in t1' }))).toMatch(
    /^last used .*2026.* by claude in t1$/,
  );
  expect(valueLabel('totp')).toBe('Key of the codes');
});
