/** The map that an image uses. */
export function mapOf(img: HTMLImageElement): HTMLMapElement | null {
  const name = img.useMap.replace(/^#/, '');
  if (name === '') return null;
  const root = img.getRootNode() as Document | ShadowRoot;
  return root.querySelector<HTMLMapElement>(`map[name="${CSS.escape(name)}"]`);
}

/** The image that uses a map. */
export function imageWith(map: HTMLMapElement): HTMLImageElement | null {
  if (map.name === '') return null;
  const root = map.getRootNode() as Document | ShadowRoot;
  return root.querySelector<HTMLImageElement>(`img[usemap="#${CSS.escape(map.name)}"]`);
}

/** The image on which an area lies. */
export function imageOf(area: HTMLAreaElement): HTMLImageElement | null {
  const map = area.closest('map');
  return map && imageWith(map);
}
