import type { IconName } from '$ui/icons';
import type { MenuItem } from '$ui/menu-item';
import { CapabilitySignIns, type Capability } from '$ui/protocol/protocol';
import { cleanAction } from './clean.svelte';
import type { QuickDesk } from './desk';
import { recordAction } from './recorder.svelte';
import { sendChoices } from './send';
import type { Shortcut } from './shortcuts';
import { screenshotAction } from './shots.svelte';

/** One action of the row above the faces. It is in the command palette and the help, too. */
export interface QuickAction {
  readonly id: string;
  /** The accessible name and the tooltip. */
  readonly name: string;
  readonly icon: IconName;
  /** What it does, in one sentence. */
  readonly about: string;
  readonly shortcut?: Shortcut;
  /** What the session's browser must be able to do for it. */
  readonly needs?: Capability;
  /** What happens on a press. Its error is shown to the user. */
  readonly run: (desk: QuickDesk) => void | Promise<void>;
  /** Several ways to do it: the row shows them as a menu, the palette each as an entry. */
  readonly menu?: (desk: QuickDesk) => readonly MenuItem[];
  /** Whether it is on or busy. Reactive. */
  readonly state?: (desk: QuickDesk) => 'on' | 'busy' | undefined;
}

/** The command palette. The panel's menu has it, too. */
const paletteAction: QuickAction = {
  id: 'palette',
  name: 'Search everything',
  icon: 'search',
  about: 'Find an action, a room, a tab, a conversation, a task or a setting.',
  shortcut: { letter: 'K', plain: true },
  run: (desk) => {
    desk.palette();
  },
};

/** The drawer with the rooms, below the face. */
const drawerAction: QuickAction = {
  id: 'drawer',
  name: 'Rooms',
  icon: 'drawer',
  about: 'Open or close the drawer with the rooms below the face.',
  shortcut: { letter: 'J', plain: true },
  run: (desk) => {
    // The focus must not be lost with the room that had it.
    const inside = (document.activeElement?.closest('.drawer') ?? null) !== null;
    desk.drawer.toggle();
    if (inside && desk.drawer.room === undefined) desk.focusFace();
  },
  state: ({ drawer }) => (drawer.room === undefined ? undefined : 'on'),
};

/** The picker of sign-ins. The window opens it, too. */
export const signInsAction: QuickAction = {
  id: 'signins',
  name: 'Sign-ins',
  icon: 'key',
  about: 'Import sign-ins of chosen sites from another browser on this computer.',
  needs: CapabilitySignIns,
  run: (desk) => {
    desk.show(() => import('../signins/SignIns.svelte'));
  },
};

/** The actions of the row, in its order. */
export const quickActions: readonly QuickAction[] = [
  cleanAction,
  screenshotAction,
  recordAction,
  {
    id: 'send',
    name: 'Send to agent',
    icon: 'handover',
    about: 'Put something of the page into the input of the agent in view.',
    shortcut: { letter: 'E' },
    run: (desk) => {
      desk.palette('send');
    },
    menu: sendChoices,
  },
  signInsAction,
];

/** The actions on the panel itself, at the end of the row. */
export const shellActions: readonly QuickAction[] = [drawerAction, paletteAction];

/** All actions. */
export const allActions: readonly QuickAction[] = [...quickActions, ...shellActions];

/** Those of the actions that the session's browser can do. Reactive. */
export const offered = (actions: readonly QuickAction[], { cannot }: QuickDesk): QuickAction[] =>
  actions.filter(({ needs }) => needs === undefined || !cannot.includes(needs));
