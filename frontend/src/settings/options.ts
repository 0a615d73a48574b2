import {
  AgentAuto,
  AgentCustom,
  type AgentsFile,
  type FoundBrowser,
  type Setting,
} from '$ui/protocol/protocol';
import type { Option } from '$ui/option';

/** The choices of a setting, including its current value. */
export function numberOptions(setting: Setting, current: string): Option[] {
  const choices = setting.choices ?? [];
  if (choices.some(({ value }) => value === current)) return choices;
  return [...choices, { value: current, text: `${current} ${setting.unit ?? ''}`.trim() }];
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
