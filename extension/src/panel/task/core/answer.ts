import type { Result } from './types';

/** What the model reads before an answer. */
const introduction = 'The person answers: ';

/** The result of a question: the answer for the model, and as it was given. */
export function answered(answer: string): Result {
  return { ok: true, text: introduction + answer, answer };
}

/** What the person answered. Journals of older versions have it in the text only. */
export function answerOf({ answer, text }: Pick<Result, 'answer' | 'text'>): string {
  if (answer !== undefined) return answer.trim();
  return text.startsWith(introduction) ? text.slice(introduction.length).trim() : text;
}
