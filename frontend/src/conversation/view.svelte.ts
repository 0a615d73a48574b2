import { CHAT_PAGE } from '$ui/chat/limits';
import { PictureCache } from '$ui/chat/picturecache';
import { Transcript } from '$ui/chat/transcript.svelte';
import type { ConversationID, SessionName } from '$ui/protocol/protocol';
import { asBackendError, type Backend, type BackendError } from '../backend';

/**
 * The conversation that the window shows. It is read while it is open. When it is opened again,
 * reading continues after the last index. It is independent of the panel, which may show the same
 * conversation.
 */
export class ConversationView {
  readonly session: SessionName;
  readonly id: ConversationID;
  readonly transcript = new Transcript();
  /** Why reading has ended; undefined while it is read. */
  lost = $state.raw<BackendError>();
  readonly #backend: Backend;
  readonly #pictures = new PictureCache();
  #close: (() => void) | undefined;

  constructor(backend: Backend, session: SessionName, id: ConversationID) {
    this.#backend = backend;
    this.session = session;
    this.id = id;
  }

  /** Starts to read; the returned function ends it. */
  open(): () => void {
    this.#close?.();
    this.lost = undefined;
    const reading = new AbortController();
    const close = (): void => {
      reading.abort();
    };
    this.#close = close;
    void this.#read(reading.signal);
    return () => {
      this.#close?.();
    };
  }

  /** Continues to read after an error. */
  again(): void {
    if (this.lost !== undefined) this.open();
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const reader = await this.#backend.watchConversation(
        this.session,
        this.id,
        this.transcript.index,
      );
      const leave = (): void => {
        void this.#backend.unwatchConversation(reader).catch(() => undefined);
      };
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      while (!signal.aborted) {
        const said = await this.#backend.nextSaid(reader);
        // A newer read has requested everything after its own index, so drop this batch.
        if (signal.aborted) return;
        if (said.page !== undefined) this.transcript.take(said.page);
        if (said.events.length > 0) this.transcript.take(said.events);
      }
    } catch (reason) {
      if (!signal.aborted) this.lost = asBackendError(reason);
    }
  }

  /** Fetches entries before the first one; rejects with a BackendError. */
  async older(): Promise<void> {
    const { transcript } = this;
    const first = transcript.cells[0];
    if (transcript.fetching || !transcript.more || first === undefined) return;
    transcript.fetching = true;
    try {
      const part = { conversation: this.id, before: first.entry.index, limit: CHAT_PAGE };
      transcript.prepend(await this.#backend.conversationHistory(this.session, part));
    } finally {
      transcript.fetching = false;
    }
  }

  /** The URL of an image in the session's folder; undefined when it is not available. */
  picture(path: string): Promise<string | undefined> {
    return this.#pictures.get(path, () => this.#backend.conversationFile(this.session, path));
  }
}
