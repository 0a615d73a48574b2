import type { Theme } from './protocol/protocol';

/**
 * The storage key of the last theme, so that a face starts with it before the backend has answered.
 */
const key = 'pilotfish.theme';

/** Shows a page in a theme; every colour follows the document's colour scheme. */
export function applyTheme(theme: Theme): void {
  const scheme = theme === 'system' ? '' : theme;
  if (document.documentElement.style.colorScheme !== scheme)
    document.documentElement.style.colorScheme = scheme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A page without storage starts in the desktop's theme.
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
