import type { IconName } from './icons';

/** One entry of a Menu. */
export interface MenuItem {
  text: string;
  icon: IconName;
  tone?: 'normal' | 'danger';
  disabled?: boolean;
  run: () => void;
}
