import { expect, test } from 'vitest';
import { agents, settings } from '../../test/fakes/scenarios';
import { sections, shownParts, chosen, type SettingField } from './fields';

const own = { browser: ['browserPath'], routing: ['chatRouting'], models: [], sites: [], secrets: [] };

function field(name: string): SettingField {
  for (const { parts } of sections)
    for (const part of parts) if (typeof part !== 'string' && part.field === name) return part;
  throw new Error(`${name} is not in the form`);
}

test('each setting is in the form once', () => {
  const names = sections.flatMap(({ parts }) =>
    parts.flatMap((part) => (typeof part === 'string' ? own[part] : [part.field])),
  );
  expect(names.toSorted()).toEqual(Object.keys(settings).toSorted());
});

test.each([
  ['agent', 'claude', ['agent', 'agentArgs']],
  ['agent', 'custom', ['agent', 'agentCommand']],
  ['chat', 'claude', ['chatAgent']],
  ['chat', 'custom', ['chatAgent', 'chatCommand']],
])('section %s with agent %s begins with %j', (id, kind, first) => {
  const section = sections.find((one) => one.id === id);
  if (!section) throw new Error('no such section');
  const shown = shownParts(section, { ...settings, agent: kind, chatAgent: kind });
  const names = shown.map((part) => (typeof part === 'string' ? part : part.field));
  expect(names.slice(0, first.length)).toEqual(first);
  // Fields of the other kind are not shown further down.
  expect(names.filter((name) => /Command|Args/.test(name))).toEqual(first.slice(1));
});

test('a choice offers what is set now, and keeps the type of its setting', () => {
  for (const name of ['agent', 'chatAgent', 'theme', 'terminalGraceMinutes'] as const) {
    const part = field(name);
    if (part.kind !== 'choice') throw new Error(`${name} is no choice`);
    const now = String(settings[name]);
    expect(part.options(now, agents).map(({ value }) => value)).toContain(now);
    expect(chosen(settings, part, now)).toEqual({ [name]: settings[name] });
  }
});
