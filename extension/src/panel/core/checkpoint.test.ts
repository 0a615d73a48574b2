import { expect, it } from 'vitest';
import { checkpointParts, checkpointText, overScreen } from './checkpoint';

const scrollback = 'older\r\n'.repeat(1000);

it('tells a screen apart from much scrollback', () => {
  const text = checkpointText('\x1b[31mnow', `${scrollback}\x1b[31mnow`);
  expect(checkpointParts(text)).toEqual({
    screen: '\x1b[31mnow',
    whole: `${scrollback}\x1b[31mnow`,
  });
});

it('is what a viewer that knows no parts draws, too', () => {
  const text = checkpointText('now', `${scrollback}now`);
  expect(text).toBe(`now${overScreen(`${scrollback}now`)}`);
});

it('tells a screen with little behind it once', () => {
  const text = checkpointText('now', 'older\r\nnow');
  expect(text).toBe('older\r\nnow');
  expect(checkpointParts(text)).toEqual({ screen: undefined, whole: 'older\r\nnow' });
});
