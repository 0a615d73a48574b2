import type { RequestBodies } from '$ui/protocol/requests';
import {
  chatExportReplySchema,
  chatPathsReplySchema,
  chatSearchReplySchema,
} from '$ui/protocol/schemas/chat';
import { pastSessionsReplySchema } from '$ui/protocol/schemas/pastsession';
import type {
  AgentKind,
  ChatExportReply,
  ChatFound,
  ConversationID,
  PastSessionsReply,
  QueueAction,
} from '$ui/protocol/protocol';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import { OfflineError, type Connection } from '../connection/connection';
import { RefusedError } from '../connection/request';

/** Why something did not work, and what to do about it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** The user's requests to the backend about conversations, and their errors. */
export class Requests {
  /** Why the last request failed, by conversation. */
  readonly problems = new SvelteMap<ConversationID, Problem>();
  readonly #connection: Connection;
  /** Why the last automatic request failed, such as the save of a draft. */
  readonly #unkept = new Map<ConversationID, Problem>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  cancel(id: ConversationID): Promise<boolean> {
    return this.#do(id, '/chat/cancel', { conversation: id });
  }

  restart(id: ConversationID): Promise<boolean> {
    return this.#do(id, '/chat/restart', { conversation: id });
  }

  terminal(id: ConversationID): Promise<boolean> {
    return this.#do(id, '/chat/terminal', { conversation: id });
  }

  resume(id: ConversationID): Promise<boolean> {
    return this.#do(id, '/chat/resume', { conversation: id });
  }

  remove(id: ConversationID): Promise<boolean> {
    return this.#do(id, '/chat/delete', { conversation: id });
  }

  signIn(id: ConversationID, method: string): Promise<boolean> {
    return this.#do(id, '/chat/sign-in', { conversation: id, method });
  }

  answer(id: ConversationID, approval: string, option: string): Promise<boolean> {
    return this.#do(id, '/chat/answer', { conversation: id, approval, option });
  }

  /**
   * Sets a rule for all conversations from now on: whether messages with this word
   * go to the strong model.
   */
  rule(id: ConversationID, word: string, strong: boolean): Promise<boolean> {
    return this.try(id, () => this.post('/chat/route-rule', { word, strong }));
  }

  queue(
    id: ConversationID,
    action: QueueAction,
    message: string,
    part: { text?: string; to?: number } = {},
  ): Promise<boolean> {
    return this.#do(id, '/chat/queue', { conversation: id, action, message, ...part });
  }

  /** Exports a whole conversation. */
  async export(
    id: ConversationID,
    format: 'markdown' | 'json',
  ): Promise<ChatExportReply | undefined> {
    let made: ChatExportReply | undefined;
    await this.try(id, async () => {
      const body = { conversation: id, format };
      made = await this.#connection.request('/chat/export', body, chatExportReplySchema);
    });
    return made;
  }

  /** Searches all conversations for a text; throws when the panel is offline. */
  async search(text: string): Promise<ChatFound[]> {
    const body = { text, limit: 50 };
    const reply = await this.#connection.request('/chat/search', body, chatSearchReplySchema);
    return reply.found;
  }

  /**
   * The sessions of agents, begun here or elsewhere; with an agent, those that it lists
   * itself, too. Throws when the panel is offline.
   */
  past(agent: AgentKind): Promise<PastSessionsReply> {
    const body = agent === '' ? {} : { agent };
    // The agent is started for the question.
    return this.#connection.request('/chat/past', body, pastSessionsReplySchema, {
      timeout: 60_000,
    });
  }

  /** Files of the working folder whose path matches the text; throws when the panel is offline. */
  async paths(text: string): Promise<string[]> {
    const schema = chatPathsReplySchema;
    return (await this.#connection.request('/chat/paths', { text }, schema)).paths;
  }

  dismiss(id: ConversationID): void {
    this.problems.delete(id);
  }

  /**
   * Runs a request. Returns false if it failed, with the reason in `problems`. On
   * success it removes the problem, but not one that another request reported
   * meanwhile.
   */
  async try(id: ConversationID, run: () => Promise<unknown>): Promise<boolean> {
    const before = this.problems.get(id);
    try {
      await run();
      if (this.problems.get(id) === before) this.problems.delete(id);
      return true;
    } catch (error) {
      this.problems.set(id, problem(error));
      return false;
    }
  }

  /**
   * Runs an automatic request, such as the save of a draft. On success it only
   * removes a problem that an earlier automatic request reported.
   */
  async keep(id: ConversationID, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      const own = this.#unkept.get(id);
      if (own !== undefined && this.problems.get(id) === own) this.problems.delete(id);
      return true;
    } catch (error) {
      const own = problem(error);
      this.#unkept.set(id, own);
      this.problems.set(id, own);
      return false;
    }
  }

  /** Sends a request whose reply has no content; throws RefusedError. */
  async post<P extends keyof RequestBodies>(path: P, body: RequestBodies[P]): Promise<void> {
    await this.#connection.request(path, body, v.unknown());
  }

  #do<P extends keyof RequestBodies>(
    id: ConversationID,
    path: P,
    body: RequestBodies[P],
  ): Promise<boolean> {
    return this.try(id, () => this.post(path, body));
  }
}

function problem(error: unknown): Problem {
  if (error instanceof RefusedError) return { message: error.message, hint: error.hint };
  if (error instanceof OfflineError)
    return { message: 'Pilotfish is not connected.', hint: 'Your message is kept.' };
  return { message: 'Pilotfish doesn’t respond.', hint: 'Try again.' };
}
