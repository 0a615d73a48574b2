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
