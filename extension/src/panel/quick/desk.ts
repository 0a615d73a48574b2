import type { Component } from 'svelte';
import type { Capability, PickedElement } from '$ui/protocol/protocol';
import type { DrawerState } from '../drawer/drawer.svelte';
import type { RoomDesk } from '../rooms/desk';
import type { Face } from '../state/faces.svelte';

/** A component that an action shows above the panel, such as a dialog. */
export type Sheet = Component<{ desk: QuickDesk; close: () => void }>;

/** What a quick action can see and do: what a room can, and more of the panel around it. */
export interface QuickDesk extends RoomDesk {
  /** The face in view. Reactive. */
  readonly face: Face;
  /** What the session's browser cannot do. Reactive. */
  readonly cannot: readonly Capability[];
  readonly drawer: DrawerState;
  /** Moves the focus to the input of the face in view. */
  focusFace(): void;
  /** Opens the command palette; with the id of an action, only with what that action offers. */
  palette(action?: string): void;
  /** Loads and shows a component until it calls `close`. One at a time: the next replaces it. */
  show(load: () => Promise<{ readonly default: Sheet }>): void;
  /**
   * Lets the user pick an element of the page; undefined if they cancel. Throws RefusedError
   * or OfflineError.
   */
  pick(): Promise<PickedElement | undefined>;
  /**
   * The state of an action, made when it is first asked for. It lives as long as the panel, so
   * that `state` of an action can read it.
   */
  part<T extends object>(key: string, make: () => T): T;
}
