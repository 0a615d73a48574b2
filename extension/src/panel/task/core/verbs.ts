// The input verbs of the registry as actions: keys and buttons that stay down, the
// mouse, touch. Their names and arguments are read from verbs.json. A test of
// backend/command keeps that file equal to the registry.

import * as v from 'valibot';
import specs from './verbs.json';

/** An argument of a verb, as the registry describes it. */
interface Arg {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly flag?: boolean;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** One verb of the registry. */
interface Verb {
  readonly name: VerbName;
  readonly summary: string;
  readonly args: readonly Arg[];
}

/** The names of the verbs. */
export type VerbName = 'keydown' | 'keyup' | 'mouse' | 'tap' | 'swipe' | 'pinch';

/** An action that is an input verb of the registry. */
export interface VerbAction {
  do: VerbName;
  ref?: string;
  to?: string;
  keys?: string;
  /** What the mouse does: move, down or up. */
  action?: string;
  button?: string;
  count?: number;
  hold?: number;
  at?: string;
  right?: number;
  down?: number;
  speed?: number;
  scale?: string;
}

/** All input verbs. */
export const verbs = specs as readonly Verb[];

/** The action fields whose names differ from the registry's arguments. */
const fieldNames: Readonly<Record<string, string>> = {
  target: 'ref',
  key: 'keys',
  x: 'right',
  y: 'down',
};

const fieldOf = ({ name }: Arg): string => fieldNames[name] ?? name;

/** Whether an action is an input verb. */
export const isVerb = (action: { readonly do: string }): action is VerbAction =>
  verbs.some(({ name }) => name === action.do);

/** The checks of a verb's fields; `ref` is the check of an element. */
export function verbFields(name: VerbName, ref: v.GenericSchema): v.ObjectEntries {
  const entries: [string, v.GenericSchema][] = argsOf(name).map((arg) => {
    const field = fieldOf(arg);
    const schema = field === 'ref' || field === 'to' ? ref : schemaOf(arg);
    return [field, arg.required === true ? schema : v.exactOptional(schema)];
  });
  return Object.fromEntries(entries);
}

function schemaOf({ type, choices, min, max }: Arg): v.GenericSchema {
  if (type === 'integer')
    return v.pipe(
      v.number(),
      v.integer(),
      v.minValue(min ?? -Infinity),
      v.maxValue(max ?? Infinity),
    );
  if (choices !== undefined) return v.picklist(choices);
  // Models write the scale of a pinch, and a digit key, as numbers.
  return v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.trim());
}

/** The JSON Schema of the verbs' fields, for the model. */
export function verbProperties(): Record<string, object> {
  const out: Record<string, object> = {};
  for (const { args } of verbs)
    for (const arg of args)
      out[fieldOf(arg)] ??= {
        type: arg.type === 'integer' ? 'integer' : 'string',
        ...(arg.choices !== undefined && { enum: arg.choices }),
      };
  return out;
}

/** The arguments of the command for a verb. */
export function verbArgs(action: VerbAction): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = { ...action };
  return Object.fromEntries(
    argsOf(action.do)
      .map((arg) => [arg.name, given[fieldOf(arg)]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** The reverse of `verbArgs`: the action for a command. */
export function verbOf(name: VerbName, args: Readonly<Record<string, unknown>>): VerbAction {
  return Object.fromEntries([
    ['do', name],
    ...argsOf(name)
      .map((arg) => [fieldOf(arg), args[arg.name]] as const)
      .filter(([, value]) => value !== undefined),
  ]) as unknown as VerbAction;
}

/** For each verb, the arguments that need no name on a command line. */
export const verbPlaces: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  verbs.map(({ name, args }) => [
    name,
    args.filter(({ flag }) => flag !== true).map((arg) => arg.name),
  ]),
);

const argsOf = (wanted: VerbName): readonly Arg[] =>
  verbs.find(({ name }) => name === wanted)?.args ?? [];
