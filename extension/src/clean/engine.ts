/** The filter engine with the lists that are shipped with the extension. */
import { FiltersEngine, Request } from '@ghostery/adblocker';
import type { Seen } from './types';

/** Reads the engine's file, and returns what computes the style sheet for a document. */
export async function loadEngine(file: string): Promise<(seen: Seen) => string> {
  const { body } = await fetch(file);
  if (body === null) throw new Error('The filter lists are missing.');
  const plain = body.pipeThrough(new DecompressionStream('gzip'));
  return reader(new Uint8Array(await new Response(plain).arrayBuffer()));
}

/** The same for the content of the file. */
export function reader(data: Uint8Array): (seen: Seen) => string {
  const engine = FiltersEngine.deserialize(data);
  return ({ url, hostname, classes, ids, hrefs }) =>
    engine.getCosmeticsFilters({
      url,
      hostname,
      domain: Request.fromRawDetails({ url, type: 'document' }).domain,
      classes: [...classes],
      ids: [...ids],
      hrefs: [...hrefs],
      getBaseRules: true,
      getInjectionRules: false,
      getExtendedRules: false,
      getRulesFromDOM: true,
      getRulesFromHostname: true,
    }).styles;
}
