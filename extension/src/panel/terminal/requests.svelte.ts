import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import * as v from 'valibot';
import { agentsFileSchema } from '$ui/protocol/schemas/agent';
import { pastSessionsReplySchema } from '$ui/protocol/schemas/pastsession';
import type { AgentKind, PastSessionsReply, TabID, TerminalInfo } from '$ui/protocol/protocol';
import type { Connection } from '../connection/connection';
import type { SessionStore } from '../state/session.svelte';
import { problem, type Problem } from './problem';

/** What the panel asks of the backend about terminals, and why it did not work. */
export abstract class Requests {
  /** Why the last start for a tab failed. */
  readonly problems = new SvelteMap<TabID, Problem>();
  /** Tabs whose terminal the user closed here; no terminal starts there automatically. */
  protected readonly left = new SvelteSet<TabID>();
  readonly connection: Connection;
  readonly #session: SessionStore;

  constructor(needs: { readonly connection: Connection; readonly session: SessionStore }) {
    this.connection = needs.connection;
    this.#session = needs.session;
  }

  /** Gives the keyboard to the terminal that is shown. */
  abstract focus(): void;

  /** Ends what runs in a terminal and starts it again, or another agent; a shell also confined. */
  async restart(
    terminal: TerminalInfo,
    agent?: AgentKind,
    command?: string,
    confined?: boolean,
  ): Promise<void> {
    await this.#attempt(terminal.tab, async () => {
      await this.connection.request(
        '/pty-restart',
        {
          terminal: terminal.id,
          ...(agent !== undefined && { agent }),
          ...(command !== undefined && { command }),
          ...(confined !== undefined && { confined }),
        },
        v.unknown(),
      );
      this.focus();
    });
  }

  /** Ends the program of a terminal and removes the terminal. */
  async close(terminal: TerminalInfo): Promise<void> {
    await this.#attempt(terminal.tab, async () => {
      this.left.add(terminal.tab);
      await this.connection.request('/pty-close', { terminal: terminal.id }, v.unknown());
    });
  }

  /** Searches again for installed agents. */
  async probe(tab: TabID): Promise<void> {
    await this.#attempt(tab, async () => {
      const agents = await this.connection.request('/agents/probe', {}, agentsFileSchema);
      this.#session.apply({ type: 'agents', agents });
    });
  }

  /** The sessions of agents that can be continued; throws when the backend does not answer. */
  past(): Promise<PastSessionsReply> {
    return this.connection.request('/chat/past', {}, pastSessionsReplySchema);
  }

  dismiss(tab: TabID): void {
    this.problems.delete(tab);
  }

  async #attempt(tab: TabID, action: () => Promise<void>): Promise<void> {
    this.problems.delete(tab);
    try {
      await action();
    } catch (error) {
      this.problems.set(tab, problem(error));
    }
  }
}
