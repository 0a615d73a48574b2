import { chatAttachmentSchema } from '$ui/protocol/schemas/chat';
import type { Connection } from '../connection/connection';
import { PictureCache } from '$ui/chat/picturecache';

/**
 * Converts an image's data URL to a URL that a tab can open; the browser refuses to
 * open data URLs there.
 */
export function pictureAddress(url: string): string {
  const [head = '', data = ''] = url.split(',', 2);
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const type = /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png';
  // The URL is released when the panel closes.
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** Images in the session's folder. */
export class Pictures {
  readonly #connection: Connection;
  readonly #cache = new PictureCache();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The URL of an image for an element; undefined if the image is not available. */
  get(path: string): Promise<string | undefined> {
    return this.#cache.get(path, () =>
      this.#connection.request('/chat/file', { path }, chatAttachmentSchema),
    );
  }

  dispose(): void {
    this.#cache.clear();
  }
}
