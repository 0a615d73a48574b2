// What scene.test.ts runs in a page: the state of a scene that was updated, and the state of a walk
// of the whole page at the same moment.
import { FlatTree } from '../../src/page/flat.js';
import { Snapshots } from '../../src/page/snapshots.js';
import { Refs } from '../../src/page/refs.js';
import { Scene, type State } from '../../src/page/scene.js';

const snapshots = new Snapshots(new FlatTree(), new Refs());
const kept = new Scene(snapshots);

function written(state: State): string[] {
  const lines = [...state.lines.values()].map(({ line }) => line);
  const texts = [...state.texts.values()].flat().map((text) => JSON.stringify(text));
  return [...lines, ...texts].sort();
}

Object.assign(globalThis, {
  pilotfishScene: {
    before: () => written(kept.read(false)),
    read: () => {
      const both = {
        kept: written(kept.read(true)),
        whole: written(new Scene(snapshots).read(true)),
      };
      return both.kept.join('\n') === both.whole.join('\n') ? null : both;
    },
  },
});
