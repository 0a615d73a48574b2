import type { Component } from 'svelte';
import type { WindowState } from '$ui/protocol/protocol';
import type { AppWindow } from '../window.svelte';
import Clients from './Clients.svelte';
import ModelSettings from './ModelSettings.svelte';
import Programs from './Programs.svelte';
import Secrets from './Secrets.svelte';
import SessionSettings from './SessionSettings.svelte';
import SignIns from './SignIns.svelte';
import SiteRules from './SiteRules.svelte';
import Stored from './Stored.svelte';
import ToolServers from './ToolServers.svelte';

/** A group of the page with a component of its own, beside the groups of the registry. */
export interface OwnSection {
  id: string;
  title: string;
  /** What a search finds it by, in addition to its title. */
  words: string;
  /** The group of the registry after which it is shown; without it, at the end. */
  after?: string;
  component: Component<{ app: AppWindow; snapshot: WindowState }>;
}

/** The groups with components of their own, in their order. */
export const ownSections: readonly OwnSection[] = [
  {
    id: 'models',
    title: 'Models',
    words: 'chat task key provider llm openai anthropic ollama',
    after: 'chat',
    component: ModelSettings,
  },
  {
    id: 'sites',
    title: 'What agents may do on sites',
    words: 'rules permissions allow ask deny',
    after: 'agent',
    component: SiteRules,
  },
  {
    id: 'signins',
    title: 'Sign-ins',
    words: 'import cookies browser chrome chromium edge brave firefox session',
    component: SignIns,
  },
  {
    id: 'sessions',
    title: 'Sessions',
    words:
      'identity network colour color theme profile temporary proxy socks user agent languages start pages certificates authority headers geolocation location extensions switches flags',
    component: SessionSettings,
  },
  {
    id: 'secrets',
    title: 'Secrets',
    words: 'passwords one-time codes keychain 1password origin',
    component: Secrets,
  },
  {
    id: 'programs',
    title: 'Other programs',
    words: 'connect claude codex cursor vscode zed editor mcp skill',
    component: Programs,
  },
  {
    id: 'servers',
    title: 'MCP servers for agents',
    words: 'tools mcp-servers import address http headers permission',
    component: ToolServers,
  },
  {
    id: 'clients',
    title: 'Connected clients',
    words: 'tokens programs mcp agents revoke',
    component: Clients,
  },
  {
    id: 'stored',
    title: 'Stored data',
    words: 'delete clear disk size history cookies cache downloads logs privacy',
    component: Stored,
  },
];
