import {
  AgentAuto,
  AgentCustom,
  AgentPilot,
  AgentShell,
  type AgentsFile,
} from '$ui/protocol/protocol';
import type { Option } from '$ui/option';

/** The agents to choose from for Chat: automatic, Pilot, those that support conversations, a command. */
export function chatAgentOptions(agents: AgentsFile, current: string): Option[] {
  const others = agents.agents.filter(
    ({ kind }) => ![AgentAuto, AgentCustom, AgentPilot, AgentShell].includes(kind),
  );
  const options: Option[] = [
    { value: AgentAuto, text: 'Automatic (an agent that is installed, else a model, else Pilot)' },
    { value: AgentPilot, text: 'Pilot' },
    ...others.map(({ kind, name, installed, chat }) => ({
      value: kind,
      text: installed && chat ? name : `${name} (not installed)`,
    })),
    ...(agents.models ?? []).map(({ kind, name, detail }) => ({
      value: kind,
      text: detail === undefined ? name : `${name} (${detail})`,
    })),
    { value: AgentCustom, text: 'A command of your own…' },
  ];
  if (!options.some(({ value }) => value === current))
    options.push({
      value: current,
      text: current.startsWith('model:') ? 'A model that was removed' : current,
    });
  return options;
}

/** The words of a comma-separated list that the user typed. */
export function spoken(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
