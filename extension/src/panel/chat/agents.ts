import type { AgentInfo, AgentKind } from '$ui/protocol/protocol';
import { AgentAuto, AgentCustom, AgentPilot, AgentShell } from '$ui/protocol/protocol';

/** In no catalogue: it is part of Pilotfish. */
const pilot: AgentInfo = { kind: AgentPilot, name: 'Pilot', installed: true };

/**
 * The agents that can be talked to: one that is installed without what Chat
 * needs counts as missing, and its way to get that is how to get it.
 */
export function talkers(agents: readonly AgentInfo[]): AgentInfo[] {
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
  ];
}

/**
 * Who answers in a new conversation: the agent of Settings. "auto" is the first
 * that can, else ours.
 */
export function usual(agents: readonly AgentInfo[], chosen: AgentKind): AgentKind {
  if (chosen !== AgentAuto) return chosen;
  return agents.find(({ kind, installed }) => installed && kind !== AgentPilot)?.kind ?? AgentPilot;
}
