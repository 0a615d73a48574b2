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

/**
 * The buttons of an error, the likeliest first. Without a session it is one of
 * the app itself, and there is nothing to start again.
 */
export function remedies(code: p.Code, session?: p.SessionName): readonly Remedy[] {
  return (table[code] ?? ['start', 'logs']).filter((remedy) => {
    if (remedy === 'start') return session !== undefined;
    // The setting is that of the default session; others have their own folder.
    if (remedy === 'profile') return session === p.DefaultSession;
    return true;
  });
}

/** What stands on the button. */
export const remedyText: Record<Remedy, string> = {
  start: 'Try again',
  browser: 'Choose a browser',
  profile: 'Change the profile',
  'state-folder': 'Open the folder',
  logs: 'Show the log',
};
