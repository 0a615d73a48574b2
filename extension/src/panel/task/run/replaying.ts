import { COMMAND_TIMEOUT, REPLAY_WAIT } from '../../core/timing';
import type { World } from '../browser/browser';
import { taskCommandReplySchema } from '$ui/protocol/schemas/task';
import type { Mark } from '../core/element';
import type { Recipe } from '../core/recipe';
import { Replay } from '../core/replay';
import type { Model } from '../core/types';
import { locator } from '../browser/lines';

/** What a replay needs from its run. */
export interface ReplayingConfig {
  readonly task: string;
  readonly world: Pick<World, 'connection' | 'viewer'>;
  /** The current tab, and all tabs of the task. */
  readonly tab: () => string;
  readonly tabs: () => readonly string[];
  readonly recipe: Recipe;
  readonly values: Readonly<Record<string, string>>;
  readonly done: number;
  readonly model: Model | undefined;
}

/** Makes a replay that finds its elements through the task's own commands. */
export function replayOf({ task, world, tab, tabs, ...config }: ReplayingConfig): Replay {
  const run = (
    command: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    timeoutMs?: number,
  ) =>
    world.connection.request(
      '/task/command',
      {
        task,
        viewer: world.viewer(),
        command: { command, args, tab: tab(), ...(timeoutMs !== undefined && { timeoutMs }) },
      },
      taskCommandReplySchema,
      { signal, timeout: COMMAND_TIMEOUT },
    );
  return new Replay({
    ...config,
    tabs,
    observe: async (signal) => {
      const reply = await run('snapshot', { full: true }, signal);
      if (!reply.ok)
        throw new Error(reply.error?.message ?? 'No snapshot of the page is possible.');
      return reply.text;
    },
    appear: async (mark: Mark, signal) => {
      await run('wait', { for: 'element', value: locator(mark) }, signal, REPLAY_WAIT);
    },
  });
}
