import { OfflineError } from '../connection/connection';
import { RefusedError } from '../connection/request';
import type { QuickDesk } from './desk';

/** Does something for the user, and shows why when it fails. */
export async function perform(
  desk: Pick<QuickDesk, 'say'>,
  act: () => void | Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    desk.say(said(error), 'danger');
  }
}

function said(error: unknown): string {
  if (error instanceof RefusedError) return `${error.message} ${error.hint}`.trim();
  if (error instanceof OfflineError)
    return 'Pilotfish is not connected. Try again when it is connected.';
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'Pilotfish did not respond in time. Try again.';
  return error instanceof Error ? error.message : String(error);
}
