import type { ChatAttachment } from '$ui/protocol/protocol';

/** Image types that every agent with image support accepts. */
export const pictures = /^image\/(?:png|jpeg|gif|webp)$/;

/** The image of an attachment that contains its bytes, as a data URL. */
export function attachmentUrl(item: ChatAttachment): string | undefined {
  if (item.kind !== 'image' || !item.data || !pictures.test(item.mime ?? '')) return undefined;
  return `data:${item.mime ?? ''};base64,${item.data}`;
}
