import type { TaskID } from '$ui/protocol/protocol';
import { taskToolReplySchema, taskToolsReplySchema } from '$ui/protocol/schemas/tasktools';
import type { Connection } from '../../connection/connection';
import { COMMAND_TIMEOUT } from '../../core/timing';
import { enveloped } from '../browser/pagewords';
import { toolLines } from '../core/tools';
import type { Action, Result, ServerTools } from '../core/types';

/** What a task needs for the user's MCP servers. */
export interface UserServersConfig {
  readonly task: TaskID;
  readonly connection: Pick<Connection, 'request'>;
  /** The name of this panel. Only the panel that runs a task may act for it. */
  readonly viewer: () => string;
  /** Resolves when the journal is written: nothing is done that is not in it. */
  readonly written: () => Promise<void>;
}

/** The user's MCP servers as a task uses them. The app starts them and asks the user. */
export class UserServers implements ServerTools {
  constructor(private readonly config: UserServersConfig) {}

  async offered(signal: AbortSignal): Promise<{ told: string; notices: readonly string[] }> {
    const { task, viewer, connection } = this.config;
    const { servers } = await connection.request(
      '/task/tools',
      { task, viewer: viewer() },
      taskToolsReplySchema,
      { signal, timeout: COMMAND_TIMEOUT },
    );
    const lines = toolLines(servers);
    const notices = servers.flatMap(({ name, more = 0, error }) => {
      if (error !== undefined) {
        const said = error.detail === undefined ? '' : ` It wrote: ${error.detail}`;
        return [`The task goes on without ${name}: ${error.message.replace(/\.$/, '')}.${said}`];
      }
      return more > 0 ? [`${name} has ${String(more)} tools more than a task can use.`] : [];
    });
    return { told: lines === '' ? '' : enveloped('mcp', lines), notices };
  }

  async call(action: Action & { do: 'tool' }, signal: AbortSignal): Promise<Result> {
    const { task, viewer, connection, written } = this.config;
    const { server, tool, arguments: given } = action;
    await written();
    const { ok, text, error, kept } = await connection.request(
      '/task/tool',
      { task, viewer: viewer(), server, tool, ...(given !== undefined && { arguments: given }) },
      taskToolReplySchema,
      { signal, timeout: COMMAND_TIMEOUT },
    );
    const whole = (answer: string): string =>
      error === undefined
        ? answer
        : [error.message, error.hint ?? '', answer].filter((part) => part !== '').join(': ');
    // It is written with the task, so credentials are masked.
    const shown = [error?.message ?? '', kept.text].filter((part) => part !== '').join(': ');
    return {
      ok,
      text: whole(text),
      kept: { arguments: kept.arguments, text: whole(kept.text) },
      ...(error !== undefined && { code: error.code, shown }),
    };
  }
}
