import type { ConversationID } from '$ui/protocol/protocol';
import { chatAttachmentSchema } from '$ui/protocol/chat';
import type { Connection } from '../connection/connection';
import { attachmentUrl } from '$ui/chat/pictures';

/** A picture as an address that a tab can show: a data address would be refused there. */
export function pictureAddress(url: string): string {
  const [head = '', data = ''] = url.split(',', 2);
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const type = /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png';
  // It is let go with the panel.
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** Pictures in the session's folder, fetched once each. */
export class Pictures {
  readonly #connection: Connection;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The picture as an address for an element; undefined when it cannot be had. */
  get(conversation: ConversationID, path: string): Promise<string | undefined> {
    const key = `${conversation} ${path}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#fetch(conversation, path);
      this.#known.set(key, known);
    }
    return known;
  }

  dispose(): void {
    this.#known.clear();
  }

  async #fetch(conversation: ConversationID, path: string): Promise<string | undefined> {
    try {
      const body = { conversation, path };
      return attachmentUrl(
        await this.#connection.request('/chat/file', body, chatAttachmentSchema),
      );
    } catch {
      return undefined;
    }
  }
}
