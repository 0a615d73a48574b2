import type { Task } from '$ui/protocol/protocol';
import type { Again } from '../../run/minds';

/** Takes a message that the task can use, and records what is asked for a run. */
export class Minds {
  static asked: { again?: Again | undefined }[] = [];
  static unknown = '';
  static without: Error | undefined;
  of(_: Task, more: { again?: Again | undefined }): Promise<object> {
    Minds.asked.push(more);
    return Minds.without === undefined
      ? Promise.resolve({ model: {}, summary: {} })
      : Promise.reject(Minds.without);
  }
  take = () => Promise.resolve(Minds.unknown);
  read = () => Promise.resolve({ unknown: Minds.unknown });
  choices = () => [];
  forget = () => undefined;
}
