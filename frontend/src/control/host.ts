// The app as a page in any browser reaches it: what Wails adds to the window, over HTTP and one
// WebSocket. `pilotfish control` gives the address; see docs/adr/274.
import * as v from 'valibot';
import { CodeNotRunning, type ControlCall, type ControlToken } from '$ui/protocol/protocol';
import {
  controlAnswerSchema,
  controlEventSchema,
  controlTokenSchema,
} from '$ui/protocol/schemas/control';
import { BackendError, sentence, type Host } from '../backend';

/** The path below which everything of the page is served. */
const prefix = '/control/';
/** The close code of a socket whose token is not valid any more. */
const unauthorized = 4401;
/** How long the page waits before it connects again, in milliseconds: first, and at most. */
const [firstWait, longestWait] = [200, 5000];

/** What the server says of an error that is not one of an operation. */
const refusalSchema = v.object({
  error: v.object({ code: v.string(), message: v.string(), hint: v.optional(v.string(), '') }),
});

/** Takes the code out of the page's address, so that neither history nor a copy of it has it. */
export function takeCode(location: Location, history: History): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? '';
  if (location.hash !== '') history.replaceState(null, '', location.pathname);
  return code;
}

/** Exchanges a code for a token. */
export async function exchange(code: string): Promise<ControlToken> {
  const answer = await fetch(`${prefix}token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) throw await refusal(answer);
  return v.parse(controlTokenSchema, await answer.json());
}

/** The error of a request that was refused. */
async function refusal(answer: Response): Promise<BackendError> {
  const said = v.safeParse(refusalSchema, await answer.json().catch(() => undefined));
  if (!said.success) return new BackendError(`The server answers ${String(answer.status)}`);
  const { code, message, hint } = said.output.error;
  return new BackendError(sentence(message), { code, hint });
}

/** Connects to the app. `ended` is called once, when the page may do nothing any more. */
export function controlHost(
  { token, name }: ControlToken,
  ended: (why: BackendError) => void,
): Host {
  const heard = new Map<string, Set<(...data: unknown[]) => void>>();
  const emit = (event: string, data: unknown): void => {
    for (const listener of heard.get(event) ?? []) listener(data);
  };
  let over = false;
  let current: WebSocket | undefined;
  let wait = firstWait;

  function end(why: BackendError): void {
    if (over) return;
    over = true;
    current?.close();
    ended(why);
  }

  const post = (call: ControlCall, keepalive = false): Promise<Response> =>
    fetch(`${prefix}call`, {
      method: 'POST',
      keepalive,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(call),
    });

  async function call(op: string, session: string, input: unknown): Promise<unknown> {
    let answer: Response;
    try {
      answer = await post({ op, session, in: input });
    } catch {
      throw new BackendError('Pilotfish cannot be reached', {
        code: CodeNotRunning,
        hint: 'check the connection to its computer',
      });
    }
    if (!answer.ok) {
      const why = await refusal(answer);
      // Each request has passed the same gates before: only the token can be at fault.
      if ([401, 403, 404].includes(answer.status)) end(why);
      throw why;
    }
    const { data, failed } = v.parse(controlAnswerSchema, await answer.json());
    if (failed) {
      const { message, ...rest } = failed;
      throw new BackendError(message, rest);
    }
    return data ?? null;
  }

  const socket = (path: string): WebSocket =>
    new WebSocket(new URL(prefix + path, location.href.replace(/^http/, 'ws')), [
      'pilotfish.v1',
      `token.${token}`,
    ]);

  /** Follows the events, as long as the token is valid. */
  function follow(): void {
    if (over) return;
    const events = (current = socket('events'));
    events.onopen = () => {
      wait = firstWait;
      // What changed while nobody listened.
      void Promise.all([call('State', '', null), call('Logs', '', null)]).then(
        ([state, log]) => {
          emit('state', state);
          emit('log', log);
        },
        () => undefined, // the socket ends, too
      );
    };
    events.onmessage = ({ data }) => {
      const event = v.safeParse(v.pipe(v.string(), v.parseJson(), controlEventSchema), data);
      if (event.success) emit(event.output.event, event.output.data);
    };
    events.onclose = ({ code, reason }) => {
      if (over) return;
      if (code === unauthorized) {
        // The next request says why.
        void call('State', '', null).catch(() => undefined);
        return;
      }
      emit('lost', reason);
      setTimeout(() => {
        wait = Math.min(wait * 2, longestWait);
        // A token that has ended shows here: a socket does not say why it was refused.
        void call('State', '', null).then(follow, follow);
      }, wait);
    };
  }
  follow();

  // A page that is loaded again has lost its token.
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted && !over) void post({ op: 'LeaveControl' }, true).catch(() => undefined);
  });

  const none = (): Promise<never> =>
    Promise.reject(new BackendError('Files are chosen at the computer of Pilotfish'));
  return {
    go: { main: { Bridge: { Call: call, ChooseFolder: none, ChooseFile: none } } },
    runtime: {
      EventsOn(event, listener) {
        const listeners = heard.get(event) ?? new Set();
        heard.set(event, listeners.add(listener));
        return () => listeners.delete(listener);
      },
    },
    control: {
      name,
      socket,
      async leave() {
        await call('LeaveControl', '', null);
        end(new BackendError('You have left this page'));
      },
    },
  };
}
