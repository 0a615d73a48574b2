import type { ChatAttachment, ChatEntry } from '$ui/protocol/protocol';

/** What is taken out of the input to be sent. */
export interface Taken {
  /** The id of the message; the same one again for what nobody knows to be sent. */
  readonly message: string;
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  /** The id of the earlier message that this one takes the place of. */
  readonly replaces?: string;
}

/** What a person is writing to a conversation, and did not send yet. */
export class Input {
  text = $state('');
  attachments = $state.raw<readonly ChatAttachment[]>([]);
  /** An earlier message that this one takes the place of. */
  editing = $state.raw<ChatEntry>();
  /** What was written before the edit began. */
  #before: { text: string; attachments: readonly ChatAttachment[] } | undefined;
  /** Somebody wrote here: a draft that comes from elsewhere is older. */
  touched = false;
  /** What was put back: it may have arrived all the same. */
  #back: Taken | undefined;

  attach(...items: ChatAttachment[]): void {
    this.attachments = [...this.attachments, ...items];
  }

  detach(at: number): void {
    this.attachments = this.attachments.filter((_, index) => index !== at);
  }

  /** Brings an earlier message back to be written anew. */
  edit(entry: ChatEntry): void {
    this.#before ??= { text: this.text, attachments: this.attachments };
    this.editing = entry;
    this.text = entry.text ?? '';
    this.attachments = entry.attachments ?? [];
  }

  /** Leaves the earlier message as it is. */
  leave(): void {
    this.editing = undefined;
    this.text = this.#before?.text ?? '';
    this.attachments = this.#before?.attachments ?? [];
    this.#before = undefined;
  }

  /** Takes out what is sent. */
  take(): Taken {
    const { attachments, editing } = this;
    const message = this.unsure ?? crypto.randomUUID();
    const text = this.text.trim();
    this.leave();
    if (editing === undefined) {
      this.text = '';
      this.attachments = [];
    }
    this.touched = true;
    this.#back = undefined;
    return { message, text, attachments, ...(editing && { replaces: editing.id }) };
  }

  /** The message that the text was sent as, when nobody knows whether it arrived. */
  get unsure(): string | undefined {
    const same =
      this.#back?.text === this.text.trim() && this.#back.attachments === this.attachments;
    return same ? this.#back?.message : undefined;
  }

  /** Puts back what was not taken, before whatever was written since. */
  restore(sent: Taken): void {
    this.text = this.text === '' ? sent.text : `${sent.text}\n${this.text}`;
    this.attachments = [...sent.attachments, ...this.attachments];
    // What was written since makes it another message.
    this.#back = { ...sent, attachments: this.attachments };
  }
}
