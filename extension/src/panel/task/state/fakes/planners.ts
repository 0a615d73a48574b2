import type { Task } from '$ui/protocol/protocol';
import type { Again } from '../../run/planners';

/** Takes a message that the task can use, and records what is asked for a run. */
export class Planners {
  static asked: { again?: Again | undefined }[] = [];
  static unknown = '';
  static without: Error | undefined;
  of(_: Task, more: { again?: Again | undefined }): Promise<object> {
    Planners.asked.push(more);
    return Planners.without === undefined
      ? Promise.resolve({ model: {}, summary: {} })
      : Promise.reject(Planners.without);
  }
  take = () => Promise.resolve(Planners.unknown);
  read = () => Promise.resolve({ unknown: Planners.unknown });
  forget = () => undefined;
}
