import type { ActivityEntry, ActivityKind, ActivityQuery } from '$ui/protocol/protocol';
import type { FakeBackend } from './backend';

/** A JPEG of 320 × 200 pixels. */
export const jpeg = [
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEA',
  'AAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRi',
  'WFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAA',
  'ADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABi',
  'mQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKn',
  'AAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMA',
  'LgAgADIAMAAxADb/2wBDABcQERQRDhcUEhQaGBcbIjklIh8fIkYyNSk5UkhXVVFIUE5bZoNvW2F8Yk5QcptzfIeLkpSS',
  'WG2grJ+OqoOPko3/2wBDARgaGiIeIkMlJUONXlBejY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2N',
  'jY2NjY2NjY2NjY3/wAARCADIAUADASIAAhEBAxEB/8QAGgABAAMBAQEAAAAAAAAAAAAAAAMFBgQCAf/EADwQAAICAgAE',
  'BAMFAwwDAQAAAAABAgMEERIUIZMFEzFUQVGBIjJhcZEGI6EVMzVSU3JzkrGywdIkQoKi/8QAGQEBAQEBAQEAAAAAAAAA',
  'AAAAAAECAwQF/8QAGREBAAMBAQAAAAAAAAAAAAAAAAESE1ER/9oADAMBAAIRAxEAPwDgAJ6MWV1crHOFdaeuKb0t/I6P',
  'nRHqAHQsSUrnXCyuWoOfFGW1pLZzhfAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOzGunDHlCeN59',
  'Epb001qWvg0cZJXfbTvyrZw3/Vk0FifFnVTXjZsZVxcVPGlN1z68PR9CKNjysKEsmXFw5EY8T6ai09r+BwO61zc3ZPjk',
  'tOXE9s+ccuDg4nwt74d9Njxqy2nK6d2ZTkLVFcJOKcdKOvu6/gJ2ZMFgRoUuCVcU9LpJ79GVcr7Z1quVs5QXpFybS+hL',
  'Zm2yhXGuU61GtQajN/a1vr/Eni3eMyMI5l0avuKbUdfLZCAVzkAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'HRyOX7W/tscjl+1v7bNmDNnqwjrGcjl+1v7bHI5ftb+2zZgWMI6xnI5ftb+2xyOX7W/ts2YFjCOsZyOX7W/tscjl+1v7',
  'bNmBYwjrGcjl+1v7bHI5ftb+2zZgWMI6xnI5ftb+2xyOX7W/ts2YFjCOsZyOX7W/tscjl+1v7bNmBYwjrGcjl+1v7bHI',
  '5ftb+2zZgWMI6xnI5ftb+2xyOX7W/ts2YFjCOsZyOX7W/tscjl+1v7bNmBYwjrGcjl+1v7bHI5ftb+2zZgWMI6xnI5ft',
  'b+2xyOX7W/ts2YFjCOsZyOX7W/tscjl+1v7bNmBYwjrGcjl+1v7bHI5ftb+2zZgWMI6xnI5ftb+2xyOX7W/ts2YFjCOs',
  'ZyOX7W/tscjl+1v7bNmBYwjrGcjl+1v7bHI5ftb+2zZgWMI6xnI5ftb+2xyOX7W/ts2YFjCOsZyOX7W/tscjl+1v7bNm',
  'BYwjrGcjl+1v7bHI5ftb+2zZgWMI6Ff4jn5WDCy1YldlMGlxedpvbS9OH5v5lgV37Qf0Nd/eh/viZd09GVNq55caKPK1',
  'xcN3Fw9N9ei0Tq6puCVkG7FuC4l9pfNfMpvFINeLRxknweIRhGX/AMS3L/8ALI/D4XWW5FUNqeDRLGrb/rNvTX0UALuG',
  'TRZbKqF9crI+sIzTa+h7sshVBzsnGEF6yk9JFBXLGsxvDaMSCWXVZW5xUdSrS+/xfx/PZY+P/wBB5f8Ac/5A7K8mi6co',
  'VXVzlH70YyTa/M+PJoV6pd9atfpW5ri/QrFbjZHiGAsDW6eLzOFa4IcOuF/Lrrp+BWKMljW4uTkYtN7sk5cdEna5cW1J',
  'PfX4aaQGlty8altW5FVbWtqU0tb9D3ZfVVX5ltsIQ/rSkkv1K/GqhPxzPlZGMpKuqO2vg09nDUqf5KwJ25UMedTn5bsh',
  'xQ0m1pr8tfFAX9dkLYKdU4zi/SUXtM8WZWPVYq7b6oTfpGU0m/oQ+GXyyMVzlXGGpyScE1GaX/sk/gyr8SsjZfmwvujR',
  'wpKFaqjKVy4fXqnvr06emgLu3Ipo1511de02uOSXRev+qPM8zFrjCU8mmKsW4NzS4l+HzKjGir7/AAOVq42sWUtvr14Y',
  'dSPJ3j+K5fMWYlcbeFVvJpclKGtaT2l676AaE56sqEoSlbKutK11r94mm09L6/gefDK3V4bRDzPN4YaU+Fra+HR9fQqJ',
  'wjZh8E0nGXirTT+K8xgXtORTkJui6u1J6bhJPX6Hp2QjZGtzipyTcYt9Xr10jhjFQ/aBqKUVLF29fHUun+p98Wg40Qy6',
  '1uzFl5vT4x9JL9Ngdvm18c4eZHigk5LfWK/E805NF6k6Lq7FH1cJJ6/QpZ1WW+C3ZUoSlLKtjdZBLb8riX2f8q/1J65U',
  'ZPi9M/D+BwjTON061qPXXCn+O0wLPz6fKjb5sPLlrhnxLT36aZ8nlY9c+CzIqjLaXDKaT2/RFBzNS8EwcRy/8iu2qE6/',
  'jBqa3v5Flh1QfjfiNjinNeWk2vRcIHVm5XKVQs4OPishXretcTS3/Ekqvpv4vJtrs4XqXBJPX5lf+0PD/Jq44uUfOr3F',
  'Lba4l0I67KbvFoW+HKE410TVrrWk3tcMfz6MCzryse2x11X1TmvWMZptfQSyseFyqnfVGx+kHNJv6GcVsZT8OsWTGV7u',
  'hx011Riqt9GnpbXrrq+p1W3VYmXe8a2rInZbuWNOv95xbSen8vp9QLarLU8rKplFQWPw7m5eu1v6HqeZjV1wsnkVRhP7',
  'snNJS/J/EpcqucvFcycoytxYSrd1MfWS4ej/ABS+XxPmTao+KTyHdixouqgqbL6nOLj12k00l1+AFtl+JY+HZjwushFX',
  'SaUnNJJa3v8AL4fU6oTjZCM65KUJLalF7TRQqEMbE8MsssjZRVfLdnA4xjFqWuj9F6L9C4qy8ey2FNVilKVfmxUV0cd6',
  '3v0AnAAAAAAAAAAAAAAAAAAAhy8aGZi2Y9jkoWLTcfUmAAAAAAAAAAAAAAAIMzEjmVeVZZZGt/ejBpca+T/D8icAEkkk',
  'lpL0SAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADkdcLr7vNhGfDJJcS3pcKf/LA6wVWTbjUZCpWBK6fBxvy64vS3r4tHquz',
  'w2yFUly681JwUlFN/RgWYOLycTc15dG4fe+yvs9N9fkeo4+NKKlCmppraaiuoHWCHEf7jXylKK/JSaRMAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA5ofz+R/iL/bE6TnlXbG2cq1CSm0/tSa09a+T+QHBkY113iylXdbRDyNOcIrr',
  '9r020zlzcedVF2LVC5VxpUao1VKXmdH96TT11/IuNZP9nV3H/wBRrJ/s6u4/+oFVmV28dNcU951cabfmtdW/8vEv0LhJ',
  'RSSWkuiRBy1ryFe6a3YlpN3SaS/Ba0iXWT/Z1dx/9QPWJ/MP/En/ALmTEdFbrqUW03tt6+be/wDkkAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD//Z',
].join('');

