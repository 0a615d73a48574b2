import type { TaskRoutine } from '$ui/protocol/protocol';
import type { RequestBodies } from '$ui/protocol/requests';
import { taskRoutinesReplySchema } from '$ui/protocol/schemas/task';
import type { Asking } from './asking.svelte';
import { plainName, type Recipe } from '../core/recipe';
import { linesOf } from '../browser/lines';
import { readRecipe } from './view.svelte';

/** A routine that the user is creating or editing. */
export interface Draft {
  /** The routine's existing name; undefined for a new one. */
  readonly name?: string;
  readonly title: string;
  readonly goal: string;
  readonly recipe: Recipe;
}

/** The saved routines. */
export class Routines {
  all = $state.raw<readonly TaskRoutine[]>([]);
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  load(): Promise<boolean> {
    return this.#change('/task/routines', {});
  }

  remove(routine: TaskRoutine): Promise<boolean> {
    return this.#change('/task/delete-routine', { routine });
  }

  save({ name, title, goal, recipe }: Draft): Promise<boolean> {
    const { params } = recipe;
    const routine = {
      name: name ?? this.#free(title),
      title,
      goal,
      params: params.map((one) => one.name),
      defaults: Object.fromEntries(params.map((one) => [one.name, one.secret ? '' : one.value])),
      secrets: params.filter(({ secret }) => secret).map((one) => one.name),
      steps: linesOf(recipe),
      actions: { recipe },
      created: '1970-01-01T00:00:00Z', // the backend sets it
    } satisfies TaskRoutine;
    return this.#change('/task/save-routine', { routine });
  }

  /** The recorded actions of a routine; undefined if it has only lines or only a goal. */
  recipe(routine: TaskRoutine): Recipe | undefined {
    const recipe = readRecipe(routine.actions);
    return recipe === undefined || recipe.deeds.length === 0 ? undefined : recipe;
  }

  /** Makes an unused name for the command line from the routine's title. */
  #free(title: string): string {
    const words =
      plainName(title, '-').replace(/^-+/, '').slice(0, 50).replace(/-+$/, '') || 'routine';
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? words : `${words}-${String(n)}`;
      if (!this.all.some((one) => one.name === name)) return name;
    }
  }

  #change<P extends keyof RequestBodies>(path: P, body: RequestBodies[P]): Promise<boolean> {
    return this.#asking.try(async () => {
      this.all = (await this.#asking.ask(path, body, taskRoutinesReplySchema)).routines;
    });
  }
}
