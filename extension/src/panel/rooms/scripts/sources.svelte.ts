import { list } from '$ui/protocol/border';
import { mappedPlaceSchema } from '$ui/protocol/schemas/observed';
import type { CodePlace, MappedPlace } from '$ui/protocol/protocol';
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import type { RoomDesk } from '../desk';

const places = list(mappedPlaceSchema);

const key = ({ url, line, column }: CodePlace): string => `${url}:${line}:${column}`;

/** The sources of positions in scripts, as the page's source maps say. */
export class Sources {
  readonly #found = new SvelteMap<string, MappedPlace>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing is drawn from it
  readonly #asked = new Set<string>();
  readonly #desk: RoomDesk;

  constructor(desk: RoomDesk) {
    this.#desk = desk;
  }

  /** The source of a position; undefined while it is not known. Reactive. */
  of(place: CodePlace): MappedPlace | undefined {
    return this.#found.get(key(place));
  }

  /** Looks up positions that are in view. Positions stay as they are when that fails. */
  async look(stack: readonly CodePlace[]): Promise<void> {
    // Only scripts at a web address have a source map at one.
    const fresh = stack.filter(
      (place) => /^https?:/u.test(place.url) && !this.#asked.has(key(place)),
    );
    if (fresh.length === 0) return;
    for (const place of fresh) this.#asked.add(key(place));
    try {
      const reply = await this.#desk.run('console', {
        do: 'where',
        what: fresh.map((place) => key(place).replaceAll(' ', '%20')).join(' '),
      });
      const read = v.safeParse(places, reply.data);
      for (const place of reply.ok && read.success ? read.output : [])
        this.#found.set(key(place), place);
    } catch {
      for (const place of fresh) this.#asked.delete(key(place)); // the connection was lost
    }
  }

  /** Forgets what was looked up for an earlier tab or document. */
  reset(): void {
    this.#found.clear();
    this.#asked.clear();
  }
}

/** A position as one line: with its source where it is known. */
export function placeText(place: CodePlace, mapped?: MappedPlace): string {
  if (mapped?.source !== undefined && mapped.source !== '')
    return `${mapped.source}:${mapped.sourceLine ?? 0}:${mapped.sourceColumn ?? 0}`;
  return `${place.url}:${place.line}:${place.column}`;
}

/** A stack as text, for an agent or the clipboard. */
export function stackText(stack: readonly CodePlace[], sources: Sources): string {
  return stack
    .map(
      (place) =>
        `    at ${place.function ?? '(anonymous)'} (${placeText(place, sources.of(place))})`,
    )
    .join('\n');
}
