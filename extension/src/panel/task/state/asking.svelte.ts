import type { RequestBodies } from '$ui/protocol/requests';
import type * as v from 'valibot';
import { OfflineError, type Connection } from '../../connection/connection';
import { RefusedError, type Bounds } from '../../connection/request';

/** Why something did not work, and what to do about it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** Sends requests to the backend, and keeps the last problem to show it. */
export class Asking {
  problem = $state.raw<Problem>();

  constructor(private readonly connection: Connection) {}

  ask<P extends keyof RequestBodies, S extends v.GenericSchema>(
    path: P,
    body: RequestBodies[P],
    schema: S,
    bounds: Bounds = {},
  ): Promise<v.InferOutput<S>> {
    return this.connection.request(path, body, schema, bounds);
  }

  /**
   * Runs `work`. An error is stored in `problem`. On success it removes the problem, but not one
   * that another request reported meanwhile. Returns whether it succeeded.
   */
  async try(work: () => Promise<unknown>): Promise<boolean> {
    const before = this.problem;
    try {
      await work();
      if (this.problem === before) this.problem = undefined;
      return true;
    } catch (error) {
      this.say(error);
      return false;
    }
  }

  say(error: unknown): void {
    if (error instanceof RefusedError) this.problem = { message: error.message, hint: error.hint };
    else if (error instanceof OfflineError)
      this.problem = {
        message: 'Pilotfish is not connected.',
        hint: 'Try again when it is connected.',
      };
    else if (error instanceof DOMException && error.name === 'TimeoutError')
      this.problem = {
        message: 'Pilotfish did not respond in time.',
        hint: 'Try again.',
      };
    else
      this.problem = { message: error instanceof Error ? error.message : String(error), hint: '' };
  }
}
