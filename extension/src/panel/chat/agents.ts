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

/** In no catalogue: it is part of Pilotfish. */
const pilot: AgentInfo = { kind: AgentPilot, name: 'Pilot', installed: true };

/**
 * The agents that can be talked to: one that is installed without what Chat
 * needs counts as missing, and its way to get that is how to get it. Each model
 * profile is one, too.
 */
export function talkers({ agents, models }: AgentsFile): AgentInfo[] {
  const others = agents.filter(
    ({ kind }) => kind !== AgentShell && kind !== AgentCustom && kind !== AgentPilot,
  );
  return [
    pilot,
    ...others.map((agent) => {
      const talks = agent.chat !== undefined && agent.chat !== '';
      const way = agent.chatInstall ?? agent.install;
      return {
        ...agent,
        installed: talks && agent.problem === undefined,
        ...(way !== undefined && { install: way }),
      };
    }),
    ...(models ?? []),
  ];
}

/**
 * Who answers in a new conversation: the agent of Settings. "auto" is the first
 * that can, else ours; so it is when the model of Settings was removed.
 */
export function usual(agents: readonly AgentInfo[], chosen: AgentKind): AgentKind {
  const removed = isModel(chosen) && !agents.some(({ kind }) => kind === chosen);
  if (chosen !== AgentAuto && !removed) return chosen;
  return agents.find(({ kind, installed }) => installed && kind !== AgentPilot)?.kind ?? AgentPilot;
}

/** What the kinds of model profiles begin with. */
const model = 'model:';

/** Whether an agent is a model profile. */
export function isModel(kind: AgentKind): boolean {
  return kind.startsWith(model);
}

/** The agent that a model profile is. */
export function modelAgent(profile: string): AgentKind {
  return model + profile;
}

/** The profile that an agent is; undefined for other agents. */
export function profileOf(kind: AgentKind): string | undefined {
  return isModel(kind) ? kind.slice(model.length) : undefined;
}

/** The model of an agent that is a profile; empty for other agents. */
export function modelName(agents: readonly AgentInfo[], kind: AgentKind): string {
  return isModel(kind) ? (agents.find((agent) => agent.kind === kind)?.detail ?? '') : '';
}

/** How what is wrong with a model is mended: by its form, or by setting up another one. */
export function mending(code: Code | undefined): 'change' | 'new' | undefined {
  if (code === CodeUnknownModel) return 'new';
  return code === CodeNoKey || code === CodeBadKey || code === CodeModelSetup
    ? 'change'
    : undefined;
}
