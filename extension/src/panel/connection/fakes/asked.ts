import * as v from 'valibot';
import type { PanelMessage } from '$ui/protocol/protocol';
import type { Connection, Link } from '../connection';

/** One recorded request. */
export interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

type Answer = (body: Record<string, unknown>) => unknown;

/** A connection that takes its replies from the test, by path. Without one the reply is empty. */
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

  /** The bodies of the requests to one path. */
  of(path: string): Record<string, unknown>[] {
    return this.asked.filter((one) => one.path === path).map(({ body }) => body);
  }

  /** The same object, for code that needs a whole Connection. */
  get whole(): Connection {
    return this as unknown as Connection;
  }
}
