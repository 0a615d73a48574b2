import type { ConversationID } from '$ui/protocol/protocol';
import { chatAttachmentSchema } from '$ui/protocol/chat';
import type { Connection } from '../connection/connection';
import { PictureCache } from '$ui/chat/picturecache';

/** A picture as an address that a tab can show: a data address would be refused there. */
export function pictureAddress(url: string): string {
  const [head = '', data = ''] = url.split(',', 2);
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const type = /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png';
  // It is let go with the panel.
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** Pictures in the session's folder. */
export class Pictures {
  readonly #connection: Connection;
  readonly #cache = new PictureCache();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The picture as an address for an element; undefined when it cannot be had. */
  get(conversation: ConversationID, path: string): Promise<string | undefined> {
    return this.#cache.get(`${conversation} ${path}`, () =>
      this.#connection.request('/chat/file', { conversation, path }, chatAttachmentSchema),
    );
  }

  dispose(): void {
    this.#cache.clear();
  }
}
