import { chatAttachmentSchema } from '$ui/protocol/schemas/chat';
import type { ChatAttachment, CommandReply } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { RoomDesk } from '../rooms/desk';

/** How long a command on a page may take here, in milliseconds: a page may be large. */
export const patience = 90_000;

/** The data of a command that succeeded; throws why it did not. */
export function dataOf<S extends v.GenericSchema>(
  reply: CommandReply,
  schema: S,
): v.InferOutput<S> {
  if (reply.ok) return v.parse(schema, reply.data);
  throw new Error(`${reply.error?.message ?? reply.text} ${reply.error?.hint ?? ''}`.trim());
}

/** Reads a file that a command saved. One of more than 10 MB is refused, with what to do. */
export async function fileOf(desk: RoomDesk, path: string): Promise<ChatAttachment> {
  return v.parse(
    chatAttachmentSchema,
    await desk.request('/chat/file', { path }, { timeout: patience }),
  );
}

/** The content of an attachment. */
export function blobOf({ data, mime }: ChatAttachment): Blob {
  const bytes = Uint8Array.from(atob(data ?? ''), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: mime ?? 'application/octet-stream' });
}

/** Downloads something under a name. */
export function download(name: string, url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** A size for people. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${String(Math.max(1, Math.round(bytes / 1024)))} KB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The name of a file, without its folder. */
export function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}