/** An entry as a test describes it; the fake numbers it. */
export type Said = Partial<ActivityEntry> & Pick<ActivityEntry, 'command'>;

export const claude = {
  kind: 'terminal',
  id: 'k3',
  name: 'claude in t1',
  agent: 'Claude Code',
} as const;
export const you = { kind: 'person', name: 'you' } as const;

/** The activity of a backend: what is recorded, searched and followed. */
export class FakeActivity {
  readonly entries: ActivityEntry[] = [];
  readonly shots = new Set<number>();
  /** The queries of the panel, in order. */
  readonly asked: ActivityQuery[] = [];
  /** Why the next search fails; empty for no failure. */
  refuse = '';
  /** Indexes that are no longer stored. */
  lost = 0;
  readonly #made: FakeBackend;

  constructor(made: FakeBackend) {
    this.#made = made;
    made.rooms.routes.set('/activity/search', (body) => this.#search(body as ActivityQuery));
    made.rooms.routes.set('/activity/shot', (body) => {
      const { index } = body as { index: number };
      if (this.shots.has(index))
        return [200, { kind: 'image', name: 'moment', mime: 'image/jpeg', data: jpeg }];
      return [400, { error: { code: 'bad_argument', message: 'There is no screenshot.' } }];
    });
  }

  /** Records entries, and tells the panels that follow. */
  add(...said: Said[]): void {
    const items = said.map((one) => {
      const entry: ActivityEntry = {
        index: this.entries.length + 1,
        time: new Date(Date.UTC(2026, 2, 4, 12, 0, this.entries.length)).toISOString(),
        actor: claude,
        session: 'default',
        ok: true,
        durationMs: 12,
        ...one,
      };
      this.entries.push(entry);
      return { entry };
    });
    this.#made.rooms.feed('activity', ...items);
  }

  /** The screenshot of an entry is there now. */
  shot(index: number): void {
    this.shots.add(index);
    this.#made.rooms.feed('activity', { shot: index });
  }

  #search(q: ActivityQuery): [number, unknown] {
    this.asked.push(q);
    if (this.refuse !== '') {
      const error = { code: 'internal', message: this.refuse };
      this.refuse = '';
      return [500, { error }];
    }
    const text = (q.text ?? '').toLowerCase();
    const kind = (entry: ActivityEntry): ActivityKind => entry.kind ?? 'command';
    const all = this.entries.filter(
      (entry) =>
        entry.index > this.lost &&
        (!q.before || entry.index < q.before) &&
        (!q.tab || entry.tab === q.tab) &&
        (!q.until || entry.time < q.until) &&
        (!q.actor || `${entry.actor.kind} ${entry.actor.id ?? ''}`.trim() === q.actor) &&
        (!q.kinds || q.kinds.includes(kind(entry)) || (!entry.ok && q.kinds.includes('error'))) &&
        (text === '' ||
          JSON.stringify([entry.command, entry.summary, entry.args, entry.actor.name])
            .toLowerCase()
            .includes(text)),
    );
    const entries = all.slice(-(q.limit ?? 100));
    const rest = all.length > entries.length;
    const gap = this.lost > 0 && !rest ? [{ from: 1, to: this.lost }] : [];
    return [
      200,
      {
        entries,
        gaps: gap,
        before: rest ? entries[0]?.index : 0,
        last: this.entries.length,
        shots: entries.map(({ index }) => index).filter((index) => this.shots.has(index)),
        ...(q.markdown && { markdown: entries.map((e) => `- ${e.command}\n`).join('') }),
      },
    ];
  }
}
