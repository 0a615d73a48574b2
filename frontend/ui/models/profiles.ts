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

/** How a face accesses the model profiles: the window by operations, the panel over HTTP. */
export interface ModelStore {
  /** Undefined until they are loaded. */
  readonly llm: LLMState | undefined;
  /** Why the last operation failed. */
  readonly problem: { readonly message: string; readonly hint: string } | undefined;
  /** Each of these says whether it succeeded; `problem` has the reason when it did not. */
  saveModel(request: LLMSaveRequest): Promise<boolean>;
  deleteModel(profile: string): Promise<boolean>;
  models(profile: string): Promise<LLMModel[]>;
  test(profile: string): Promise<LLMVerdict | undefined>;
  local(): Promise<LLMLocal[]>;
}

/**
 * Whether a profile cannot be used because its key is missing: it was kept for one run only, or never entered.
 */
export function lacksKey(state: LLMState | undefined, profile: LLMProfile | undefined): boolean {
  if (state === undefined || profile === undefined || profile.hasKey) return false;
  if (profile.keyed === true) return true;
  return state.providers.some((one) => one.provider === profile.provider && one.needsKey);
}

/** The purposes that a model profile may have, as the user chooses them. */
export const kinds: readonly { readonly kind: string; readonly text: string }[] = [
  { kind: ForTask, text: 'Your tasks' },
  { kind: ForProgram, text: 'Tasks that agents and the command line start' },
  { kind: ForSummary, text: 'Summaries of old steps' },
];

/** The purpose of a profile, as a short text. */
export function purpose(profile: LLMProfile): string {
  const words: Record<string, string> = {
    [ForTask]: 'tasks',
    [ForProgram]: 'tasks of agents',
    [ForSummary]: 'summaries',
  };
  return profile.for.map((kind) => words[kind] ?? kind).join(', ');
}

/** Where a profile's key is stored. */
export function keyWord(state: LLMState, profile: LLMProfile): string {
  if (lacksKey(state, profile)) return 'no key';
  if (profile.keyKept === 'memory') return 'key stored until Pilotfish quits';
  return profile.keyKept === 'keychain' ? 'key stored in the keychain' : '';
}

/** An error and its hint as sentences: our messages have no full stop, and hints begin with a small letter. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map(
      (text = '') =>
        text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.'),
    )
    .join(' ');
}
