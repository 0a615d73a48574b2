import { untrack } from 'svelte';
import type { Conversation, ConversationID, TabID } from '$ui/protocol/protocol';
import type { Conversations } from '../state/conversations.svelte';
import type { Input } from './input.svelte';

/** The message that is being written. */
interface Message {
  readonly id: ConversationID;
  readonly input: Input;
}

/** What Chat does for other parts of the panel. */
interface Wishes {
  /** The tab in view; undefined while the panel is not connected. Reactive. */
  ready(): TabID | undefined;
  /** Shows a conversation. */
  show(one: Conversation): void;
  /** The message that can be added to. Reactive. */
  target(): Message | undefined;
  /** Called when something was added to a message. */
  write(to: Message): void;
}

/**
 * Follows what other parts of the panel ask of Chat, until the component that calls this is
 * gone: to show a conversation, once its tab is active, and to add to the message.
 */
export function followWishes(of: () => Conversations, wishes: Wishes): void {
  $effect(() => {
    const heads = of();
    const { wanted } = heads;
    const one = wanted === undefined ? undefined : heads.get(wanted.id);
    if (one === undefined || wanted?.tab !== wishes.ready()) return;
    untrack(() => {
      heads.wanted = undefined;
      wishes.show(one);
    });
  });
  $effect(() => {
    const heads = of();
    const { handed } = heads;
    const to = wishes.target();
    if (handed === undefined || to === undefined) return;
    untrack(() => {
      heads.handed = undefined;
      to.input.add(handed.text, handed.attachments);
      wishes.write(to);
    });
  });
}
