import { networkItemSchema } from '$ui/protocol/schemas/observed';
import type { NetworkItem } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Told } from '../desk';

/** How many requests are shown; the backend keeps as many. */
export const requestsKept = 5000;

/** The number in a request's id: they count up in each tab. */
const numberOf = (item: NetworkItem): number => Number(item.entry.id.slice(1));

/** The requests of a tab, as its feed tells them. */
export class Requests {
  /** Oldest first. */
  all = $state.raw<readonly NetworkItem[]>([]);
  /** Why the feed ended; undefined while it goes on. */
  error = $state.raw<{ readonly message: string; readonly hint?: string }>();
  /** Whether the feed has reported what there is. */
  known = $state(false);
  /** What `all` is made from. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- only `all` is drawn
  readonly #byID = new Map<string, NetworkItem>();

  apply({ batch, error }: Told): void {
    this.error = error;
    this.known = true;
    if (batch.gap === true) this.#byID.clear();
    // What does not have the shape of a request is from another version, and is left out.
    for (const one of batch.items) {
      const read = v.safeParse(networkItemSchema, one);
      if (read.success) this.#byID.set(read.output.entry.id, read.output);
    }
    if (batch.items.length === 0 && batch.gap !== true) return;
    const all = [...this.#byID.values()].sort((a, b) => numberOf(a) - numberOf(b));
    for (const old of all.splice(0, Math.max(0, all.length - requestsKept)))
      this.#byID.delete(old.entry.id);
    this.all = all;
  }

  reset(): void {
    this.#byID.clear();
    this.all = [];
    this.error = undefined;
    this.known = false;
  }
}
