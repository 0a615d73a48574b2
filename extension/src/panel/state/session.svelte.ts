import type {
  AgentInfo,
  AgentKind,
  AgentsFile,
  Exit,
  PanelEvent,
  PanelView,
  SessionInfo,
  Tab,
  TerminalID,
  TerminalInfo,
  TabID,
} from '$ui/protocol/protocol';
import { AgentAuto, AgentEnded, TerminalEnded } from '$ui/protocol/protocol';
import { lastTextSize, lastTheme } from '$ui/theme';
import { byTime } from '$ui/time';
import type { Link } from '../connection/connection';

/** A terminal's state only moves forward within one epoch. */
const order = { starting: 0, live: 1, stopping: 2, ended: 3, missing: 3 } as const;

/** The state that the backend last reported. The panel has no other state of its own. */
export class SessionStore {
  link = $state<Link>('unpaired');
  /** The backend's name for this panel while its socket is open. */
  panel = '';
  info = $state.raw<SessionInfo>();
  agents = $state.raw<AgentsFile>({ version: 1, agents: [], default: AgentAuto });
  settings = $state.raw<PanelView>({
    agent: AgentAuto,
    fontSize: 13,
    textSize: lastTextSize(),
    everyTab: false,
    confinement: { on: true },
    chatAgent: AgentAuto,
    theme: lastTheme(),
    appVersion: '',
  });
  tabs = $state.raw<Tab[]>([]);
  terminals = $state.raw<TerminalInfo[]>([]);

  /** The tab that has this id in Chrome. */
  tabOf(chromeTabId: number | undefined): Tab | undefined {
    const [only, ...others] = this.tabs;
    // If there is only one tab, use it until the browser has reported the panel's
    // tab, or the worker the tab's id in Chrome.
    const alone = others.length === 0 && (chromeTabId === undefined || !only?.chromeTabId);
    if (alone) return only;
    return this.tabs.find((tab) => chromeTabId !== undefined && tab.chromeTabId === chromeTabId);
  }

  /** The terminals of a tab, oldest first. */
  terminalsOf(tab: TabID): TerminalInfo[] {
    return this.terminals
      .filter((terminal) => terminal.tab === tab)
      .sort((a, b) => byTime(a.startedAt, b.startedAt));
  }

  terminal(id: TerminalID): TerminalInfo | undefined {
    return this.terminals.find((terminal) => terminal.id === id);
  }

  /** The catalogue's entry of an agent; "auto" means the default agent. */
  agent(kind: AgentKind): AgentInfo | undefined {
    const meant = kind === AgentAuto || kind === '' ? this.agents.default : kind;
    return this.agents.agents.find((agent) => agent.kind === meant);
  }

  apply(event: PanelEvent): void {
    switch (event.type) {
      case 'hello':
        this.panel = event.panel;
        this.agents = event.agents;
        this.settings = event.settings;
        this.#session(event.session);
        break;
      case 'session':
        this.#session(event.session);
        break;
      case 'tabs':
        this.tabs = event.tabs;
        break;
      case 'terminal':
        this.put(event.terminal);
        break;
      case 'terminal_gone':
        this.gone(event.terminal);
        break;
      case 'agents':
        this.agents = event.agents;
        break;
      case 'settings':
        this.settings = event.settings;
        break;
      default:
        break;
    }
  }

  /**
   * Stores a terminal. Two sources report terminals, so a state older than the
   * known one is dropped.
   */
  put(terminal: TerminalInfo): void {
    const known = this.terminal(terminal.id);
    if (known === undefined) {
      this.terminals = [...this.terminals, terminal];
      return;
    }
    const older =
      terminal.epoch < known.epoch ||
      (terminal.epoch === known.epoch && order[terminal.state] < order[known.state]);
    if (older) return;
    this.terminals = this.terminals.map((other) => (other.id === terminal.id ? terminal : other));
  }

  /** Forgets a terminal that no longer exists. */
  gone(id: TerminalID): void {
    this.terminals = this.terminals.filter((terminal) => terminal.id !== id);
  }

  /** Records that the process of a terminal has ended. */
  ended(id: TerminalID, exit: Exit | undefined): void {
    const known = this.terminal(id);
    if (known === undefined || known.state === TerminalEnded) return;
    this.put({ ...known, state: TerminalEnded, status: AgentEnded, ...(exit && { exit }) });
  }

  #session(session: SessionInfo): void {
    this.info = session;
    this.tabs = session.tabs;
    this.terminals = session.terminals;
  }
}
