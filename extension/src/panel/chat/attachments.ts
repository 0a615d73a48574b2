import type { ChatAttachment, Tab } from '$ui/protocol/protocol';
import { pictures } from '$ui/chat/pictures';
import { MAX_ATTACHMENT } from '../core/timing';

/** An attachment for a mentioned tab. */
export function tabAttachment(tab: Tab): ChatAttachment {
  return { kind: 'tab', name: tab.title === '' ? tab.url : tab.title, tab: tab.id, text: tab.url };
}

/** The file is too large for a message. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** Reads a file as an attachment; throws TooLargeError. */
async function fileAttachment(file: File): Promise<ChatAttachment> {
  if (file.size > MAX_ATTACHMENT) {
    const most = String(MAX_ATTACHMENT / 1024 / 1024);
    throw new TooLargeError(`${file.name} is larger than ${most} MB.`);
  }
  const data = base64(new Uint8Array(await file.arrayBuffer()));
  const picture = pictures.test(file.type);
  return {
    kind: picture ? 'image' : 'file',
    name: file.name === '' ? (picture ? 'Image' : 'File') : file.name,
    data,
    mime: file.type === '' ? 'application/octet-stream' : file.type,
  };
}

/**
 * Reads files as attachments, or returns why one cannot be read. Files are read in
 * parallel; the results have the order of the list.
 */
export function readFiles(
  list: Iterable<File>,
): Promise<({ made: ChatAttachment; problem?: never } | { made?: never; problem: string })[]> {
  return Promise.all(
    [...list].map(async (file) => {
      try {
        return { made: await fileAttachment(file) };
      } catch (error) {
        const known = error instanceof TooLargeError;
        return { problem: known ? error.message : 'This file can’t be read.' };
      }
    }),
  );
}

function base64(bytes: Uint8Array): string {
  let text = '';
  // A call can take only a limited number of arguments.
  const step = 0x8000;
  for (let at = 0; at < bytes.length; at += step)
    text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}
