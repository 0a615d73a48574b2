import type { Task, TaskEvent } from '$ui/protocol/protocol';
import { deedInWords } from '../core/recipe';
import { withoutEnvelopes } from '../browser/pagewords';
import { stateWord } from './states';
import type { Line } from './view.svelte';

/** What a person takes away of a task: a file's name, kind and text. */
export interface Export {
  readonly name: string;
  readonly mime: string;
  readonly text: string;
}

/** The version of the JSON. */
const version = 1;

/** A task with all that was written of it, for programs. */
export function asJSON(task: Task, events: readonly TaskEvent[]): Export {
  return {
    name: `${fileName(task)}.json`,
    mime: 'application/json',
    text: `${JSON.stringify({ version, task, events }, null, 2)}\n`,
  };
}

/** A task as a person reads it. */
export function asMarkdown(task: Task, lines: readonly Line[]): Export {
  const out = [
    `# ${flat(task.title)}`,
    '',
    ...quoted(task.goal),
    '',
    `${task.created} · ${stateWord(task.state).text} · ${String(task.steps)} ${task.steps === 1 ? 'step' : 'steps'} · ${String(task.tokens)} tokens`,
  ];
  for (const line of lines) {
    out.push('');
    if (line.kind === 'step') {
      const { step } = line;
      out.push(`## ${String(step.n)}. ${flat(step.thought.goal || 'Next step')}`, '');
      if (step.url !== '') out.push(`<${encodeURI(decoded(step.url))}>`, '');
      for (const deed of step.deeds)
        out.push(
          `- ${deed.result.ok ? '' : '**Failed:** '}${flat(deedInWords(deed))}`,
          ...quoted(withoutEnvelopes(deed.result.text)).map((one) => `  ${one}`),
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

/** Words of the model's or a page's are quoted: they are no headings or lists of ours. */
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
