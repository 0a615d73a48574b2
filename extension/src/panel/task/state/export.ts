import { withoutEnvelopes } from '$ui/foreign';
import type { Task, TaskEvent } from '$ui/protocol/protocol';
import { recordedInWords } from '../core/recipe';
import { resultWords } from '../core/words';
import { taskWord } from '$ui/words';
import type { Line } from './view.svelte';

/** An exported task: the name, the type and the text of a file. */
export interface Export {
  readonly name: string;
  readonly mime: string;
  readonly text: string;
}

/** The version of the JSON format. */
const version = 1;

/** Exports a task with all its events, for programs. */
export function asJSON(task: Task, events: readonly TaskEvent[]): Export {
  return {
    name: `${fileName(task)}.json`,
    mime: 'application/json',
    text: `${JSON.stringify({ version, task, events }, null, 2)}\n`,
  };
}

/** Exports a task for a reader. */
export function asMarkdown(task: Task, lines: readonly Line[]): Export {
  const out = [
    `# ${flat(task.title)}`,
    '',
    ...quoted(withoutEnvelopes(task.goal)),
    '',
    `${task.created} · ${taskWord(task.state).text} · ${String(task.steps)} ${task.steps === 1 ? 'step' : 'steps'} · ${String(task.tokens)} tokens`,
  ];
  for (const line of lines) {
    out.push('');
    if (line.kind === 'step') {
      const { step } = line;
      out.push(`## ${String(step.n)}. ${flat(step.thought.goal || 'Next step')}`, '');
      if (step.url !== '') out.push(`<${encodeURI(decoded(step.url))}>`, '');
      for (const performed of step.deeds)
        out.push(
          `- ${performed.result.ok ? '' : '**Failed:** '}${flat(recordedInWords(performed))}`,
          ...quoted(resultWords(performed.result)).map((one) => `  ${one}`),
        );
    } else {
      const who = { person: 'You', question: 'Question', notice: 'Note', summary: 'Summary' };
      out.push(`**${who[line.kind]}:** ${flat(line.text)}`);
    }
  }
  if (task.summary !== undefined && task.summary !== '')
    out.push('', '## Result', '', ...quoted(task.summary));
  return { name: `${fileName(task)}.md`, mime: 'text/markdown', text: `${out.join('\n')}\n` };
}

/** Quotes text of the model or a page, so that it cannot make headings or lists of its own. */
function quoted(text: string): string[] {
  return text.split('\n').map((line) => `> ${line.replace(/[<&`]/g, '\\$&')}`.trimEnd());
}

const flat = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[<&`*[\]\\#]/g, '\\$&')
    .trim();

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return '';
  }
}

function fileName(task: Task): string {
  const words = task.title
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `task-${words === '' ? task.id : words.slice(0, 40)}`;
}
