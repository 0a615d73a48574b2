import type { ChatAttachment, ChatEntry } from '$ui/protocol/protocol';

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
  take(): { text: string; attachments: readonly ChatAttachment[]; replaces?: string } {
    const { attachments, editing } = this;
    const text = this.text.trim();
    this.leave();
    if (editing === undefined) {
      this.text = '';
      this.attachments = [];
    }
    this.touched = true;
    return { text, attachments, ...(editing && { replaces: editing.id }) };
  }

  /** Puts back what was refused, before whatever was written since. */
  restore(sent: { text: string; attachments: readonly ChatAttachment[] }): void {
    this.text = this.text === '' ? sent.text : `${sent.text}\n${this.text}`;
    this.attachments = [...sent.attachments, ...this.attachments];
  }
}
