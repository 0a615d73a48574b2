import * as v from 'valibot';
import { commandReplySchema } from '$ui/protocol/schemas/command';
import {
  detailsSchema,
  editsSchema,
  inspectorEventSchema,
  pickedSchema,
} from '$ui/protocol/schemas/inspector';
import { emulationSchema } from '$ui/protocol/schemas/tabstate';
import type { Details, Edits, Emulation } from '$ui/protocol/protocol';
import type { RoomDesk, Told } from '../desk';

/** How long the user has to pick an element, in milliseconds. */
const pickTimeout = 120_000;

/** The arguments of one change; see the command edit. */
export type Change = Readonly<Record<string, string | number | boolean>>;

/** The element that the user inspects. It lives as long as the room is open on a tab. */
export class Inspection {
  details = $state.raw<Details>();
  edits = $state.raw<Edits>();
  emulation = $state.raw<Emulation>({});
  /** Why what is shown is not current; undefined while it is. */
  stale = $state<string>();
  gone = $state(false);
  problem = $state<string>();
  picking = $state(false);
  busy = $state(false);
  readonly #desk: RoomDesk;
  #picker: AbortController | undefined;
  /** The reads in flight and those that wait; and the changes of states. */
  #reading: Promise<void> = Promise.resolve();
  #forcing: Promise<void> = Promise.resolve();
  /** What to read once the read in flight ends. */
  #next: { element: string | undefined; step: string | undefined } | undefined;

  constructor(desk: RoomDesk) {
    this.#desk = desk;
  }

  /** Handles what the backend tells of the inspected element. */
  told({ batch, error }: Told): void {
    if (error !== undefined) {
      this.stale = 'Changes of the page are not reported: ' + error.message;
      return;
    }
    for (const item of batch.items) {
      const event = v.safeParse(inspectorEventSchema, item);
      if (!event.success || this.details === undefined) continue;
      switch (event.output.kind) {
        case 'gone':
          this.gone = true;
          break;
        case 'changed':
          this.stale = 'The page changed';
          break;
        case 'edited':
        case 'forced':
          void this.read();
          void this.history();
      }
    }
  }

  /**
   * Reads an element: the one of a ref, or without one the element that is shown by then,
   * or its neighbour in a direction. While another read runs it waits for that; of those
   * that wait, what the user asked for wins over a mere refresh. It resolves when none waits.
   */
  read(element?: string, step?: string): Promise<void> {
    if (!this.busy) this.#reading = this.#read(element, step);
    else if (element !== undefined || step !== undefined || this.#next === undefined)
      this.#next = { element, step };
    return this.#reading;
  }

  async #read(element?: string, step?: string): Promise<void> {
    const from = element ?? this.details?.ref;
    if (from === undefined) return;
    this.busy = true;
    const data = await this.#ask(
      'details',
      { element: from, ...(step !== undefined && { step }) },
      detailsSchema,
    );
    this.busy = false;
    if (data !== undefined) {
      this.details = data;
      this.stale = undefined;
      this.gone = false;
    }
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) await this.#read(next.element, next.step);
  }

  /** Lets the user pick an element of the page, until they do, give up, or the time is over. */
  async pick(): Promise<void> {
    if (this.picking) {
      this.stop();
      return;
    }
    const tab = this.#desk.tab?.id;
    const picker = new AbortController();
    this.#picker = picker;
    this.picking = true;
    this.problem = undefined;
    try {
      const reply = await this.#desk.request(
        '/command',
        { command: 'pick', ...(tab !== undefined && { tab }), timeoutMs: pickTimeout },
        { signal: picker.signal, timeout: pickTimeout + 5000 },
      );
      const got = v.parse(commandReplySchema, reply);
      if (!got.ok) {
        this.problem =
          got.error?.code === 'timeout' ? 'Nothing was picked in time.' : got.error?.message;
      } else {
        const ref = v.parse(pickedSchema, got.data).element?.ref;
        if (ref !== undefined) await this.read(ref);
      }
    } catch (error) {
      if (!picker.signal.aborted)
        this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (this.#picker === picker) {
        this.picking = false;
        this.#picker = undefined;
      }
    }
  }

  /** Ends the picker. */
  stop(): void {
    this.#picker?.abort();
    this.#picker = undefined;
    this.picking = false;
  }

  /** Makes a change, undoes one or makes it again. It reports whether it worked. */
  async change(args: Change): Promise<boolean> {
    const edits = await this.#ask('edit', args, editsSchema);
    if (edits === undefined) return false;
    this.edits = edits;
    await this.read();
    return true;
  }

  /** Changes the inspected element, or a rule that applies to it. */
  edit(what: string, args: Change): Promise<boolean> {
    return this.change({ element: this.details?.ref ?? '', what, ...args });
  }

  async history(): Promise<void> {
    const edits = await this.#ask('edit', { history: true }, editsSchema);
    if (edits !== undefined) this.edits = edits;
  }

  /** Forces a state of the element, or ends it. One after the other: a request has all states. */
  force(state: string): Promise<void> {
    this.#forcing = this.#forcing.then(() => this.#force(state));
    return this.#forcing;
  }

  async #force(state: string): Promise<void> {
    const d = this.details;
    if (d === undefined) return;
    const states = d.states.includes(state)
      ? d.states.filter((one) => one !== state)
      : [...d.states, state];
    if (await this.#run('force', { element: d.ref, states: states.join(',') || 'none' }))
      await this.read();
  }

  /** Changes what the tab is made to believe; without a command it only reads it. */
  async emulate(command = 'emulate', args: Change = {}): Promise<void> {
    const now = await this.#ask(command, args, emulationSchema);
    if (now === undefined) return;
    this.emulation = now;
    if (Object.keys(args).length > 0) await this.read();
  }

  async #run(command: string, args: Change): Promise<unknown> {
    try {
      const reply = await this.#desk.run(command, args);
      if (reply.ok) {
        this.problem = undefined;
        return reply.data ?? {};
      }
      if (
        command === 'details' &&
        (reply.error?.code === 'no_element' || reply.error?.code === 'gone')
      )
        this.gone = this.details !== undefined;
      this.problem = [reply.error?.message, reply.error?.hint].filter(Boolean).join(': ');
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    return undefined;
  }

  async #ask<S extends v.GenericSchema>(
    command: string,
    args: Change,
    schema: S,
  ): Promise<v.InferOutput<S> | undefined> {
    const data = await this.#run(command, args);
    if (data === undefined) return undefined;
    const read = v.safeParse(schema, data);
    if (read.success) return read.output;
    this.problem = 'The reply cannot be read: the app may be older than the panel.';
    return undefined;
  }
}
