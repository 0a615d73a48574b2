import { PairingKey, type Pairing } from '$ui/protocol/protocol';
import { pairingSchema } from '$ui/protocol/schema';
import * as v from 'valibot';

/** Where the app puts the pairing, and says that it did. */
export interface PairingSource {
  /** The pairing now; undefined before the first. */
  read(): Promise<Pairing | undefined>;
  /** Calls `changed` with every pairing that comes, until `signal` aborts. */
  watch(changed: (pairing: Pairing | undefined) => void, signal: AbortSignal): void;
}

/** The extension's session storage: in memory only, written by the app through its private pipe. */
export function storagePairing(area: chrome.storage.StorageArea): PairingSource {
  return {
    async read() {
      return parse((await area.get(PairingKey))[PairingKey]);
    },
    watch(changed, signal) {
      const listener = (changes: Record<string, chrome.storage.StorageChange>): void => {
        const change = changes[PairingKey];
        if (change !== undefined) changed(parse(change.newValue));
      };
      area.onChanged.addListener(listener);
      signal.addEventListener('abort', () => {
        area.onChanged.removeListener(listener);
      });
    },
  };
}

function parse(value: unknown): Pairing | undefined {
  const result = v.safeParse(pairingSchema, value);
  return result.success ? result.output : undefined;
}
