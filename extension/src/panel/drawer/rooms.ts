import type { Component } from 'svelte';
import type { IconName } from '$ui/icons';
import type { RoomDesk } from '../rooms/desk';

/** The names of the rooms, also of those that a link may name. */
export type RoomID = 'activity' | 'elements' | 'inspector' | 'network' | 'console';

/** A room of the drawer. Its component is loaded when the user first opens it. */
export interface Room {
  readonly id: RoomID;
  readonly name: string;
  readonly icon: IconName;
  /** The tooltip: what the user finds there. */
  readonly about: string;
  readonly load: () => Promise<{ readonly default: Component<{ desk: RoomDesk }> }>;
}

/** The rooms, in the order of the strip. */
export const rooms: readonly Room[] = [
  {
    id: 'activity',
    name: 'Activity',
    icon: 'logs',
    about: 'What you and your agents did in this session',
    load: () => import('../rooms/activity/ActivityRoom.svelte'),
  },
  {
    id: 'elements',
    name: 'Elements',
    icon: 'elements',
    about: 'What an agent can act on in this page',
    load: () => import('../rooms/elements/ElementsRoom.svelte'),
  },
  {
    id: 'inspector',
    name: 'Inspector',
    icon: 'pick',
    about: 'Everything about one element, and a way to change it',
    load: () => import('../rooms/inspector/InspectorRoom.svelte'),
  },
  {
    id: 'network',
    name: 'Network',
    icon: 'network',
    about: 'The requests of this tab: read, filter, copy, block, mock and slow them down.',
    load: () => import('../rooms/network/NetworkRoom.svelte'),
  },
  {
    id: 'console',
    name: 'Console',
    icon: 'console',
    about: 'What the page of this tab writes, its errors, and scripts that you run in it.',
    load: () => import('../rooms/console/ConsoleRoom.svelte'),
  },
];
