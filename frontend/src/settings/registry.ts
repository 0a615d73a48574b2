import {
  SettingAgent,
  SettingBrowser,
  SettingChatAgent,
  SettingSwitch,
  type Setting,
  type Settings,
  type SettingsRegistry,
} from '$ui/protocol/protocol';

/** The value at a setting's place, such as `chatRouting.instant`. */
export function valueAt(settings: Settings, field: string): unknown {
  let value: unknown = settings;
  for (const name of field.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The settings with another value at a place; the ones given stay as they are. */
export function withValue(settings: Settings, field: string, value: unknown): Settings {
  return put({ ...settings }, field.split('.'), value) as unknown as Settings;
}

function put(into: object, [first = '', ...rest]: string[], value: unknown): object {
  const inner = (into as Record<string, unknown>)[first];
  const made = rest.length === 0 ? value : put({ ...(inner as object) }, rest, value);
  return { ...into, [first]: made };
}

/** The name of the value in Settings that a setting is, or is a part of. */
export function topOf(field: string): keyof Settings {
  return field.split('.')[0] as keyof Settings;
}

/** Whether two values of a setting are the same. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether a setting has another value than in a new installation. */
export function isChanged(settings: Settings, setting: Setting): boolean {
  return !same(valueAt(settings, setting.field), setting.default);
}

/** Whether a setting has a meaning with these settings. */
export function applies(settings: Settings, { when }: Setting): boolean {
  if (!when) return true;
  const value = String(valueAt(settings, when.field));
  return when.is === undefined ? value !== when.not : value === when.is;
}

/** The default as text. */
export function defaultText(setting: Setting): string {
  const { kind, choices, empty, unit } = setting;
  const value = setting.default;
  if (kind === SettingSwitch) return value === true ? 'on' : 'off';
  const choice = choices?.find((one) => one.value === String(value));
  if (choice) return choice.text;
  if (kind === SettingAgent || kind === SettingChatAgent || kind === SettingBrowser)
    return 'automatic';
  if (typeof value === 'number')
    return unit === undefined ? String(value) : `${String(value)} ${unit}`;
  const isEmpty = value === '' || same(value, []) || same(value, {});
  return isEmpty ? (empty ?? 'empty') : String(value);
}

/** Whether each word of a search is in a text. */
export function matches(query: string, ...texts: (string | undefined)[]): boolean {
  const all = texts.join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The settings of a group that a search finds and that have a meaning now. */
export function found(
  registry: SettingsRegistry,
  settings: Settings,
  group: string,
  query: string,
): Setting[] {
  const title = registry.groups.find(({ id }) => id === group)?.title;
  return registry.settings.filter(
    (one) =>
      one.group === group &&
      applies(settings, one) &&
      matches(
        query,
        one.label,
        one.explanation,
        one.name,
        title,
        ...(one.choices ?? []).map(({ text }) => text),
      ),
  );
}
