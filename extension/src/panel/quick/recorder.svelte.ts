import type { Recording, RecordingState, SavedFile, TabID } from '$ui/protocol/protocol';
import { FeedRecordings } from '$ui/protocol/protocol';
import {
  recordReplySchema,
  recordingSchema,
  recordingStateSchema,
} from '$ui/protocol/schemas/watching';
import * as v from 'valibot';
import type { QuickAction } from './actions';
import type { QuickDesk } from './desk';
import { dataOf, patience } from './results';

/** What a recording can be kept as. */
export type Form = 'steps' | 'webm' | 'gif';

/** The recordings of the session's tabs, by whoever began them. */
export class Recorder {
  /** The tabs that are recorded, or have a recording that waits to be saved. */
  states = $state.raw<readonly RecordingState[]>([]);
  /** The recording that ended last, with its tab. */
  ended = $state.raw<{ readonly tab: TabID; readonly recording: Recording }>();
  busy = $state(false);
  #following: (() => void) | undefined;

  /** Follows the session's recordings, until the returned function is called. */
  follow(desk: QuickDesk): () => void {
    this.#following ??= desk.follow(FeedRecordings, undefined, 0, ({ batch, error }) => {
      // The browser is starting, or has ended: nothing is recorded.
      if (error !== undefined) this.#leave();
      this.states = v.parse(v.array(recordingStateSchema), batch.items);
    });
    return () => {
      this.#leave();
    };
  }

  #leave(): void {
    this.#following?.();
    this.#following = undefined;
  }

  /** The recording of a tab. */
  of(tab: TabID | undefined): RecordingState | undefined {
    return this.states.find((one) => one.tab === tab);
  }

  async start(desk: QuickDesk): Promise<void> {
    dataOf(
      await desk.run('record', { do: 'start', video: 'webm' }, { timeout: patience }),
      v.unknown(),
    );
    desk.say('Recording. What you or an agent does in this tab is kept.');
  }

  /** Ends the recording of the tab beside the panel, and asks what to keep of it. */
  async end(desk: QuickDesk): Promise<void> {
    const { tab } = desk;
    if (tab === undefined) return;
    this.busy = true;
    try {
      const reply = await desk.run('record', { do: 'end' }, { timeout: patience });
      this.ended = { tab: tab.id, recording: dataOf(reply, recordingSchema) };
    } finally {
      this.busy = false;
    }
    desk.show(() => import('./RecordSheet.svelte'));
  }

  /** Saves the recording in one form, and returns the files. */
  async save(desk: QuickDesk, form: Form, name: string): Promise<readonly SavedFile[]> {
    const args = form === 'steps' ? { do: 'save', name } : { do: 'save', video: form };
    const reply = await desk.run('record', args, { timeout: 300_000 });
    const { routine, playwright, video } = dataOf(reply, recordReplySchema);
    return [routine, playwright, video].filter((one) => one !== undefined);
  }

  async discard(desk: QuickDesk): Promise<void> {
    dataOf(await desk.run('record', { do: 'discard' }, { timeout: patience }), v.unknown());
    this.ended = undefined;
  }
}

/** The one state of recordings in a panel. */
export function recorder(desk: QuickDesk): Recorder {
  return desk.part('recorder', () => new Recorder());
}

/** A length of time as minutes and seconds: "1:05". */
export function lengthText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}

export const recordAction: QuickAction = {
  id: 'record',
  name: 'Record',
  icon: 'record',
  about: 'Record this tab as a routine, a Playwright test, a WebM or a GIF.',
  shortcut: { letter: 'X' },
  run: (desk) => {
    const all = recorder(desk);
    return all.of(desk.tab?.id) === undefined ? all.start(desk) : all.end(desk);
  },
  state: (desk) => {
    const all = recorder(desk);
    if (all.busy) return 'busy';
    return all.of(desk.tab?.id) === undefined ? undefined : 'on';
  },
};
