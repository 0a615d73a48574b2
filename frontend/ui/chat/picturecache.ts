import type { ChatAttachment } from '../protocol/protocol';
import { attachmentUrl } from './pictures';

/** Pictures as addresses for elements, fetched once each; one that could not be had is asked for again. */
export class PictureCache {
  readonly #known = new Map<string, Promise<string | undefined>>();

  /** The picture of a key; undefined when it cannot be had now. */
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
