import {
  ForProgram,
  ForSummary,
  ForTask,
  type LLMLocal,
  type LLMModel,
  type LLMProfile,
  type LLMSaveRequest,
  type LLMState,
  type LLMVerdict,
} from '../protocol/protocol';

/** How a face reaches the ways to a model: the window by its bound methods, the panel over HTTP. */
export interface ModelWays {
  /** Undefined until they are known. */
  readonly llm: LLMState | undefined;
  /** Why the last thing that was asked for did not work. */
  readonly problem: { readonly message: string; readonly hint: string } | undefined;
  /** Each of these says whether it went well; what did not is the problem. */
  saveModel(request: LLMSaveRequest): Promise<boolean>;
  deleteModel(profile: string): Promise<boolean>;
  models(profile: string): Promise<LLMModel[]>;
  test(profile: string): Promise<LLMVerdict | undefined>;
  local(): Promise<LLMLocal[]>;
}

/** Whether a way cannot be gone because its key is not there: it was kept for one run only, or never given. */
export function lacksKey(state: LLMState | undefined, profile: LLMProfile | undefined): boolean {
  if (state === undefined || profile === undefined || profile.hasKey) return false;
  if (profile.keyed === true) return true;
  return state.providers.some((one) => one.provider === profile.provider && one.needsKey);
}

/** The kinds of task that a way may be for, as a person is asked. */
export const kinds: readonly { readonly kind: string; readonly text: string }[] = [
  { kind: ForTask, text: 'Your tasks' },
  { kind: ForProgram, text: 'Tasks that agents and the command line start' },
  { kind: ForSummary, text: 'Summaries of old steps' },
];

/** What a way is for, in a few words. */
export function purpose(profile: LLMProfile): string {
  const short = new Map([
    [ForTask, 'tasks'],
    [ForProgram, 'tasks of agents'],
    [ForSummary, 'summaries'],
  ] as [string, string][]);
  return profile.for.map((kind) => short.get(kind) ?? kind).join(', ');
}

/** Where a way's key is. */
export function keyWord(state: LLMState, profile: LLMProfile): string {
  if (lacksKey(state, profile)) return 'no key';
  if (profile.keyKept === 'memory') return 'key stored until Pilotfish quits';
  return profile.keyKept === 'keychain' ? 'key stored in the keychain' : '';
}

/** What went wrong and what to do about it, as sentences: our messages end with no full stop, and hints begin small. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map(
      (text = '') =>
        text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.'),
    )
    .join(' ');
}
