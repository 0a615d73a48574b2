import { untrack } from 'svelte';
import type { RoomDesk } from '../desk';
import { factsItem, firstTicked, withTick, type SectionID } from './facts';
import { Inspection, type Change } from './inspection.svelte';

/**
 * What the room Inspector shows and does: the inspection of the tab beside the panel, and what
 * the user has set in the room, which stays when the tab or the element is another one.
 */
export class Inspector {
  /** The sections that "Send to agent" includes. */
  ticked = $state.raw(firstTicked);
  /** The text that shown computed values contain. */
  filter = $state('');
  /** Whether the rules of the browser are shown, too. */
  browserRules = $state(false);
  /** The class being typed. */
  newClass = $state('');
  /** The attribute being typed. */
  newAttribute = $state('');

  readonly #desk: () => RoomDesk;
  /** The tab beside the panel. */
  readonly tab = $derived.by(() => this.#desk().tab?.id);
  /** The inspection of that tab. Another tab is another one: nothing of the earlier one applies. */
  readonly seen = $derived.by(() => {
    // eslint-disable-next-line @typescript-eslint/no-meaningless-void-operator -- it depends on it
    void this.tab;
    return untrack(() => new Inspection(this.#desk()));
  });
  /** What is known of the inspected element. */
  readonly details = $derived(this.seen.details);
  /** Whether there is a page to pick from. */
  readonly ready = $derived.by(() => this.#desk().live && this.tab !== undefined);
  /** The rules of the element itself. */
  readonly ownRules = $derived(
    this.details?.rules.filter(
      ({ pseudo, origin }) => pseudo === undefined && (this.browserRules || origin !== 'browser'),
    ) ?? [],
  );
  /** The rules of its pseudo-elements. */
  readonly pseudoRules = $derived(
    this.details?.rules.filter((rule) => rule.pseudo !== undefined) ?? [],
  );
  /** The computed values that pass the filter. */
  readonly computed = $derived(
    this.details?.computed.filter(({ name, value }) =>
      `${name}: ${value}`.includes(this.filter.trim().toLowerCase()),
    ) ?? [],
  );
  /** The classes of the element. */
  readonly classes = $derived(
    (this.details?.attributes.find(({ name }) => name === 'class')?.value ?? '')
      .split(/\s+/)
      .filter(Boolean),
  );
  /** Whether there is an edit to undo. */
  readonly undoable = $derived(
    this.seen.edits?.edits.some(({ undone }) => undone !== true) ?? false,
  );
  /** Whether there is an edit to make again. */
  readonly redoable = $derived(
    this.seen.edits?.edits.some(({ undone }) => undone === true) ?? false,
  );

  /** Takes the desk as a function, for the room may get another one. */
  constructor(desk: () => RoomDesk) {
    this.#desk = desk;
  }

  /** Changes the inspected element, or a rule that applies to it. It reports whether it worked. */
  readonly edit = (what: string, args: Change): Promise<boolean> => this.seen.edit(what, args);

  /** Includes a section in what is sent, or leaves it out. */
  tick(id: SectionID, on: boolean): void {
    this.ticked = withTick(this.ticked, id, on);
  }

  /** Copies a text to the clipboard and says so. */
  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#desk().say('Copied');
    } catch {
      this.#desk().say('The clipboard cannot be written to', 'danger');
    }
  }

  /** Sends the ticked sections to the agent. */
  send(): void {
    const d = this.details;
    if (d !== undefined) this.#desk().send(factsItem(d, this.seen.edits, this.ticked));
  }

  /** Adds the class that was typed. */
  async addClass(): Promise<void> {
    const name = this.newClass.trim();
    if (name !== '' && (await this.edit('class', { name }))) this.newClass = '';
  }

  /** Adds the attribute that was typed: a name, or a name and a value. */
  async addAttribute(): Promise<void> {
    const [, name, value = ''] =
      /^\s*([^\s=]+)\s*(?:=\s*"?(.*?)"?)?\s*$/.exec(this.newAttribute) ?? [];
    if (name !== undefined && (await this.edit('attribute', { name, value })))
      this.newAttribute = '';
  }
}
