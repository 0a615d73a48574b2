import { rooms, type RoomID } from './rooms';

/** The storage key of the drawer's state, in chrome.storage.local. */
export const drawerKey = 'pilotfish.drawer';

/** The smallest height of the open drawer, in CSS pixels. */
export const leastHeight = 96;

/** The stored value as it was read, not validated. */
type Kept = { room?: unknown; height?: unknown; full?: unknown } | undefined;

/**
 * Which room is open below the face, and how high. The panel's document is closed and
 * opened often, so the extension's storage keeps it.
 */
export class DrawerState {
  /** The open room; undefined while the drawer is closed. */
  room = $state<RoomID>();
  /** The height that the user chose, in CSS pixels; undefined for the default. */
  height = $state<number>();
  /** Whether the drawer takes the room of the face, too. */
  full = $state(false);
  /** A short mark beside a room's name, such as a count of errors. */
  badges = $state.raw<Readonly<Partial<Record<RoomID, string>>>>({});
  /** The room that was open last. */
  #last: RoomID | undefined;
  readonly #area: chrome.storage.StorageArea;

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area;
  }

  /** Reads the stored state. A choice made during the read is newer. */
  async load(): Promise<void> {
    const kept = (await this.#area.get(drawerKey))[drawerKey] as Kept;
    if (this.#last !== undefined) return;
    if (typeof kept?.height === 'number') this.height = Math.max(leastHeight, kept.height);
    this.full = kept?.full === true;
    const room = rooms.find(({ id }) => id === kept?.room)?.id;
    if (room !== undefined) this.open(room);
  }

  open(room: RoomID): void {
    this.room = this.#last = room;
    this.#keep();
  }

  close(): void {
    this.room = undefined;
    this.full = false;
    this.#keep();
  }

  /** Closes the drawer, or opens the room that was open last. */
  toggle(): void {
    const room = this.#last ?? rooms[0]?.id;
    if (this.room !== undefined) this.close();
    else if (room !== undefined) this.open(room);
  }

  resize(height: number): void {
    this.height = Math.max(leastHeight, Math.round(height));
    this.#keep();
  }

  /** Takes the full panel, or gives it back. */
  fill(full: boolean): void {
    this.full = full;
    this.#keep();
  }

  #keep(): void {
    const { room, height, full } = this;
    void this.#area.set({ [drawerKey]: { room, height, full } });
  }
}

/** Moves the focus to the strip of the open drawer. Returns false if it is closed. */
export function focusDrawer(): boolean {
  const tab = document.querySelector<HTMLElement>('.drawer.open [role=tab][aria-selected=true]');
  tab?.focus();
  return tab !== null;
}
