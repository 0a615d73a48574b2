import type { Tab, Task, TaskRoutine } from '$ui/protocol/protocol';
import type { Param, Recipe } from '../core/recipe';
import type { Tasks } from './tasks.svelte';

/** What has to be known before something runs. */
export interface Needing {
  readonly title: string;
  readonly params: readonly Param[];
  readonly run: (values: Readonly<Record<string, string>>) => void;
}

/** What the face gives. */
export interface LaunchConfig {
  readonly tasks: Tasks;
  /** The tab beside which something begins. */
  readonly tab: () => Tab;
  /** Something is about to begin. */
  readonly begins: () => void;
  /** It is to be seen: what else was shown goes. */
  readonly shows: () => void;
  /** It could not begin: its goal can be changed. */
  readonly instead: (goal: string) => void;
}

/** How tasks, recorded actions and routines begin, and what is asked before. */
export class Launch {
  needing = $state.raw<Needing>();
  /** Why what was written is no plain instruction, where there is no model. */
  unknown = $state('');
  readonly #config: LaunchConfig;
  /** A task is about to begin: it is pressed once. */
  #beginning = false;

  constructor(config: LaunchConfig) {
    this.#config = config;
  }

  /** Begins a task, once it is known whether there is a model for it; without one it is read by rule. */
  async start(goal: string, more: Partial<Task> = {}): Promise<boolean> {
    const { tasks, tab, begins } = this.#config;
    if (this.#beginning) return false;
    this.#beginning = true;
    begins();
    try {
      await tasks.ways.ready();
      if (tasks.ways.llm === undefined) return false; // the problem is said
      const why = tasks.ways.profile === undefined ? await tasks.unknown(goal) : '';
      this.unknown = why ?? '';
      return why === '' && (await tasks.start(tab().id, goal, more));
    } finally {
      this.#beginning = false;
    }
  }

  /** Asks for what is missing, then runs. */
  need(title: string, params: readonly Param[], run: Needing['run']): void {
    this.#config.shows();
    if (params.length === 0) run({});
    else
      this.needing = {
        title,
        params,
        run: (values) => {
          this.needing = undefined;
          run(values);
        },
      };
  }

  /** Does again what was recorded, where it began then. */
  replay(goal: string, recipe: Recipe, routine?: string): void {
    this.need(goal, recipe.params, (values) => {
      const { tasks, tab } = this.#config;
      void tasks.replay(tab().id, {
        goal,
        recipe: fromThere(recipe, tab().url),
        values,
        ...(routine !== undefined && { routine }),
      });
    });
  }

  /** Runs a routine: as it was recorded, or by a model that is told its goal. */
  routine(one: TaskRoutine, model: boolean): void {
    const { tasks, instead } = this.#config;
    const recipe = tasks.routines.recipe(one);
    const title = one.title ?? one.name;
    if (!model && recipe !== undefined) {
      this.replay(title, recipe, one.name);
      return;
    }
    const params = one.params.map((name) => ({
      name,
      value: one.defaults?.[name] ?? '',
      secret: one.secrets?.includes(name) ?? false,
    }));
    const needed = params.filter(({ name }) => one.goal.includes(`\${${name}}`));
    this.need(title, needed, (values) => {
      const goal = one.goal.replace(/\$\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
      void this.start(goal, { routine: one.name }).then((begun) => {
        if (!begun) instead(goal);
      });
    });
  }
}

/** A recipe that begins where it began then. */
function fromThere(recipe: Recipe, url: string): Recipe {
  if (recipe.url === '' || recipe.url === url) return recipe;
  return { ...recipe, deeds: [{ action: { do: 'goto', url: recipe.url } }, ...recipe.deeds] };
}
