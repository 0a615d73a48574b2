import type { ChatAttachment, ChatEntry } from '$ui/protocol/protocol';

/** What is taken from the input to be sent. */
export interface Taken {
  /** The message's id. A message that may have arrived is sent again with the same id. */
  readonly message: string;
  readonly text: string;
  readonly attachments: readonly ChatAttachment[];
  /** The id of the earlier message that this one replaces. */
  readonly replaces?: string;
}

/** What the user is writing in a conversation and has not sent yet. */
export class Input {
  text = $state('');
  attachments = $state.raw<readonly ChatAttachment[]>([]);
  /** The earlier message that is being edited. */
  editing = $state.raw<ChatEntry>();
  /** What was in the input before the edit began. */
  #before: { text: string; attachments: readonly ChatAttachment[] } | undefined;
  /** Whether the user has typed here; a draft from the backend is then older. */
  touched = false;
  /** The message that was put back after a failed send; it may have arrived all the same. */
  #back: Taken | undefined;

  attach(...items: ChatAttachment[]): void {
    this.attachments = [...this.attachments, ...items];
  }

  /** Adds to what the user has written, on lines of its own. */
  add(text: string, attachments: readonly ChatAttachment[]): void {
    const before = this.text === '' || this.text.endsWith('\n') ? this.text : `${this.text}\n`;
    this.text = text === '' ? this.text : `${before}${text}\n`;
    this.touched = true;
    this.attach(...attachments);
  }

  detach(at: number): void {
    this.attachments = this.attachments.filter((_, index) => index !== at);
  }

  /** Puts an earlier message into the input, to edit it. */
  edit(entry: ChatEntry): void {
    this.#before ??= { text: this.text, attachments: this.attachments };
    this.editing = entry;
    this.text = entry.text ?? '';
    this.attachments = entry.attachments ?? [];
  }

  /** Ends the edit without changing the earlier message. */
  leave(): void {
    this.editing = undefined;
    this.text = this.#before?.text ?? '';
    this.attachments = this.#before?.attachments ?? [];
    this.#before = undefined;
  }

  /** Takes the message out of the input, to send it. */
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

  /** The id that the text was sent with, if it is unknown whether it arrived. */
  get unsure(): string | undefined {
    const same =
      this.#back?.text === this.text.trim() && this.#back.attachments === this.attachments;
    return same ? this.#back?.message : undefined;
  }

  /** Puts an unsent message back, before any text typed since. */
  restore(sent: Taken): void {
    this.text = this.text === '' ? sent.text : `${sent.text}\n${this.text}`;
    this.attachments = [...sent.attachments, ...this.attachments];
    // Any text typed since makes it a different message.
    this.#back = { ...sent, attachments: this.attachments };
  }
}
