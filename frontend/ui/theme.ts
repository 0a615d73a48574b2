import type { Theme } from './protocol/protocol';

/** Where the last theme is kept, so that a face begins in it: before the backend has answered. */
const key = 'pilotfish.theme';

/** Shows a page in a theme; every colour follows the scheme of the document. */
export function applyTheme(theme: Theme): void {
  const scheme = theme === 'system' ? '' : theme;
  if (document.documentElement.style.colorScheme !== scheme)
    document.documentElement.style.colorScheme = scheme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A page without storage begins in the desktop's theme.
  }
}

/** The theme that was shown last. */
export function lastTheme(): Theme {
  try {
    const theme = localStorage.getItem(key);
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

/** Whether a theme is dark on this desktop. */
export function isDark(theme: Theme): boolean {
  if (theme !== 'system') return theme === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
