import { describe, expect, it } from 'vitest';
import { confinedWords } from './confinement';

const missing = {
  code: 'not_confined' as const,
  message: 'bubblewrap is not installed',
  hint: 'install the package bubblewrap',
};

describe('confinedWords', () => {
  it('explains a confined agent and offers nothing', () => {
    const words = confinedWords(true, false, { on: true });
    expect(words).toMatchObject({ state: 'closed', label: 'Confined', hint: '' });
    expect(words.text).toContain('cannot see Pilotfish’s settings and state');
    expect(words.action).toBeUndefined();
  });
  it('says that a confined agent reaches the desktop', () => {
    const desktop = { ...missing, message: 'this kernel cannot', hint: 'use a newer one' };
    for (const shell of [false, true]) {
      expect(confinedWords(true, shell, { on: true, desktop })).toMatchObject({
        state: 'closed-without-desktop',
        label: 'Confined without the desktop',
        hint: 'This kernel cannot. Use a newer one.',
      });
    }
    expect(confinedWords(false, false, { on: true, desktop }).state).toBe('open');
  });
  it('lets the user confine their shell and free it again', () => {
    expect(confinedWords(false, true, { on: true }).action).toBe('Confine this shell');
    expect(confinedWords(true, true, { on: true }).action).toBe('Stop confining');
  });
  it('offers no switch where nothing can be confined, and says why', () => {
    const words = confinedWords(false, true, { on: true, problem: missing });
    expect(words.action).toBeUndefined();
    expect(words.hint).toBe('Bubblewrap is not installed. Install the package bubblewrap.');
  });
  it('says how an agent that is not confined becomes so', () => {
    expect(confinedWords(false, false, { on: true, problem: missing }).hint).toContain('Install');
    expect(confinedWords(false, false, { on: false }).hint).toContain('Settings');
    expect(confinedWords(false, false, { on: true }).hint).toContain('Restart');
  });
});
