import { type ClosedRoot, FlatTree } from './flat.js';
import { Looker } from './look.js';
import { Refs } from './refs.js';
import type { Snapshot, SnapshotOptions } from './types.js';

export function createPage() {
  const tree = new FlatTree();
  const refs = new Refs();
  const looker = new Looker(tree, refs);
  return {
    configure(options: { prefix?: string; base?: number; closedRoot?: ClosedRoot }): void {
      refs.configure(options.prefix ?? 'e', options.base ?? 1);
      tree.useClosed(options.closedRoot);
    },
    addRoots: (...roots: ShadowRoot[]): void => tree.addRoots(roots),
    addListening: (...elements: Element[]): void => looker.addListening(elements),
    snapshot: (options?: SnapshotOptions): Snapshot => looker.snapshot(options),
    more: (handle: string, max?: number) => looker.more(handle, max),
  };
}
