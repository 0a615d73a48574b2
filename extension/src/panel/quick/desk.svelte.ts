import type { Capability, PanelEvent, PickedElement, TabID } from '$ui/protocol/protocol';
import { Picker } from '../chat/picker.svelte';
import type { DrawerState } from '../drawer/drawer.svelte';
import { Desk, type DeskParts } from '../rooms/desk.svelte';
import type { Face } from '../state/faces.svelte';
import type { QuickDesk, Sheet } from './desk';

/** What the desk of the quick actions needs from the panel, besides what the rooms need. */
export interface QuickParts extends DeskParts {
  readonly drawer: DrawerState;
  face(): Face;
  cannot(): readonly Capability[];
  /** The name of this panel. */
  panel(): string;
  /** Moves the focus to the input of the face in view. */
  focusFace(): void;
}

/** The one desk of the panel, for its rooms and for its quick actions. */
export class PanelDesk extends Desk implements QuickDesk {
  /** What the palette shows: everything, or what one action offers; undefined while it is closed. */
  searching = $state.raw<{ readonly action?: string | undefined }>();
  /** The component that an action shows, made anew each time that one is asked for. */
  sheet = $state.raw<{ readonly component: Sheet }>();
  /** The tab beside which the window wants the picker of sign-ins. */
  signInsAt = $state.raw<TabID>();
  readonly picker: Picker;
  readonly drawer: DrawerState;
  readonly #quick: QuickParts;
  /** What was asked for last with show(). */
  #shown?: () => Promise<{ readonly default: Sheet }>;
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- the parts are reactive themselves
  readonly #kept = new Map<string, object>();

  constructor(parts: QuickParts) {
    super(parts);
    this.#quick = parts;
    this.drawer = parts.drawer;
    this.picker = new Picker(parts.connection, () => parts.panel());
  }

  get face(): Face {
    return this.#quick.face();
  }

  get cannot(): readonly Capability[] {
    return this.#quick.cannot();
  }

  focusFace(): void {
    this.#quick.focusFace();
  }

  palette(action?: string): void {
    // The key that opened it closes it.
    const again = this.searching !== undefined && action === undefined;
    this.searching = again ? undefined : { action };
  }

  show(load: () => Promise<{ readonly default: Sheet }>): void {
    this.#shown = load;
    void load().then((module) => {
      // One that was asked for later may have been loaded earlier.
      if (this.#shown === load) this.sheet = { component: module.default };
    });
  }

  pick(): Promise<PickedElement | undefined> {
    const { tab } = this;
    return tab === undefined ? Promise.resolve(undefined) : this.picker.pick(tab.id);
  }

  part<T extends object>(key: string, make: () => T): T {
    const kept = this.#kept.get(key) ?? make();
    this.#kept.set(key, kept);
    return kept as T;
  }

  /** Handles an event of the backend. */
  apply(event: PanelEvent): void {
    this.picker.apply(event);
    if (event.type !== 'show' || event.signIns !== true) return;
    const there = this.tabs.find(({ id }) => id === event.tab)?.windowId;
    const here = this.tab?.windowId;
    // Every panel of the session receives the event. Only the panels of the tab's window show the
    // picker.
    if (here === undefined || there === undefined || here === there) this.signInsAt = event.tab;
  }
}
