import type { IconName } from '$ui/icons';
import type { Page } from '../backend';

/** The pages in the order of the list. Ctrl and a page's number opens it. */
export const pages: readonly { page: Page; icon: IconName; text: string }[] = [
  { page: 'sessions', icon: 'sessions', text: 'Sessions' },
  { page: 'approvals', icon: 'alert', text: 'Approvals' },
  { page: 'schedules', icon: 'clock', text: 'Schedules' },
  { page: 'settings', icon: 'settings', text: 'Settings' },
  { page: 'logs', icon: 'logs', text: 'Logs' },
];
