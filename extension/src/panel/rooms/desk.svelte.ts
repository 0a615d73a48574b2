import type { RequestBodies } from '$ui/protocol/requests';
import { commandReplySchema } from '$ui/protocol/schemas/command';
import type { CommandReply, FeedName, Tab, TabID } from '$ui/protocol/protocol';
import * as v from 'valibot';
import type { Connection } from '../connection/connection';
import type { Bounds } from '../connection/request';
import type { RoomID } from '../drawer/rooms';
import type { Feeds } from './feeds';
import type { RoomDesk, SendItem, Told } from './desk';

/** What the desk of the rooms needs from the panel. */
export interface DeskParts {
  readonly connection: Connection;
  readonly feeds: Feeds;
  tab(): Tab | undefined;
  tabs(): readonly Tab[];
  live(): boolean;
  send(item: SendItem): void;
  open(room: RoomID): void;
  say(text: string, tone: 'ok' | 'danger'): void;
  showTab(tab: TabID): void;
  openLink(url: string): void;
}

/** The one RoomDesk of the panel. */
export class Desk implements RoomDesk {
  wanted = $state.raw<unknown>();
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get tab(): Tab | undefined {
    return this.#parts.tab();
  }

  get tabs(): readonly Tab[] {
    return this.#parts.tabs();
  }

  get live(): boolean {
    return this.#parts.live();
  }

  follow(
    feed: FeedName,
    tab: TabID | undefined,
    after: number,
    on: (report: Told) => void,
  ): () => void {
    return this.#parts.feeds.follow(feed, tab, after, on);
  }

  run(
    command: string,
    args: Readonly<Record<string, unknown>> = {},
    bounds?: Bounds,
  ): Promise<CommandReply> {
    const tab = this.tab?.id;
    const body = { command, args, ...(tab !== undefined && { tab }) };
    return this.#parts.connection.request('/command', body, commandReplySchema, bounds);
  }

  request<P extends keyof RequestBodies>(
    path: P,
    body: RequestBodies[P],
    bounds?: Bounds,
  ): Promise<unknown> {
    return this.#parts.connection.request(path, body, v.unknown(), bounds);
  }

  send(item: SendItem): void {
    this.#parts.send(item);
  }

  open(room: RoomID, wanted?: unknown): void {
    this.wanted = wanted;
    this.#parts.open(room);
  }

  showElement(ref: string, tab = this.tab?.id): void {
    if (!this.tabs.some(({ id }) => id === tab)) {
      this.say('The tab of this element is closed.', 'danger');
      return;
    }
    if (tab !== undefined && tab !== this.tab?.id) this.showTab(tab);
    this.open('elements', { ref, tab });
  }

  say(text: string, tone: 'ok' | 'danger' = 'ok'): void {
    this.#parts.say(text, tone);
  }

  showTab(tab: TabID): void {
    this.#parts.showTab(tab);
  }

  openLink(url: string): void {
    this.#parts.openLink(url);
  }
}
