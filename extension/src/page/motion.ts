/** How many frames we wait for an element that moves or fades: about a second. */
export const patience = 60;

/**
 * How many frames a library may take to remove a faded element, or to show one that it has added.
 */
export const afterglow = 6;

/** Whether an animation runs on an element that `asked` accepts; with `ends`, only one that ends. */
export function animated(asked: (target: Element) => boolean, ends = false): boolean {
  return document
    .getAnimations()
    .some(
      ({ playState, effect }) =>
        playState === 'running' &&
        effect instanceof KeyframeEffect &&
        (!ends || Number.isFinite(Number(effect.getComputedTiming().endTime))) &&
        effect.target !== null &&
        asked(effect.target),
    );
}

/**
 * Resolves with the next frame; in a hidden tab, which draws no frames, with the next macrotask.
 */
export function frame(): Promise<void> {
  return new Promise((next) => {
    if (!document.hidden) {
      requestAnimationFrame(() => {
        next();
      });
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      next();
    };
    channel.port2.postMessage(0);
  });
}
