/** Frames that an element may go on moving, or fading, before nobody waits for it any longer: about a second. */
export const patience = 60;

/** Frames in which a library takes away what has faded, or lets be seen what it has put there. */
export const afterglow = 6;

/** Whether an animation runs on an element that is asked for; with `ends`, only one that has an end. */
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

/** Resolves with the next frame; in a tab in the back, where none is drawn, with the next turn. */
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
