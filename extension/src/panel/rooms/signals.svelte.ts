import { tabSignalsSchema } from '$ui/protocol/schemas/observed';
import type { TabSignals } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { RoomID } from '../drawer/rooms';
import type { RoomDesk } from './desk';

const quiet: TabSignals = { errors: 0, warnings: 0, blocked: 0, mocked: 0 };

/** What the panel shows of the tab beside it while no room is open. */
export class Signals {
  now = $state.raw<TabSignals>(quiet);

  /** Follows a tab until the returned function is called. */
  follow(desk: RoomDesk, tab: string): () => void {
    const end = desk.follow('signals', tab, 0, ({ batch }) => {
      const read = v.safeParse(tabSignalsSchema, batch.items.at(-1));
      if (read.success) this.now = read.output;
    });
    return () => {
      end();
      this.now = quiet;
    };
  }

  /** What is changed about the tab's network, in words; empty for nothing. */
  get changes(): string {
    return changesText(this.now);
  }

  /** The marks in the strip of the drawer. */
  get badges(): Partial<Record<RoomID, string>> {
    const { errors } = this.now;
    return {
      ...(errors > 0 && { console: errors > 99 ? '99+' : String(errors) }),
      ...(this.changes !== '' && { network: '!' }),
    };
  }
}

const rules = (n: number, what: string): string => `${n} ${what}`;

/** What is changed about a tab's network, in words; empty for nothing. */
export function changesText({ blocked, mocked, throttle }: TabSignals): string {
  return [
    ...(throttle === undefined
      ? []
      : [throttle === 'offline' ? 'offline' : `slowed to ${throttle}`]),
    ...(blocked === 0 ? [] : [rules(blocked, 'blocked')]),
    ...(mocked === 0 ? [] : [rules(mocked, 'mocked')]),
  ].join(', ');
}

/** Ends everything that is changed about the network of the tab beside the panel. */
export async function turnOff(desk: RoomDesk): Promise<void> {
  for (const args of [{ do: 'unblock' }, { do: 'throttle', what: 'off' }]) {
    const reply = await desk.run('network', args);
    if (!reply.ok) throw new Error(reply.error?.message ?? 'The network is still changed.');
  }
  desk.say('The network of this tab is as usual again.');
}
