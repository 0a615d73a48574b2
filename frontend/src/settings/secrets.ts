import type { Option } from '$ui/option';
import type { Secret, SecretKind } from '$ui/protocol/protocol';

export const kindOptions: Option[] = [
  { value: 'password', text: 'Password' },
  { value: 'totp', text: 'One-time codes (TOTP)' },
  { value: 'header', text: 'Header of requests' },
];

export const placeOptions: Option[] = [
  { value: 'keychain', text: 'The keychain of this computer' },
  { value: 'elsewhere', text: '1Password, Bitwarden or pass' },
];

/** What a secret is, as text. */
export function kindWord({ kind, user = '', header = '' }: Secret): string {
  if (kind === 'header') return `header ${header}`;
  if (kind === 'totp') return 'one-time codes';
  return user === '' ? 'password' : `password of ${user}`;
}

/** Where the value of a secret is, as text. */
export function keptWord({ kept, from = '' }: Secret): string {
  if (from !== '') return from;
  return kept === 'memory' ? 'until Pilotfish quits, there is no keychain' : 'in the keychain';
}

/** When a secret was used last, and by whom, as text. */
export function usedWord({ used, usedBy = '' }: Secret): string {
  if (used === undefined) return 'never used';
  const time = new Date(used).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return `last used ${time}${usedBy === '' ? '' : ` by ${usedBy}`}`;
}

/** What the user types for a kind of secret. */
export function valueLabel(kind: SecretKind): string {
  return { password: 'Password', totp: 'Key of the codes', header: 'Value' }[kind];
}
