import * as v from 'valibot';

/** The value of `profile` in the settings of a user who wants tasks without a model. */
export const withoutModel = 'none';

/** The user's settings for tasks. They contain no secrets: the app stores the keys. */
const schema = v.object({
  /** The profile of the model; empty for the first profile for tasks, or `withoutModel`. */
  profile: v.fallback(v.string(), ''),
  /** The most steps of a task. */
  steps: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500)), 40),
  /** The time limit in minutes. */
  minutes: v.fallback(v.pipe(v.number(), v.minValue(1), v.maxValue(600)), 30),
  /** The most tokens of a task; 0 for no limit. */
  tokens: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 400_000),
  /** Whether the model may run JavaScript in pages. Each use still needs an approval. */
  eval: v.fallback(v.boolean(), false),
  /** Whether a task's tabs stay a group after it has ended. */
  keepGroup: v.fallback(v.boolean(), false),
});

export type TaskSettings = v.InferOutput<typeof schema>;

/** The storage key in chrome.storage.local. */
const key = 'pilotfish.task';

/** Reads the settings. Missing or damaged values are replaced by the defaults. */
export async function readSettings(): Promise<TaskSettings> {
  const { [key]: raw } = await chrome.storage.local.get(key);
  return v.parse(v.fallback(schema, v.parse(schema, {})), raw ?? {});
}

export async function writeSettings(settings: TaskSettings): Promise<void> {
  await chrome.storage.local.set({ [key]: settings });
}
