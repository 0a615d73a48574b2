import type { ChatAttachment, Tab } from '$ui/protocol/protocol';
import { pictures } from '$ui/chat/pictures';
import { MAX_ATTACHMENT } from '../core/timing';

/** A mentioned tab. */
export function tabAttachment(tab: Tab): ChatAttachment {
  return { kind: 'tab', name: tab.title === '' ? tab.url : tab.title, tab: tab.id, text: tab.url };
}

/** A file is too large to go with a message. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** A file as something that goes with a message; throws TooLargeError. */
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
 * Files as what goes with a message, or why one cannot, each in its place. They are
 * read side by side: their order is that of the list.
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
  // A call takes a limited number of arguments.
  const step = 0x8000;
  for (let at = 0; at < bytes.length; at += step)
    text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}
