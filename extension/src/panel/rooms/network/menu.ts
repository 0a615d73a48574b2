import type { MenuItem } from '$ui/menu-item';
import type { NetworkItem } from '$ui/protocol/protocol';
import { perform } from '../../quick/perform';
import type { RoomDesk } from '../desk';
import { asCurl, asFetch } from './copy';
import { bodyOf, entryOf, saveBody } from './details';

/**
 * What can be done with a request. Copies have its cookies and credentials: the user asks for
 * them.
 */
export function requestMenu(
  desk: RoomDesk,
  { entry: { id, url } }: NetworkItem,
  copy: (text: string, said: string) => Promise<void>,
  rule: (kind: 'block' | 'mock') => void,
): MenuItem[] {
  const item = (
    text: string,
    icon: MenuItem['icon'],
    act: () => void | Promise<void>,
  ): MenuItem => ({ text, icon, run: () => void perform(desk, act) });
  return [
    item('Copy as cURL', 'copy', async () => {
      await copy(asCurl(await entryOf(desk, id, true)), 'Copied as cURL, with its credentials.');
    }),
    item('Copy as fetch', 'copy', async () => {
      await copy(asFetch(await entryOf(desk, id, true)), 'Copied as fetch.');
    }),
    item('Copy address', 'copy', () => copy(url, 'Copied the address.')),
    item('Copy response', 'copy', async () => {
      await copy((await bodyOf(desk, id, true)).text ?? '', 'Copied the response.');
    }),
    item('Save response', 'download', async () => {
      desk.say(`Saved as ${await saveBody(desk, id)}`);
    }),
    item('Block…', 'clear', () => {
      rule('block');
    }),
    item('Mock…', 'edit', () => {
      rule('mock');
    }),
  ];
}
