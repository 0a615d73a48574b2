import { AgentAuto, AgentCustom, type AgentsFile, type FoundBrowser } from '$ui/protocol/protocol';
import type { Option } from '$ui/option';

const graces: readonly (readonly [minutes: number, text: string])[] = [
  [5, '5 minutes'],
  [15, '15 minutes'],
  [30, '30 minutes'],
  [60, '1 hour'],
  [240, '4 hours'],
  [0, 'Until the session stops'],
];

/** The themes to choose from. */
export const themeOptions: Option[] = [
  { value: 'system', text: 'Same as the desktop' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

/** The grace periods to choose from, including the current one. */
export function graceOptions(current: number): Option[] {
  const known = graces.some(([minutes]) => minutes === current);
  const all = known ? graces : [...graces, [current, `${String(current)} minutes`] as const];
  return all.map(([minutes, text]) => ({ value: String(minutes), text }));
}

/** The agents to choose from: automatic, each known one, a command. */
export function agentOptions(agents: AgentsFile, current: string): Option[] {
  const nameOf = (kind: string) => agents.agents.find((agent) => agent.kind === kind)?.name ?? kind;
  const options: Option[] = [
    { value: AgentAuto, text: `Automatic (${nameOf(agents.default)})` },
    ...agents.agents
      .filter((agent) => agent.kind !== AgentAuto && agent.kind !== AgentCustom)
      .map((agent) => ({
        value: agent.kind,
        text: agent.installed ? agent.name : `${agent.name} (not installed)`,
      })),
    { value: AgentCustom, text: 'A command of your own…' },
  ];
  if (!options.some((option) => option.value === current)) {
    options.push({ value: current, text: current });
  }
  return options;
}

/** The option "a path that is not among the found browsers". */
export const otherBrowser = 'other:';

/** The browsers to choose from. */
export function browserOptions(browsers: readonly FoundBrowser[]): Option[] {
  const first = browsers[0];
  return [
    { value: '', text: first ? `Automatic (${first.name})` : 'Automatic (none found)' },
    ...browsers.map((browser) => ({
      value: browser.path,
      text: `${browser.name} — ${browser.path}`,
    })),
    { value: otherBrowser, text: 'Another program…' },
  ];
}
