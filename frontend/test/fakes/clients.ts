// The connected clients and the stored data of the fake app.
import type {
  Client,
  ClientsRequest,
  StoredData,
  StoredKind,
  StoredPart,
  StoredRequest,
  StoredUnit,
} from '../../ui/protocol/protocol';

function failed(message: string, hint: string): Error {
  return new Error(JSON.stringify({ code: 'bad_argument', message, hint }));
}

export function fakeClients(): Record<string, (...args: unknown[]) => unknown> {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 1000).toISOString();
  let clients: Client[] = [
    { id: 'a1', kind: 'mcp', name: 'Zed', made: ago(190), used: ago(5), open: 1 },
    {
      id: 'b2',
      kind: 'terminal',
      name: 'Claude Code',
      session: 'default',
      tab: 't1',
      made: ago(4400),
      used: ago(1),
      open: 0,
    },
    {
      id: 'e5',
      kind: 'control',
      name: 'Firefox on Linux (E5K7)',
      made: ago(60),
      used: ago(2),
      expires: ago(-421),
      open: 1,
    },
    { id: 'c3', kind: 'panel', name: 'Side panel', session: 'default', made: ago(30), open: 2 },
    { id: 'd4', kind: 'shell', name: 'Command line', made: ago(30), open: 0 },
  ];
  const kind = (
    id: StoredKind,
    title: string,
    about: string,
    loss: string,
    unit: StoredUnit,
    parts: StoredPart[],
  ): StoredData => ({ kind: id, title, about, loss, unit, parts });
  const oldest = '2026-02-03T09:30:00Z';
  const inUse = true;
  let data = [
    kind(
      'profiles',
      'Browser profiles',
      'History, bookmarks, extensions and settings of the browsers.',
      'The whole profile, and with it all sign-ins and caches.',
      'file',
      [
        { session: 'default', bytes: 84_300_000, count: 1204, oldest, inUse },
        { session: 'work', bytes: 51_000_000, count: 980, oldest },
      ],
    ),
    kind(
      'conversations',
      'Conversations',
      'What you and the agents of Chat said, with pictures and files.',
      'All conversations, their pictures and their files.',
      'conversation',
      [{ session: 'work', bytes: 1_200_000, count: 1, oldest }],
    ),
    kind('routines', 'Routines', 'Steps that you saved.', 'All routines.', 'routine', []),
    kind(
      'logs',
      'Logs of the app',
      'What the app did and what went wrong.',
      'The older log files.',
      'file',
      [{ bytes: 12_345, count: 3, oldest }],
    ),
  ];
  return {
    Clients: (request) => {
      const { do: word, id } = request as ClientsRequest;
      if (word !== 'list' && !clients.some((one) => one.id === id))
        throw failed('no connected client has this id', 'it may have ended by itself');
      if (word === 'revoke')
        clients = clients.flatMap((one) => {
          if (one.id !== id) return [one];
          return one.kind === 'mcp' ? [{ ...one, open: 0, revoked: ago(0) }] : [];
        });
      if (word === 'allow') clients = clients.filter((one) => one.id !== id);
      return { clients };
    },
    Stored: (request) => {
      const { do: word, kind: asked, session, stop } = request as StoredRequest;
      let freed = 0;
      if (word === 'list') return { data: data.map((one) => ({ ...one, parts: [] })), freed };
      if (word === 'delete')
        data = data.map((one) => {
          if (one.kind !== asked) return one;
          const goes = (part: StoredPart) => session === undefined || part.session === session;
          if (stop !== true && one.parts.some((part) => goes(part) && part.inUse === true))
            throw failed('session default is running and uses this data', 'stop it first');
          freed = one.parts.filter(goes).reduce((sum, { bytes }) => sum + bytes, 0);
          return { ...one, parts: one.parts.filter((part) => !goes(part)) };
        });
      return { data: data.filter((one) => one.kind === asked), freed };
    },
  };
}
