import { choiceWords } from '$ui/chat/core/words';
import type { ChatAttachment, ChatWhich, TaskPlainChoice } from '$ui/protocol/protocol';

/**
 * The message that answers a question of Pilot: the same text again, with the
 * elements that the user meant.
 */
export function whichAnswer(
  { text, tab, chosen = [] }: ChatWhich,
  element: TaskPlainChoice,
): { text: string; attachments: ChatAttachment[] } {
  const meant = (ref: string, name: string): ChatAttachment => ({
    kind: 'element',
    name,
    ref,
    ...(tab !== undefined && { tab }),
  });
  const before = chosen.map((ref) => meant(ref, `@${ref}`));
  return { text, attachments: [...before, meant(element.ref, choiceWords(element))] };
}
