import type { ChatAttachment } from '$ui/protocol/protocol';

/** Pictures that every agent with pictures takes. */
export const pictures = /^image\/(?:png|jpeg|gif|webp)$/;

/** The picture of an attachment that holds its bytes, as an address for an element. */
export function attachmentUrl(item: ChatAttachment): string | undefined {
  if (item.kind !== 'image' || !item.data || !pictures.test(item.mime ?? '')) return undefined;
  return `data:${item.mime ?? ''};base64,${item.data}`;
}
