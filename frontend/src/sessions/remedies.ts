import * as p from '$ui/protocol/protocol';

/** What a person can do about an error, as a button. */
export type Remedy = 'start' | 'browser' | 'profile' | 'state-folder' | 'logs';

const table: Partial<Record<p.Code, readonly Remedy[]>> = {
  [p.CodeNoBrowser]: ['browser', 'start'],
  [p.CodeProfileInUse]: ['start', 'profile'],
  [p.CodeNotWritable]: ['state-folder', 'start'],
  [p.CodeNoDisplay]: ['start'],
  [p.CodeNoSandbox]: ['start'],
  [p.CodeBrowserStart]: ['start', 'logs'],
  [p.CodeCrashed]: ['start', 'logs'],
};

/** The buttons of an error, the likeliest first. */
export function remedies(code: p.Code): readonly Remedy[] {
  return table[code] ?? ['start', 'logs'];
}

/** What stands on the button. */
export const remedyText: Record<Remedy, string> = {
  start: 'Try again',
  browser: 'Choose a browser',
  profile: 'Change the profile',
  'state-folder': 'Open the folder',
  logs: 'Show the log',
};
