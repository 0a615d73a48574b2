import * as v from 'valibot';

/** What a person sets for tasks. It holds no secret: keys are the app's business. */
const schema = v.object({
  /** The profile of the model; empty for the first that is for tasks. */
  profile: v.fallback(v.string(), ''),
  /** How many steps a task has. */
  steps: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500)), 40),
  /** How many minutes. */
  minutes: v.fallback(v.pipe(v.number(), v.minValue(1), v.maxValue(600)), 30),
  /** How many tokens; 0 for no limit. */
  tokens: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 400_000),
  /** Whether the model may run JavaScript in pages; each time is asked for all the same. */
  eval: v.fallback(v.boolean(), false),
  /** Whether the tabs stay a group when the task is over. */
  keepGroup: v.fallback(v.boolean(), false),
});

export type TaskSettings = v.InferOutput<typeof schema>;

/** Where they are kept in chrome.storage.local. */
const key = 'pilotfish.task';

/** The settings as they stand; what is missing or damaged is the default. */
export async function readSettings(): Promise<TaskSettings> {
  const { [key]: raw } = await chrome.storage.local.get(key);
  return v.parse(v.fallback(schema, v.parse(schema, {})), raw ?? {});
}

export async function writeSettings(settings: TaskSettings): Promise<void> {
  await chrome.storage.local.set({ [key]: settings });
}
