import type { ChatAttachment } from '../protocol/protocol';
import { attachmentUrl } from './pictures';

/** Images as URLs for elements, each fetched once. A failed fetch is tried again at the next request. */
export class PictureCache {
  readonly #known = new Map<string, Promise<string | undefined>>();

  /** The image of a key; undefined when it is not available now. */
  get(key: string, fetch: () => Promise<ChatAttachment>): Promise<string | undefined> {
    let known = this.#known.get(key);
    if (known === undefined) {
      known = fetch().then(attachmentUrl, () => {
        this.#known.delete(key);
        return undefined;
      });
      this.#known.set(key, known);
    }
    return known;
  }

  clear(): void {
    this.#known.clear();
  }
}
