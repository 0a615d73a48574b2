import type { ConversationState } from '$ui/protocol/protocol';
import type { Tone } from '$ui/words';

const tones: Record<ConversationState, Tone> = {
  idle: 'ok',
  starting: 'busy',
  running: 'busy',
  needs_you: 'attention',
  failed: 'danger',
  sign_in: 'attention',
  terminal: 'idle',
};

/** How a conversation's state is drawn. */
export function conversationTone(state: ConversationState): Tone {
  return tones[state];
}
