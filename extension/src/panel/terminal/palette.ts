import type { ITheme } from '@xterm/xterm';

// The sixteen colours are chosen for their backgrounds: each colour used for text has
// a contrast of at least 4.5 : 1 (palette.test.ts).

export const light: ITheme = {
  background: '#ffffff',
  foreground: '#16191a',
  cursor: '#0f766e',
  cursorAccent: '#ffffff',
  selectionBackground: '#bfe0dc',
  selectionInactiveBackground: '#dfe6e6',
  overviewRulerBorder: '#00000000',
  scrollbarSliderBackground: '#16191a26',
  scrollbarSliderHoverBackground: '#16191a40',
  scrollbarSliderActiveBackground: '#16191a59',
  black: '#16191a',
  red: '#b3261e',
  green: '#12784a',
  yellow: '#865500',
  blue: '#2360c5',
  magenta: '#8d31a3',
  cyan: '#0f766e',
  white: '#515a5b',
  brightBlack: '#616b6c',
  brightRed: '#cb2f26',
  brightGreen: '#0f7f4b',
  brightYellow: '#936000',
  brightBlue: '#2f6bdc',
  brightMagenta: '#a23dba',
  brightCyan: '#0a7d73',
  brightWhite: '#6a7475',
};

export const dark: ITheme = {
  background: '#121415',
  foreground: '#e1e6e6',
  cursor: '#5fd3c5',
  cursorAccent: '#121415',
  selectionBackground: '#24504b',
  selectionInactiveBackground: '#2c3435',
  overviewRulerBorder: '#00000000',
  scrollbarSliderBackground: '#e9eded26',
  scrollbarSliderHoverBackground: '#e9eded40',
  scrollbarSliderActiveBackground: '#e9eded59',
  black: '#2a2f30',
  red: '#f28b82',
  green: '#6fcf97',
  yellow: '#e3b661',
  blue: '#86b0fb',
  magenta: '#d9a0ea',
  cyan: '#5fd3c5',
  white: '#c9cfcf',
  brightBlack: '#8d9798',
  brightRed: '#ffaaa2',
  brightGreen: '#8fe3b3',
  brightYellow: '#f3cf86',
  brightBlue: '#a9c8ff',
  brightMagenta: '#e9bdf5',
  brightCyan: '#8be6db',
  brightWhite: '#f5f8f8',
};

/** The colours of the matches of the find bar. */
export const matches = {
  light: {
    matchBackground: '#fbe3a4',
    matchOverviewRuler: '#c98a00',
    activeMatchBackground: '#f2b84b',
    activeMatchColorOverviewRuler: '#96560a',
  },
  dark: {
    matchBackground: '#5a4716',
    matchOverviewRuler: '#c98a00',
    activeMatchBackground: '#8a6a14',
    activeMatchColorOverviewRuler: '#edb65f',
  },
};
