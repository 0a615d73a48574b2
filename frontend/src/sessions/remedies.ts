import * as p from '$ui/protocol/protocol';

/** What a user can do about an error, as a button. */
export type Remedy = 'start' | 'browser' | 'profile' | 'state-folder' | 'logs';

const table: Partial<Record<p.Code, readonly Remedy[]>> = {
  [p.CodeNoBrowser]: ['browser', 'start'],
  [p.CodeProfileInUse]: ['start', 'profile'],
  [p.CodeNotWritable]: ['state-folder', 'start'],
  [p.CodeNoDisplay]: ['start'],
  [p.CodeNoSandbox]: ['start'],
  [p.CodeBrowserStart]: ['start', 'logs'],
  [p.CodeCrashed]: ['start', 'logs'],
  [p.CodeRefused]: ['start'],
};

/**
 * The buttons for an error, the most likely first. Without a session the error is one of the app
 * itself, and there is nothing to restart. `own` says that the session's browser is the user's.
 */
export function remedies(code: p.Code, session?: p.SessionName, own = false): readonly Remedy[] {
  return (table[code] ?? ['start', 'logs']).filter((remedy) => {
    if (remedy === 'start') return session !== undefined;
    // The setting applies to the default session; other sessions have their own folder.
    if (remedy === 'browser') return !own;
    if (remedy === 'profile') return session === p.DefaultSession;
    return true;
  });
}

/** The labels of the buttons. */
export const remedyText: Record<Remedy, string> = {
  start: 'Try again',
  browser: 'Choose a browser',
  profile: 'Change the profile',
  'state-folder': 'Open the folder',
  logs: 'Show the log',
};
