/** The words for a refusal: what happened, and what to do about it. */
export function errorMessage(
  error: { readonly message: string; readonly hint?: string } | undefined,
): string {
  if (error === undefined) return 'It did not work.';
  return error.hint ? `${error.message}; ${error.hint}` : error.message;
}

/** The words for anything that was thrown. */
export const failure = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
