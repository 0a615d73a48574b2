import { untrack } from 'svelte';
import type { ConversationID } from '$ui/protocol/protocol';
import type { Requests } from './requests';

/** The conversation in view, and the error that it reports; empty for none. Both reactive. */
interface InView {
  id(): ConversationID | undefined;
  error(): string;
}

/**
 * Dismisses the notice of a request that was refused, once the conversation no longer reports
 * an error for the same reason. It ends with the component that calls it.
 */
export function dismissMended(of: () => Requests, view: InView): void {
  let ails = '';
  $effect(() => {
    const now = view.error();
    const id = view.id();
    untrack(() => {
      const requests = of();
      if (now === '' && id !== undefined && ails !== '')
        if (requests.problems.get(id)?.message === ails) requests.dismiss(id);
      ails = now;
    });
  });
}
