import type { AgentInfo, AgentKind, AgentsFile, Code } from '$ui/protocol/protocol';
import {
  AgentAuto,
  AgentCustom,
  AgentPilot,
  AgentShell,
  CodeBadKey,
  CodeModelSetup,
  CodeNoKey,
  CodeUnknownModel,
} from '$ui/protocol/protocol';
import { modelKind } from '$ui/words';

/** Not in the catalogue, because it is part of Pilotfish. */
const pilot: AgentInfo = { kind: AgentPilot, name: 'Pilot', installed: true };

/**
 * The agents for Chat. An agent that is installed but lacks what Chat needs counts
 * as missing, and its install command is the one for what is lacking. Each model
 * profile is an agent too.
 */
export function talkers({ agents, models }: AgentsFile): AgentInfo[] {
  const others = agents.filter(
    ({ kind }) => kind !== AgentShell && kind !== AgentCustom && kind !== AgentPilot,
  );
  return [
    pilot,
    ...others.map((agent) => {
      const chats = agent.chat !== undefined && agent.chat !== '';
      const way = agent.chatInstall ?? agent.install;
      return {
        ...agent,
        installed: chats && agent.problem === undefined,
        ...(way !== undefined && { install: way }),
      };
    }),
    ...(models ?? []),
  ];
}

/**
 * The agent of a new conversation: the one from the settings. "auto" means the
 * first installed agent, else Pilot. The same applies when the model from the
 * settings was removed.
 */
export function usual(agents: readonly AgentInfo[], chosen: AgentKind): AgentKind {
  const removed = isModel(chosen) && !agents.some(({ kind }) => kind === chosen);
  if (chosen !== AgentAuto && !removed) return chosen;
  return agents.find(({ kind, installed }) => installed && kind !== AgentPilot)?.kind ?? AgentPilot;
}

/** Whether an agent is a model profile. */
export function isModel(kind: AgentKind): boolean {
  return kind.startsWith(modelKind);
}

/** The agent kind of a model profile. */
export function modelAgent(profile: string): AgentKind {
  return modelKind + profile;
}

/** The profile of an agent kind; undefined for other agents. */
export function profileOf(kind: AgentKind): string | undefined {
  return isModel(kind) ? kind.slice(modelKind.length) : undefined;
}

/** The model of a model profile; empty for other agents. */
export function modelName(agents: readonly AgentInfo[], kind: AgentKind): string {
  return isModel(kind) ? (agents.find((agent) => agent.kind === kind)?.detail ?? '') : '';
}

/** How the user can correct a model's error: by changing it, or by setting up a new one. */
export function mending(code: Code | undefined): 'change' | 'new' | undefined {
  if (code === CodeUnknownModel) return 'new';
  return code === CodeNoKey || code === CodeBadKey || code === CodeModelSetup
    ? 'change'
    : undefined;
}
