import type { MenuItem } from '$ui/menu-item';
import { CodeTooLarge, type ChatAttachment } from '$ui/protocol/protocol';
import { screenshotSchema } from '$ui/protocol/schemas/page';
import type * as v from 'valibot';
import { cancelRegion, markRegion, type Region } from '../../content/region';
import type { QuickAction } from './actions';
import type { QuickDesk } from './desk';
import { perform } from './perform';
import { blobOf, dataOf, fileOf, patience } from './results';
import { overlap, sliceHeight, stitch } from './stitch';

/** A screenshot that was taken. */
export interface Shot {
  readonly path: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly url: string;
  /** How many refs are drawn on it. */
  readonly labels: number;
  readonly blob: Blob;
  /** An address of the blob, for as long as the panel lives. */
  readonly link: string;
  /** With which arguments it was taken, so that it can be taken again in slices. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The screenshots of a panel: the last one, and what is being done. */
export class Shots {
  last = $state.raw<Shot>();
  busy = $state(false);
  /** The user marks a region on the page of this tab, by Chrome's id. */
  marking = $state<number>();

  /** Takes a screenshot of the tab beside the panel. */
  async take(desk: QuickDesk, args: Readonly<Record<string, unknown>>): Promise<void> {
    this.busy = true;
    try {
      const reply = await desk.run('screenshot', args, { timeout: patience });
      const tall = !reply.ok && reply.error?.code === CodeTooLarge && args.full === true;
      const shot = tall
        ? await this.#tall(desk, args)
        : await this.#whole(desk, dataOf(reply, screenshotSchema));
      if (this.last !== undefined) URL.revokeObjectURL(this.last.link);
      this.last = { ...shot, args, link: URL.createObjectURL(shot.blob) };
    } finally {
      this.busy = false;
    }
    desk.show(() => import('./ShotSheet.svelte'));
  }

  /** Lets the user mark a region on the page, and takes it. */
  async region(desk: QuickDesk): Promise<void> {
    const tabId = desk.tab?.chromeTabId;
    if (tabId === undefined) return;
    this.marking = tabId;
    desk.show(() => import('./RegionBar.svelte'));
    let marked: Region | null | undefined;
    try {
      const [one] = await chrome.scripting.executeScript({ target: { tabId }, func: markRegion });
      marked = one?.result;
    } catch {
      throw new Error('The browser does not let Pilotfish draw on this page.');
    } finally {
      if (this.marking === tabId) this.marking = undefined;
    }
    if (!marked) return;
    const { x, y, width, height } = marked;
    await this.take(desk, { clip: [x, y, width, height].map(Math.round).join(',') });
  }

  /** Ends marking without a screenshot. */
  async cancel(): Promise<void> {
    const tabId = this.marking;
    this.marking = undefined;
    if (tabId === undefined) return;
    // The page may be gone, which has ended it, too.
    await chrome.scripting
      .executeScript({ target: { tabId }, func: cancelRegion })
      .catch(() => undefined);
  }

  /** The paths of the slices of the last screenshot, which a model can read. */
  async slices(desk: QuickDesk): Promise<readonly string[]> {
    const reply = await desk.run('screenshot', sliced(this.last?.args ?? {}), {
      timeout: patience,
    });
    const shot = dataOf(reply, screenshotSchema);
    return shot.slices ?? [shot.path];
  }

  async #whole(
    desk: QuickDesk,
    { path, width, height, bytes, url, labels = 0 }: v.InferOutput<typeof screenshotSchema>,
  ): Promise<Omit<Shot, 'args' | 'link'>> {
    const blob = blobOf(await fileOf(desk, path));
    return { path, width, height, bytes, url, labels, blob };
  }

  /** A page that is higher than the browser draws at once: its slices, put together. */
  async #tall(
    desk: QuickDesk,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Omit<Shot, 'args' | 'link'>> {
    const reply = await desk.run('screenshot', sliced(args), { timeout: patience });
    const shot = dataOf(reply, screenshotSchema);
    const parts: Blob[] = [];
    for (const path of shot.slices ?? [shot.path]) parts.push(blobOf(await fileOf(desk, path)));
    const blob = await stitch(parts, shot.height, sliceHeight - overlap);
    const { path, width, height, url, labels = 0 } = shot;
    return { path, width, height, bytes: blob.size, url, labels, blob };
  }
}

/** The same arguments for slices: of the whole page, unless it was an element or a region. */
function sliced(args: Shot['args']): Shot['args'] {
  return Object.fromEntries([
    ...Object.entries(args).filter(([name]) => name !== 'full'),
    ['slices', true],
  ]);
}

/** The one state of screenshots in a panel. */
export function shots(desk: QuickDesk): Shots {
  return desk.part('shots', () => new Shots());
}

function choices(desk: QuickDesk): readonly MenuItem[] {
  const disabled = !desk.live || desk.tab === undefined || shots(desk).busy;
  const choice = (
    text: string,
    icon: MenuItem['icon'],
    act: (taken: Shots) => Promise<void>,
  ): MenuItem => ({
    text,
    icon,
    disabled,
    run: () => void perform(desk, () => act(shots(desk))),
  });
  return [
    choice('Visible part', 'camera', (taken) => taken.take(desk, {})),
    choice('Whole page', 'file', (taken) => taken.take(desk, { full: true })),
    choice('An element…', 'pick', async (taken) => {
      const picked = await desk.pick();
      if (picked !== undefined) await taken.take(desk, { element: picked.ref });
    }),
    choice('A region…', 'region', (taken) => taken.region(desk)),
    choice('With numbers of elements', 'at', (taken) => taken.take(desk, { annotated: true })),
    choice('Whole page with numbers of elements', 'at', (taken) =>
      taken.take(desk, { full: true, annotated: true }),
    ),
  ];
}

export const screenshotAction: QuickAction = {
  id: 'screenshot',
  name: 'Screenshot',
  icon: 'camera',
  about: 'Take a screenshot of the page, of a part of it, or with the refs of an agent.',
  shortcut: { letter: 'S' },
  run: (desk) => {
    desk.palette('screenshot');
  },
  menu: choices,
  state: (desk) => (shots(desk).busy ? 'busy' : undefined),
};

/** Sends a screenshot to the agent: as images in Chat, elsewhere as paths. */
export async function sendShot(desk: QuickDesk, shot: Shot, sliced: boolean): Promise<void> {
  const paths = sliced ? await shots(desk).slices(desk) : [shot.path];
  const origin = URL.parse(shot.url)?.origin;
  if (desk.face !== 'chat') {
    desk.send({ title: `Screenshot: ${paths.join(' ')}`, text: '', origin });
    return;
  }
  const attachments: ChatAttachment[] = [];
  for (const path of paths) attachments.push(await fileOf(desk, path));
  desk.send({
    title: 'Screenshot',
    text: '',
    origin,
    attachments: attachments.map((one, at) => ({
      ...one,
      kind: 'image',
      name: paths.length > 1 ? `The page, part ${String(at + 1)}` : 'The page',
    })),
  });
}
