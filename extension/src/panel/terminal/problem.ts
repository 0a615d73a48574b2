import { RefusedError } from '../connection/request';

/** Why something did not work, and what to do about it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** What the user reads about an error of a request. */
export function problem(error: unknown): Problem {
  if (error instanceof RefusedError) return { message: error.message, hint: error.hint };
  return {
    message: 'Pilotfish did not respond.',
    hint: 'Try again in a moment.',
  };
}
