import type {
  CommandReply,
  CommandRequest,
  FeedName,
  PanelEvent,
  PanelMessage,
} from '$ui/protocol/protocol';

type Answer = (request: CommandRequest) => Partial<CommandReply>;

/** The backend of the panel's rooms: commands that tests answer, and feeds that they fill. */
export class FakeRooms {
  /** The commands that the panel ran as the user, in order. */
  readonly commands: CommandRequest[] = [];
  /** What each command answers; one that is missing here is unknown. */
  readonly answers = new Map<string, Answer>();
  /** What other routes of rooms answer, by their path. */
  readonly routes = new Map<string, (body: unknown) => [number, unknown]>();
  readonly #items = new Map<FeedName, unknown[]>();
  readonly #following = new Map<number, { feed: FeedName; tell: (event: PanelEvent) => void }>();

  /** The feeds that panels follow now. */
  get followed(): FeedName[] {
    return [...this.#following.values()].map(({ feed }) => feed);
  }

  /** Adds items to a feed: to those who follow it now, and to those who come later. */
  feed(name: FeedName, ...items: unknown[]): void {
    const all = this.#items.get(name) ?? [];
    all.push(...items);
    this.#items.set(name, all);
    for (const [id, { feed, tell }] of this.#following)
      if (feed === name) tell({ type: 'feed', id, batch: { items, last: all.length } });
  }

  /** Ends a feed with an error, for those who follow it now. */
  fail(name: FeedName, message: string): void {
    for (const [id, { feed, tell }] of this.#following)
      if (feed === name)
        tell({
          type: 'feed',
          id,
          batch: { items: [], last: 0 },
          error: { code: 'unknown_tab', message },
        });
  }

  /** Handles a message of a panel. */
  hear(message: PanelMessage, tell: (event: PanelEvent) => void): void {
    const id = message.id ?? 0;
    if (message.type === 'feed_unfollow') this.#following.delete(id);
    if (message.type !== 'feed_follow' || message.feed === undefined) return;
    this.#following.set(id, { feed: message.feed, tell });
    const all = this.#items.get(message.feed) ?? [];
    const items = all.slice(message.after ?? 0);
    if (items.length > 0) tell({ type: 'feed', id, batch: { items, last: all.length } });
  }

  /** A panel's socket closed. */
  left(tell: (event: PanelEvent) => void): void {
    for (const [id, one] of this.#following) if (one.tell === tell) this.#following.delete(id);
  }

  answer(path: string, body: unknown): [number, unknown] | undefined {
    if (path !== '/command') return this.routes.get(path)?.(body);
    const request = body as CommandRequest;
    this.commands.push(request);
    const answer = this.answers.get(request.command);
    const reply = answer?.(request) ?? {
      ok: false,
      error: { code: 'unknown_command', message: `There is no command ${request.command}.` },
    };
    return [200, { ok: true, text: '', durationMs: 1, ...reply }];
  }
}
