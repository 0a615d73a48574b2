import { AgentCustom, type AgentsFile, type Settings } from '$ui/protocol/protocol';
import type { Option } from '$ui/option';
import { chatAgentOptions } from './chat';
import { agentOptions, graceOptions, themeOptions } from './options';

/** The names of the settings that have a value of this type. */
type Of<T> = { [F in keyof Settings]: Settings[F] extends T ? F : never }[keyof Settings];

interface Words {
  label: string;
  hint?: string;
  /** Whether to show the field for these settings; without it, always. */
  when?: (settings: Settings) => boolean;
}

export interface SwitchField extends Words {
  kind: 'switch';
  field: Of<boolean>;
}

export interface TextField extends Words {
  kind: 'text';
  field: Of<string>;
  placeholder: string;
  /** For commands: a monospaced font. */
  mono?: true;
  type?: 'url';
}

export interface NumberField extends Words {
  kind: 'number';
  field: Of<number>;
  min: number;
  max?: number;
}

export interface ChoiceField extends Words {
  kind: 'choice';
  field: Of<string> | Of<number>;
  options: (current: string, agents: AgentsFile) => Option[];
}

/** A folder, which the user can also choose in a dialog. */
export interface FolderField extends Words {
  kind: 'folder';
  field: Of<string>;
  placeholder: string;
}

/** One setting of the form. */
export type SettingField = SwitchField | TextField | NumberField | ChoiceField | FolderField;

/** Parts that are more than one setting, with a component of their own. */
export type OwnPart = 'browser' | 'routing' | 'models' | 'sites' | 'secrets';

/** A group of settings with a heading. */
export interface Section {
  id: string;
  title: string;
  parts: readonly (SettingField | OwnPart)[];
}

/** The settings in the order of the page. */
export const sections: readonly Section[] = [
  {
    id: 'browser',
    title: 'Browser',
    parts: [
      'browser',
      {
        kind: 'folder',
        field: 'profileDir',
        label: 'Profile folder',
        hint: 'Where the default session stores logins and history.',
        placeholder: 'Inside the session’s own folder',
      },
      {
        kind: 'text',
        field: 'startUrl',
        label: 'Start page',
        hint: 'The first page of a session.',
        placeholder: 'The welcome page',
        type: 'url',
      },
    ],
  },
  {
    id: 'agent',
    title: 'Agent',
    parts: [
      {
        kind: 'choice',
        field: 'agent',
        label: 'Agent',
        hint: 'Runs in each new terminal.',
        options: (current, agents) => agentOptions(agents, current),
      },
      {
        kind: 'text',
        field: 'agentCommand',
        label: 'Command',
        hint: 'A program and its arguments, as in a shell.',
        placeholder: 'my-agent --fast',
        mono: true,
        when: ({ agent }) => agent === AgentCustom,
      },
      {
        kind: 'text',
        field: 'agentArgs',
        label: 'Arguments',
        hint: 'Additional command-line arguments, as in a shell.',
        placeholder: 'None',
        mono: true,
        when: ({ agent }) => agent !== AgentCustom,
      },
      {
        kind: 'folder',
        field: 'workDir',
        label: 'Working folder',
        hint: 'New terminals and agents start in this folder.',
        placeholder: 'A folder made by Pilotfish',
      },
      {
        kind: 'switch',
        field: 'confineAgents',
        label: 'Confine agents',
        hint: 'Agents in Terminal and Chat cannot see Pilotfish’s own files and processes, other programs or your desktop. Counts from the next start of an agent.',
      },
      {
        kind: 'switch',
        field: 'everyTab',
        label: 'Start an agent in every tab',
        hint: 'Starts one in each tab you open the panel for, not only in the first.',
      },
    ],
  },
  {
    id: 'chat',
    title: 'Chat',
    parts: [
      {
        kind: 'choice',
        field: 'chatAgent',
        label: 'Answered by',
        hint: 'The agent for new conversations. Pilot needs no account.',
        options: (current, agents) => chatAgentOptions(agents, current),
      },
      {
        kind: 'text',
        field: 'chatCommand',
        label: 'Command',
        hint: 'A program that supports the Agent Client Protocol.',
        placeholder: 'my-agent --acp',
        mono: true,
        when: ({ chatAgent }) => chatAgent === AgentCustom,
      },
      'routing',
      {
        kind: 'number',
        field: 'chatSilenceMinutes',
        label: 'Silent agents',
        hint: 'After this many minutes without output you can stop the turn.',
        min: 1,
      },
    ],
  },
  { id: 'models', title: 'Models for Task', parts: ['models'] },
  {
    id: 'look',
    title: 'Appearance',
    parts: [
      {
        kind: 'choice',
        field: 'theme',
        label: 'Theme',
        hint: 'Of this window and of the panel.',
        options: () => themeOptions,
      },
    ],
  },
  {
    id: 'terminal',
    title: 'Terminal',
    parts: [
      {
        kind: 'choice',
        field: 'terminalGraceMinutes',
        label: 'Keep closed terminals running',
        hint: 'How long an agent keeps running while no panel shows it.',
        options: (current) => graceOptions(Number(current)),
      },
      {
        kind: 'number',
        field: 'fontSize',
        label: 'Font size',
        hint: 'In pixels, 8 to 32.',
        min: 8,
        max: 32,
      },
    ],
  },
  {
    id: 'activity',
    title: 'Activity',
    parts: [
      {
        kind: 'switch',
        field: 'activityShots',
        label: 'Screenshots of what was done',
        hint: 'Keeps a screenshot of the page after each command that acts, with secret fields covered. The oldest are removed.',
      },
    ],
  },
  { id: 'sites', title: 'What agents may do on sites', parts: ['sites'] },
  { id: 'secrets', title: 'Secrets', parts: ['secrets'] },
  {
    id: 'protocol',
    title: 'DevTools protocol',
    parts: [
      {
        kind: 'text',
        field: 'cdpAllow',
        label: 'Allowed for you',
        hint: 'Additional methods for “pilotfish cdp”, such as Page.captureScreenshot.',
        placeholder: 'Read-only methods',
      },
      {
        kind: 'text',
        field: 'cdpAllowAgents',
        label: 'Allowed for agents',
        hint: 'You are asked each time, unless a site rule says otherwise.',
        placeholder: 'Read-only methods',
      },
    ],
  },
  {
    id: 'start',
    title: 'Start',
    parts: [
      {
        kind: 'switch',
        field: 'startSession',
        label: 'Start the session with Pilotfish',
        hint: 'Opens the browser of the default session.',
      },
      {
        kind: 'switch',
        field: 'startOnLogin',
        label: 'Start Pilotfish when you log in',
      },
    ],
  },
];

/** The parts of a section to show for these settings. */
export function shownParts(section: Section, settings: Settings): (SettingField | OwnPart)[] {
  return section.parts.filter(
    (part) => typeof part === 'string' || part.when?.(settings) !== false,
  );
}

/** Converts the text of an option to the value of its setting. */
export function chosen(
  settings: Settings,
  { field }: ChoiceField,
  text: string,
): Partial<Settings> {
  return { [field]: typeof settings[field] === 'number' ? Number(text) : text };
}
