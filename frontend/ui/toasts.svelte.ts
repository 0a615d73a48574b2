/** How long a message of success is shown, in milliseconds. */
export const toastLife = 5_000;

/** How long a message with an action is shown, in milliseconds. */
export const actionLife = 12_000;

export interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'danger';
  readonly title: string;
  readonly text?: string | undefined;
  /** What the user can do about it, such as undo. Doing it dismisses the message. */
  readonly action?: { readonly text: string; readonly run: () => void } | undefined;
}

/**
 * The short messages in the corner. A failure stays until the user dismisses it, so that it is not
 * missed. Other messages disappear on their own.
 */
export class Toasts {
  items = $state.raw<readonly Toast[]>([]);
  #next = 1;

  show(toast: Omit<Toast, 'id'>): void {
    const shown: Toast = { ...toast, id: this.#next++ };
    // The same failure twice is shown once.
    const others = this.items.filter((t) => t.title !== shown.title || t.text !== shown.text);
    this.items = [...others.slice(-3), shown];
    if (shown.tone === 'ok') {
      setTimeout(
        () => {
          this.dismiss(shown.id);
        },
        shown.action ? actionLife : toastLife,
      );
    }
  }

  dismiss(id: number): void {
    this.items = this.items.filter((toast) => toast.id !== id);
  }
}
