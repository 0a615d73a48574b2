/**
 * Carries out what is asked for one after the other: a second press is not lost, and each reply is
 * newer than the one before.
 */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
