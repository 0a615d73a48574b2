import type { Tab, Task, TaskRoutine } from '$ui/protocol/protocol';
import type { Param, Recipe } from '../core/recipe';
import type { Tasks } from './tasks.svelte';

/** Values that the user must enter before something runs. */
export interface Needing {
  readonly title: string;
  readonly params: readonly Param[];
  readonly run: (values: Readonly<Record<string, string>>) => void;
}

/** What the component Task provides. */
export interface LaunchConfig {
  readonly tasks: Tasks;
  /** The tab in which something starts. */
  readonly tab: () => Tab;
  /** Called when something is about to start. */
  readonly begins: () => void;
  /** Called to show what starts, in place of a list. */
  readonly shows: () => void;
  /** Called with the goal if it could not start, so that the user can change it. */
  readonly instead: (goal: string) => void;
}

/** Starts tasks, replays and routines, and asks for missing values first. */
export class Launch {
  needing = $state.raw<Needing>();
  /** Why the text is not a plain instruction; used when there is no model. */
  unknown = $state('');
  readonly #config: LaunchConfig;
  /** The task that is starting, so that a second press does not start another. */
  #beginning: { readonly goal: string; readonly begun: Promise<boolean> } | undefined;
  /** The replays that are starting, for the same reason. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing that is shown reads it
  readonly #replaying = new Set<string>();

  constructor(config: LaunchConfig) {
    this.#config = config;
  }

  /**
   * Starts a task, once it is known whether there is a model. Without one, the goal
   * must be a plain instruction. Returns false if it was not started.
   */
  start(goal: string, more: Partial<Task> = {}): Promise<boolean> {
    const now = this.#beginning;
    if (now !== undefined) return now.goal === goal ? now.begun : Promise.resolve(false);
    const begun = this.#start(goal, more).finally(() => {
      this.#beginning = undefined;
    });
    this.#beginning = { goal, begun };
    return begun;
  }

  async #start(goal: string, more: Partial<Task>): Promise<boolean> {
    const { tasks, tab, begins } = this.#config;
    begins();
    await tasks.models.ready();
    if (tasks.models.llm === undefined) return false; // the problem is shown
    const why = tasks.models.profile === undefined ? await tasks.unknown(goal) : '';
    this.unknown = why ?? '';
    return why === '' && (await tasks.start(tab().id, goal, more));
  }

  /** Asks for the parameters, if there are any, then runs. */
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

  /** Replays recorded actions from the page on which they started. */
  replay(goal: string, recipe: Recipe, routine?: string): void {
    this.need(goal, recipe.params, (values) => {
      const { tasks, tab } = this.#config;
      const { id, url } = tab();
      const what = JSON.stringify([id, goal, routine]);
      if (this.#replaying.has(what)) return;
      this.#replaying.add(what);
      void tasks
        .replay(id, {
          goal,
          recipe: fromThere(recipe, url),
          values,
          ...(routine !== undefined && { routine }),
        })
        .finally(() => this.#replaying.delete(what));
    });
  }

  /** Runs a routine: as it was recorded, or by a model with its goal. */
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

/** Adds a navigation to the page on which the recording started, if the tab is elsewhere. */
function fromThere(recipe: Recipe, url: string): Recipe {
  if (recipe.url === '' || recipe.url === url) return recipe;
  return { ...recipe, deeds: [{ action: { do: 'goto', url: recipe.url } }, ...recipe.deeds] };
}
