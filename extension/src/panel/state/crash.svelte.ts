import { CodeCrashed, type SessionInfo } from '$ui/protocol/protocol';

/** The storage key of the crash that the user dismissed. It is kept until the browser ends. */
const key = 'pilotfish.crash';

/** The message that the browser crashed, until the user dismisses it. */
export class Crash {
  #dismissed = $state('');
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  async load(): Promise<void> {
    const kept = (await this.#area.get(key))[key];
    // A message dismissed during the read is newer.
    if (typeof kept === 'string' && this.#dismissed === '') this.#dismissed = kept;
  }

  /** The message about the last crash; undefined when there is nothing to show. */
  said(info: SessionInfo | undefined): string | undefined {
    const crash = info?.warnings.find(({ code }) => code === CodeCrashed)?.message;
    return crash === this.#dismissed ? undefined : crash;
  }

  dismiss(message: string): void {
    this.#dismissed = message;
    void this.#area.set({ [key]: message });
  }
}
