import type { Task } from '$ui/protocol/protocol';
import type { RunConfig } from '../../run/run';

/** A run that does nothing until the test ends it. */
export class Run {
  static all: Run[] = [];
  readonly did: string[] = [];
  readonly head: Task;
  kept = true;
  end: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;
  readonly loop = {
    tab: '',
    pause: () => this.did.push('pause'),
    takeOver: () => this.did.push('take over'),
    resume: (did: string) => this.did.push(`resume ${did}`.trim()),
    say: (text: string) => this.did.push(`say ${text}`),
    giveUp: () => this.did.push('give up'),
    stop: () => this.did.push('stop'),
    notice: (text: string) => this.did.push(`notice ${text}`),
  };

  constructor(readonly config: RunConfig) {
    this.head = config.task;
    Run.all.push(this);
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
  }
  keepGroup = (keep: boolean) => this.did.push(`keep ${String(keep)}`);
  took = (task: Task) => this.did.push(`took ${task.id}`);
}
