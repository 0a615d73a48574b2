import type { IconName } from '$ui/icons';
import type { WindowShow } from '$ui/protocol/protocol';

/** A page of the app's window that the panel opens. */
export interface WindowEntry {
  readonly text: string;
  readonly icon: IconName;
  /** What is there, in one sentence. */
  readonly about: string;
  readonly show: WindowShow;
}

/** The app's window and its pages, for the palette and the panel's menu. */
export const windowPages: readonly WindowEntry[] = [
  {
    text: 'Open the window',
    icon: 'browser',
    about: 'The window of Pilotfish: sessions, approvals, schedules, settings and logs.',
    show: {},
  },
  {
    text: 'Settings',
    icon: 'settings',
    about: 'All settings, in the window of Pilotfish.',
    show: { page: 'settings' },
  },
  {
    text: 'Schedules',
    icon: 'clock',
    about: 'What runs at a time, when a page changes or when a file appears.',
    show: { page: 'schedules' },
  },
];
