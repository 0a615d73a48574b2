import { CodeCrashed, type SessionInfo } from '$ui/protocol/protocol';

/** Where the crash that the user dismissed is kept: as long as the browser lives. */
const key = 'pilotfish.crash';

/** That the browser crashed, until the user dismisses it. */
export class Crash {
  #dismissed = $state('');
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  async load(): Promise<void> {
    const kept = (await this.#area.get(key))[key];
    // What was dismissed while this was read is newer.
    if (typeof kept === 'string' && this.#dismissed === '') this.#dismissed = kept;
  }

  /** What to say about the last crash; undefined when there is nothing to say. */
  said(info: SessionInfo | undefined): string | undefined {
    const crash = info?.warnings.find(({ code }) => code === CodeCrashed)?.message;
    return crash === this.#dismissed ? undefined : crash;
  }

  dismiss(message: string): void {
    this.#dismissed = message;
    void this.#area.set({ [key]: message });
  }
}
