import { MessageError, type MessageCode } from '../messages/envelope';
import type { Reached } from '../page/reach';

/** The error for an action that an element does not support. */
export function notActable(message: string, hint = ''): MessageError {
  return new MessageError('not_actable', message, hint);
}

/**
 * The error for an element that cannot be acted on, in the same words as the app's own commands.
 */
export function refusal(now: Exclude<Reached, { state: 'ok' }>): MessageError {
  const again = 'Take a new snapshot.';
  const make = (code: MessageCode, message: string, hint = again): MessageError =>
    new MessageError(code, message, hint);
  switch (now.state) {
    case 'unknown':
      return make('no_element', `No element has the ref ${now.ref.slice(0, 40)} here.`);
    case 'gone':
      return make('gone', `${now.was} is no longer on the page.`);
    case 'changed':
      return make('changed', `${now.from} is ${now.to} now.`);
    case 'disabled':
      return make('disabled', `${now.line} is disabled.`, '');
    case 'hidden':
      return make('hidden', `${now.line} cannot be seen: ${now.why}.`);
    case 'inert':
      return make('inert', `Something modal keeps ${now.line} from everybody.`);
    case 'covered':
      return make('covered', `${now.line} is covered by ${now.by}.`, 'Act on that first.');
    case 'off-screen':
      return make('hidden', `${now.line} cannot be brought into view.`, 'Scroll what it is in.');
    case 'outside':
      return make('bad_argument', `That point is outside of ${now.line}.`, '');
  }
}
