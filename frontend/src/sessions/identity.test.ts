import { expect, test } from 'vitest';
import type { SessionIdentity } from '$ui/protocol/protocol';
import { formOf, identityOf } from './identity';

const whole: SessionIdentity = {
  color: '#1a73e8',
  profile: 'copy:home',
  proxy: 'http://ada@proxy.example:3128',
  proxySecret: 'proxy',
  proxyBypass: ['*.local', '10.0.0.0/8'],
  userAgent: 'Mozilla/5.0 (test)',
  languages: ['de-DE', 'en'],
  startPages: ['https://a.example/', 'https://b.example/'],
  caFiles: ['/etc/my ca.pem'],
  accept: [{ host: 'dev.test', sha256: 'ab'.repeat(32) }],
  headers: [{ origin: 'https://api.example.com', name: 'X-Env', value: 'a: b' }],
  geolocation: { latitude: 48.5, longitude: -9.25, accuracy: 10, origins: ['https://m.example'] },
  extensions: ['/home/ada/my extension'],
  flags: ['--force-dark-mode'],
};

test('an identity comes back from its form as it was', () => {
  expect(identityOf(formOf(whole))).toEqual(whole);
  expect(identityOf(formOf({}))).toEqual({});
  expect(identityOf(formOf({ profile: 'temporary' }))).toEqual({ profile: 'temporary' });
  for (const browser of ['my-chrome', 'vivaldi', '/home/ada/.config/chromium']) {
    const own = { browser, color: '#1a73e8' };
    expect(identityOf(formOf(own))).toEqual(own);
    // Nothing else has a meaning with the user's own browser.
    expect(identityOf(formOf({ ...whole, ...own }))).toEqual(own);
  }
});

test('the engine of a browser elsewhere comes back from the form', () => {
  for (const engine of [
    { browser: 'wss://engine.example/chromium' },
    {
      browser: 'grid+https://ada:********@grid.example/',
      browserHeader: 'X-Key: {secret}',
      browserSecret: 'grid',
    },
  ]) {
    expect(identityOf(formOf(engine))).toEqual(engine);
    expect(identityOf(formOf({ ...whole, ...engine }))).toEqual({ ...engine, color: whole.color });
  }
});

test('what cannot be read is said', () => {
  const empty = formOf({});
  for (const [change, words] of [
    [{ profile: 'copy' }, 'session to copy'],
    [{ browser: 'folder', folder: ' ' }, 'folder'],
    [{ browser: 'elsewhere', address: ' ' }, 'address of the engine'],
    [{ accept: 'dev.test' }, 'fingerprint'],
    [{ headers: 'https://a.example X' }, 'header'],
    [{ geolocation: '1' }, 'latitude'],
    [{ geolocation: '1, east' }, 'latitude'],
    [{ geolocation: '1, 2, 3, 4' }, 'latitude'],
    [{ geolocationOrigins: 'https://m.example' }, 'latitude'],
  ] as const) {
    expect(identityOf({ ...empty, ...change })).toContain(words);
  }
});
