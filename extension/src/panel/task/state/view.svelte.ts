import {
  TaskEventNotice,
  TaskEventUser,
  TaskEventStep,
  TaskEventSummary,
  type TaskEvent,
} from '$ui/protocol/protocol';
import * as v from 'valibot';
import { begunStep, type LoopEvent } from '../core/events';
import type { Recipe } from '../core/recipe';
import { readAction } from '../core/step';
import type { PerformedAction, Step } from '../core/types';
import { calledIn } from '../core/element';
import { inWords } from '../core/words';

/** One line of a task, as it is shown. */
export type Line =
  | { readonly kind: 'step'; readonly key: string; readonly step: Step; readonly whole: boolean }
  | {
      readonly kind: 'person' | 'notice' | 'question' | 'summary';
      readonly key: string;
      readonly text: string;
    };

const said = v.object({ text: v.string() });
const asked = v.object({ question: v.string() });
const followed = v.object({ before: v.string() });
const plainly = v.object({ plain: v.literal(true) });
const shortened = v.object({ summary: v.string(), from: v.number() });
const markSchema = v.object({
  kind: v.string(),
  name: v.string(),
  place: v.array(v.string()),
  nth: v.number(),
  of: v.number(),
});
const recipeSchema = v.object({
  recipe: v.object({
    url: v.string(),
    deeds: v.array(
      v.object({
        action: v.unknown(),
        mark: v.exactOptional(markSchema),
        toMark: v.exactOptional(markSchema),
      }),
    ),
    params: v.array(v.object({ name: v.string(), value: v.string(), secret: v.boolean() })),
  }),
});
const stepSchema = v.object({
  n: v.number(),
  tab: v.string(),
  url: v.string(),
  title: v.string(),
  thought: v.object({
    evaluation: v.string(),
    memory: v.string(),
    goal: v.string(),
    actions: v.array(v.unknown()),
  }),
  deeds: v.array(
    v.object({
      action: v.unknown(),
      target: v.exactOptional(v.string()),
      mark: v.exactOptional(markSchema),
      toMark: v.exactOptional(markSchema),
      result: v.object({
        ok: v.boolean(),
        text: v.string(),
        shown: v.exactOptional(v.string()),
        answer: v.exactOptional(v.string()),
        code: v.exactOptional(v.string()),
        moved: v.exactOptional(v.boolean()),
        picture: v.exactOptional(v.string()),
        byPage: v.exactOptional(v.boolean()),
      }),
    }),
  ),
  tokens: v.number(),
  took: v.number(),
  modelTook: v.number(),
});

/** What is shown of one task. */
export class TaskView {
  lines = $state.raw<readonly Line[]>([]);
  /** What the task is doing at the moment, in words; empty when it does nothing. */
  doing = $state('');
  /** The open question to the user. */
  question = $state<string>();
  /** What the user requested and the loop has not done yet. */
  wanted = $state<'paused'>();
  /** The index of the last event that was read. */
  index = 0;
  summary = '';
  /** The index of the first step that the summary does not cover. */
  from = 0;
  /** The recorded actions, if the task is a replay. */
  recipe = $state.raw<Recipe>();
  /** Whether the task carries out plain instructions without a model. */
  plain = $state(false);
  /** The context of earlier tasks that it was given; empty for none. */
  before = '';
  #count = 0;

  /** The complete steps in order; a resumed task continues after them. */
  get whole(): Step[] {
    return this.lines.flatMap((line) => (line.kind === 'step' && line.whole ? [line.step] : []));
  }

  wants(what: 'paused' | undefined): void {
    this.wanted = what;
  }

  rest(): void {
    this.doing = '';
    this.question = undefined;
    this.wanted = undefined;
  }

  /** Applies an event of a loop in this panel. */
  apply(event: LoopEvent): void {
    switch (event.kind) {
      case 'status':
        this.question = event.question;
        if (event.question !== undefined) this.#add('question', event.question);
        if (event.status === 'paused') this.wanted = undefined;
        this.doing = '';
        break;
      case 'preparing':
        this.doing = 'Starting your MCP servers';
        break;
      case 'observed':
        this.doing = 'Reading the page';
        break;
      case 'thinking':
        this.doing = 'Thinking';
        break;
      case 'thought':
        this.#step(begunStep(event), false);
        break;
      case 'acting':
        this.doing = inWords(event.action, calledIn(event.target));
        break;
      case 'step':
        this.#step(event.step, true);
        this.doing = '';
        break;
      case 'person':
        this.#add('person', event.text);
        break;
      case 'notice':
        this.#add('notice', event.text);
        break;
      case 'summary':
        this.summary = event.summary;
        this.from = event.from;
        break;
      case 'end':
        this.rest();
        break;
    }
  }

  /** Applies an event of the task's journal. */
  read(event: TaskEvent): void {
    if (event.index <= this.index) return;
    this.index = event.index;
    if (event.kind === TaskEventStep) {
      const step = stepOf(event.data);
      if (step !== undefined) this.#step(step, step.url !== '');
    } else if (event.kind === TaskEventUser) {
      const { success, output } = v.safeParse(said, event.data);
      if (success) this.#add('person', output.text);
    } else if (event.kind === TaskEventNotice) {
      const question = v.safeParse(asked, event.data);
      if (question.success) this.#add('question', question.output.question);
      const recipe = readRecipe(event.data);
      if (recipe !== undefined) this.recipe = recipe;
      if (v.is(plainly, event.data)) this.plain = true;
      if (v.is(followed, event.data)) this.before = event.data.before;
      const notice = v.safeParse(said, event.data);
      if (notice.success) this.#add('notice', notice.output.text);
    } else if (event.kind === TaskEventSummary) {
      const { success, output } = v.safeParse(shortened, event.data);
      if (success) ({ summary: this.summary, from: this.from } = output);
    }
  }

  #step(step: Step, whole: boolean): void {
    const line: Line = { kind: 'step', key: `s${String(step.n)}`, step, whole };
    const at = this.lines.findIndex(({ key }) => key === line.key);
    this.lines = at < 0 ? [...this.lines, line] : this.lines.with(at, line);
  }

  #add(kind: 'person' | 'notice' | 'question' | 'summary', text: string): void {
    this.#count += 1;
    this.lines = [...this.lines, { kind, key: `l${String(this.#count)}`, text }];
  }
}

/** Reads recorded actions from a journal or a routine; undefined if another version wrote them. */
export function readRecipe(data: unknown): Recipe | undefined {
  const { success, output } = v.safeParse(recipeSchema, data);
  if (!success) return undefined;
  const deeds: Recipe['deeds'][number][] = [];
  for (const { action, ...rest } of output.recipe.deeds) {
    const read = readAction(action);
    if (typeof read === 'string') return undefined;
    deeds.push({ ...rest, action: read });
  }
  return { ...output.recipe, deeds };
}

/** Reads a step from a journal; undefined if another version wrote it. */
function stepOf(data: unknown): Step | undefined {
  const { success, output } = v.safeParse(stepSchema, data);
  if (!success) return undefined;
  const actions = output.thought.actions.map(readAction);
  const deeds: PerformedAction[] = [];
  for (const { action, ...rest } of output.deeds) {
    const read = readAction(action);
    if (typeof read !== 'string') deeds.push({ ...rest, action: read });
  }
  return {
    ...output,
    thought: { ...output.thought, actions: actions.filter((one) => typeof one !== 'string') },
    deeds,
  };
}
