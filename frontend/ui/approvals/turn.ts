import { settled } from '../settled';

/**
 * Which of the questions in view takes a click. One is answered at a time, and none
 * before the list has rested: when one goes, the next moves under the pointer.
 */
export class Turn {
  #listed = '';
  #since: number | undefined;
  #answering: string | undefined;

  /** Notes what is listed; when that is something else, all wait anew. */
  list(ids: readonly string[], now: number): void {
    const listed = ids.join(' ');
    if (this.#since !== undefined && listed === this.#listed) return;
    this.#listed = listed;
    this.#since = now;
    if (this.#answering !== undefined && !ids.includes(this.#answering)) {
      this.#answering = undefined;
    }
  }

  /** Whether a click answers a question. Then it is the only one until it has gone. */
  take(id: string, clickedAt: number): boolean {
    if (this.#answering !== undefined || !settled(this.#since, clickedAt)) return false;
    this.#answering = id;
    return true;
  }

  /** The answer did not arrive, and may be given again. */
  release(id: string): void {
    if (this.#answering === id) this.#answering = undefined;
  }
}
