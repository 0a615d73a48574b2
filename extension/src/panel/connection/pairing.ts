import { PairingKey, type Pairing } from '$ui/protocol/protocol';
import { pairingSchema } from '$ui/protocol/schemas/panel';
import * as v from 'valibot';

/**
 * Where the app stores the pairing, with notification of changes. A panel that was paired by a
 * code stores it there itself.
 */
export interface PairingSource {
  /** The current pairing; undefined before the first one. */
  read(): Promise<Pairing | undefined>;
  /** Calls `changed` with every new pairing until `signal` aborts. */
  watch(changed: (pairing: Pairing | undefined) => void, signal: AbortSignal): void;
  /** Stores a pairing, or removes it. */
  keep(pairing: Pairing | undefined): Promise<void>;
}

/**
 * Reads the pairing from the extension's session storage. It is kept in memory
 * only, and the app writes it over its private pipe.
 */
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
    keep: (pairing) =>
      pairing === undefined ? area.remove(PairingKey) : area.set({ [PairingKey]: pairing }),
  };
}

function parse(value: unknown): Pairing | undefined {
  const result = v.safeParse(pairingSchema, value);
  return result.success ? result.output : undefined;
}
