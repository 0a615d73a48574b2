import type { ActionKind, SiteDecision } from '$ui/protocol/protocol';
import type { Option } from '$ui/option';

const kinds: Record<ActionKind, string> = {
  open: 'open pages',
  act: 'click and type',
  sensitive: 'anything sensitive',
  eval: 'run JavaScript',
  cookies: 'cookies and storage',
  download: 'download',
  upload: 'upload',
  clipboard: 'clipboard',
  permissions: 'permissions',
  secret: 'secrets',
  send: 'send or publish',
  pay: 'pay or order',
  delete: 'delete',
  sign_in: 'sign in',
  data: 'enter data on a new site',
  tool: 'agents’ own tools',
};

const decisions: Record<SiteDecision, string> = { allow: 'allow', ask: 'ask me', deny: 'deny' };

/** A kind of action, as text. */
export function kindWord(kind: ActionKind): string {
  return kinds[kind];
}

/** A rule's decision, as text. */
export function decisionWord(decision: SiteDecision): string {
  return decisions[decision];
}

export const kindOptions: Option[] = Object.entries(kinds).map(([value, text]) => ({
  value,
  text,
}));
export const decisionOptions: Option[] = Object.entries(decisions).map(([value, text]) => ({
  value,
  text,
}));
