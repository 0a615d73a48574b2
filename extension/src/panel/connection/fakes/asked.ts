import * as v from 'valibot';
import type { PanelMessage } from '$ui/protocol/protocol';
import type { Connection, Link } from '../connection';

/** One request that was made. */
export interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

type Answer = (body: Record<string, unknown>) => unknown;

/** A connection whose replies the test gives, by path; without one a reply is empty. */
export class AskedConnection implements Pick<Connection, 'request' | 'send' | 'link'> {
  readonly asked: Asked[] = [];
  readonly sent: PanelMessage[] = [];
  link: Link = 'live';
  answers: Record<string, Answer> = {};

  request<S extends v.GenericSchema>(
    path: string,
    body: unknown,
    schema: S,
  ): Promise<v.InferOutput<S>> {
    const said = body as Record<string, unknown>;
    this.asked.push({ path, body: said });
    return Promise.resolve()
      .then(() => this.answers[path]?.(said))
      .then((reply) => v.parse(schema, reply));
  }

  send(message: PanelMessage): void {
    this.sent.push(message);
  }

  /** The bodies of the requests of one path. */
  of(path: string): Record<string, unknown>[] {
    return this.asked.filter((one) => one.path === path).map(({ body }) => body);
  }

  /** As what takes a whole connection. */
  get whole(): Connection {
    return this as unknown as Connection;
  }
}
