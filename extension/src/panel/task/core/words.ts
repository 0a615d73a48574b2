import { beginning } from '../../core/words';
import { CodeDenied } from '$ui/protocol/protocol';
import { withoutEnvelopes } from '$ui/foreign';
import { answerOf } from './answer';
import type { Action, Result } from './types';
import type { VerbAction } from './verbs';

/** Describes the result of an action for the user. */
export function resultWords(result: Result): string {
  if (result.code === CodeDenied) return 'Denied by you';
  return withoutEnvelopes(result.shown ?? answerOf(result));
}

/** Describes an action for the user; `onto` names the target of a drag. */
export function inWords(action: Action, target?: string, onto?: string): string {
  const thing =
    target === undefined || target === ''
      ? 'ref' in action
        ? (action.ref ?? 'the page')
        : ''
      : target;
  switch (action.do) {
    case 'click':
      if (action.hold !== undefined) return `Press and hold ${thing}`;
      return `${{ left: 'Click', right: 'Right-click', middle: 'Middle-click' }[action.button ?? 'left']} ${thing}${action.count === 2 ? ' twice' : ''}`;
    case 'hover':
      return `Point at ${thing}`;
    case 'type':
      return `Type “${short(action.text)}” into ${thing}${action.enter === true ? ' and press Enter' : ''}`;
    case 'secret':
      return `Enter the secret “${short(action.secret)}” into ${thing}${action.enter === true ? ' and press Enter' : ''}`;
    case 'select':
      return `Choose “${short(action.option)}” in ${thing}`;
    case 'check':
      return `Switch ${action.on === false ? 'off' : 'on'} ${thing}`;
    case 'drag':
      return `Drag ${thing} to ${onto === undefined || onto === '' ? action.to : onto}`;
    case 'keydown':
      return `Hold down ${action.keys ?? ''}`;
    case 'keyup':
      return `Release ${action.keys ?? 'all keys'}`;
    case 'mouse':
      return mouseInWords(action, action.ref === undefined ? '' : thing);
    case 'tap':
      return `Tap ${thing}${action.count === 2 ? ' twice' : ''}`;
    case 'swipe':
      return `Swipe ${thing} ${action.to === undefined ? wayOf(action) : `to ${onto === undefined || onto === '' ? action.to : onto}`}`;
    case 'pinch':
      return `Pinch ${thing} to ${action.scale ?? ''} times its size`;
    case 'scroll':
      return action.ref !== undefined && action.down === undefined && action.right === undefined
        ? `Scroll to ${thing}`
        : `Scroll ${(action.down ?? 0) < 0 ? 'up' : 'down'}`;
    case 'press':
      return `Press ${action.keys}`;
    case 'upload':
      return `Upload ${short(action.file)}`;
    case 'dialog':
      return action.answer === 'accept' ? 'Accept the dialog' : 'Dismiss the dialog';
    case 'wait':
      return action.for === 'time'
        ? `Wait ${action.value ?? ''} ms`
        : `Wait until ${action.for === 'gone' ? `“${short(action.value ?? '')}” is gone` : action.for === 'quiet' ? 'the network is quiet' : action.for === 'load' ? 'the page is loaded' : `“${short(action.value ?? '')}” appears`}`;
    case 'goto':
      return `Go to ${short(action.url)}`;
    case 'back':
      return 'Go back';
    case 'forward':
      return 'Go forward';
    case 'reload':
      return 'Load the page again';
    case 'screenshot':
      return 'Take a screenshot';
    case 'read':
      return action.ref === undefined ? 'Read the page' : `Read ${thing}`;
    case 'table':
      return 'Read the tables';
    case 'find':
      return `Find “${short(action.text)}”`;
    case 'more':
      return 'Read more of the page';
    case 'extract':
      return `Collect ${short(action.fields?.join(', ') ?? 'data')}`;
    case 'eval':
      return 'Run JavaScript in the page';
    case 'open_tab':
      return action.url === undefined ? 'Open a tab' : `Open ${short(action.url)} in a tab`;
    case 'switch_tab':
      return `Switch to tab ${action.tab}`;
    case 'close_tab':
      return 'Close the tab';
    case 'tabs':
      return 'List the tabs';
    case 'tool':
      return `Use ${short(action.tool)} of ${short(action.server)}`;
    case 'ask':
      return 'Ask you';
    case 'done':
      return action.success ? 'Finish' : 'Stop';
  }
}

function mouseInWords({ action }: VerbAction, thing: string): string {
  const at = thing === '' ? '' : ` on ${thing}`;
  if (action === 'down') return `Press the mouse button${at}`;
  return action === 'up' ? `Release the mouse button${at}` : `Move the mouse to ${thing}`;
}

/** The direction of a swipe by pixels. */
function wayOf({ right = 0, down = 0 }: VerbAction): string {
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? 'to the right' : 'to the left';
  return down > 0 ? 'down' : 'up';
}

/** The longest quoted text in a line, in characters. */
const most = 60;

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${beginning(line, most - 1)}…` : line;
}
