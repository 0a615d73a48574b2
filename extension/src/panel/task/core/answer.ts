import type { Result } from './types';

/** The words before an answer in the text for the model. */
const introduction = 'The person answers: ';

/** The result of a question: the text for the model, and the answer as the user gave it. */
export function answered(answer: string): Result {
  return { ok: true, text: introduction + answer, answer };
}

/** The user's answer. Journals of older versions have it only in the text. */
export function answerOf({ answer, text }: Pick<Result, 'answer' | 'text'>): string {
  if (answer !== undefined) return answer.trim();
  return text.startsWith(introduction) ? text.slice(introduction.length).trim() : text;
}
