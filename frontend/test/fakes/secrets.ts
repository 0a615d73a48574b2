// The secrets of the fake app: one of each kind. It keeps no value, as the app does.
import type { Secret, SecretRequest } from '../../ui/protocol/protocol';

export function fakeSecrets(keychain: boolean): Record<string, (...args: unknown[]) => unknown> {
  const kept = keychain ? 'keychain' : 'memory';
  const added = '2026-11-20T09:30:00Z';
  let all: Secret[] = [
    {
      name: 'api',
      kind: 'header',
      origin: 'https://api.shop.example',
      header: 'X-Api-Key',
      kept,
      added,
    },
    {
      name: 'shop',
      kind: 'password',
      origin: 'https://shop.example',
      user: 'ada',
      from: 'op://Private/Shop/password',
      kept: 'elsewhere',
      added,
      used: '2026-11-21T09:12:00Z',
      usedBy: 'Claude Code in t1',
    },
  ];
  return {
    Secrets: () => all,
    AddSecret: (request) => {
      const { value = '', ...rest } = request as SecretRequest;
      if (rest.from === undefined && value.length < 4)
        throw new Error(
          JSON.stringify({
            code: 'bad_argument',
            message: 'the value has fewer than 4 characters, and could not be masked',
            hint: 'give the whole value',
          }),
        );
      const one = { ...rest, kept: rest.from === undefined ? kept : 'elsewhere', added };
      all = [...all.filter(({ name }) => name !== one.name), one].sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      return all;
    },
    RemoveSecret: (name) => {
      all = all.filter((one) => one.name !== name);
      return all;
    },
  };
}
