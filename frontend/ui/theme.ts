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

/** The storage key of the last text size. */
const sizeKey = 'pilotfish.textSize';

/** Shows a page with texts of this size, in percent; every size follows the document's. */
export function applyTextSize(percent: number): void {
  const size = percent >= 50 && percent <= 300 ? percent : 100;
  const wanted = size === 100 ? '' : `${String(size)}%`;
  if (document.documentElement.style.fontSize !== wanted)
    document.documentElement.style.fontSize = wanted;
  try {
    localStorage.setItem(sizeKey, String(size));
  } catch {
    // A page without storage starts with the normal size.
  }
}

/** The text size that was shown last, in percent. */
export function lastTextSize(): number {
  try {
    const size = Number(localStorage.getItem(sizeKey));
    return size > 0 ? size : 100;
  } catch {
    return 100;
  }
}
