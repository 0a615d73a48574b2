import { expect, it } from 'vitest';
import type { Action } from './types';
import { inWords, resultWords } from './words';

it.each<[Action, string]>([
  [{ do: 'click', ref: 'e1' }, 'Click X'],
  [{ do: 'click', ref: 'e1', button: 'right', count: 2 }, 'Right-click X twice'],
  [{ do: 'click', ref: 'e1', hold: 900 }, 'Press and hold X'],
  [{ do: 'type', ref: 'e1', text: 'a\n b', enter: true }, 'Type “a b” into X and press Enter'],
  [{ do: 'check', ref: 'e1' }, 'Switch on X'],
  [{ do: 'check', ref: 'e1', on: false }, 'Switch off X'],
  [{ do: 'drag', ref: 'e1', to: 'e2' }, 'Drag X to e2'],
  [{ do: 'mouse', action: 'down' }, 'Press the mouse button'],
  [{ do: 'mouse', action: 'up', ref: 'e1' }, 'Release the mouse button on X'],
  [{ do: 'keyup' }, 'Release all keys'],
  [{ do: 'swipe', ref: 'e1', right: -50, down: 20 }, 'Swipe X to the left'],
  [{ do: 'swipe', ref: 'e1', down: -20 }, 'Swipe X up'],
  [{ do: 'scroll', ref: 'e1' }, 'Scroll to X'],
  [{ do: 'scroll', down: -300 }, 'Scroll up'],
  [{ do: 'scroll' }, 'Scroll down'],
  [{ do: 'wait', for: 'gone', value: 'Loading' }, 'Wait until “Loading” is gone'],
  [{ do: 'wait', for: 'text', value: 'Done' }, 'Wait until “Done” appears'],
  [{ do: 'wait', for: 'quiet' }, 'Wait until the network is quiet'],
  [{ do: 'wait', for: 'time', value: '200' }, 'Wait 200 ms'],
  [{ do: 'read' }, 'Read the page'],
  [{ do: 'read', ref: 'e1' }, 'Read X'],
  [{ do: 'open_tab' }, 'Open a tab'],
  [{ do: 'open_tab', url: 'https://a.test/' }, 'Open https://a.test/ in a tab'],
  [{ do: 'done', success: false, text: '' }, 'Stop'],
])('%j is “%s”', (action, words) => {
  expect(inWords(action, 'X')).toBe(words);
});

it('a result is shown without what is for the model', () => {
  const result = {
    ok: false,
    text: 'the user denied goto: do not try again',
    shown: 'the user denied goto',
  };
  expect(resultWords({ ...result, code: 'denied' })).toBe('Denied by you');
  expect(resultWords({ ...result, code: 'covered', shown: 'It is covered' })).toBe('It is covered');
  expect(resultWords({ ok: true, text: 'The person answers: blue', answer: 'blue' })).toBe('blue');
  expect(resultWords({ ok: true, text: '<page-1 origin="x">Save</page-1>' })).toBe('Save');
});

it('an element without a name is its ref', () => {
  expect(inWords({ do: 'hover', ref: 'e7' })).toBe('Point at e7');
  expect(inWords({ do: 'drag', ref: 'e7', to: 'e8' }, '', 'the basket')).toBe(
    'Drag e7 to the basket',
  );
});

it('a long text is cut between characters', () => {
  const words = inWords({ do: 'find', text: `${'a'.repeat(58)}👍👍` });
  expect(words).toBe(`Find “${'a'.repeat(58)}…”`);
});
