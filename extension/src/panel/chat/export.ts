import type { ConversationID } from '$ui/protocol/protocol';
import { saveFile } from './files';
import type { Requests } from './requests';

/** Exports a whole conversation as Markdown. An error is stored in the problems of the requests. */
export async function exported(
  requests: Requests,
  id: ConversationID,
  to: 'file' | 'clipboard',
): Promise<void> {
  const file = await requests.export(id, 'markdown');
  if (file === undefined) return;
  if (to === 'file') {
    saveFile(file.name, file.text, 'text/markdown');
    return;
  }
  try {
    await navigator.clipboard.writeText(file.text);
  } catch {
    // The browser refuses when the user has gone to the page meanwhile.
    requests.problems.set(id, {
      message: 'The clipboard cannot be written to.',
      hint: 'Click into the panel and try again.',
    });
  }
}
