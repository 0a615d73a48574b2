import type {
  Conversation,
  Task,
  TaskRoutine,
  TerminalInfo,
  Theme,
  WindowShow,
} from '$ui/protocol/protocol';
import type { Connection } from '../connection/connection';
import type { QuickDesk } from '../quick/desk';
import type { Conversations } from '../state/conversations.svelte';
import type { Face, Faces } from '../state/faces.svelte';
import type { SessionStore } from '../state/session.svelte';
import type { Heads } from '../task/state/heads.svelte';
import type { Terminals } from '../terminal/terminals.svelte';
import type { Source } from './entries';

/** The parts of the panel that the palette searches. */
export interface SourceParts {
  readonly desk: QuickDesk;
  readonly connection: Connection;
  readonly session: SessionStore;
  readonly conversations: Conversations;
  readonly tasks: Heads;
  readonly terminals: Terminals;
  readonly faces: Faces;
  help(what: 'help' | 'keys'): void;
}

/** What the palette finds in the panel, and how it is shown there. */
export class PanelSource implements Source {
  readonly #parts: SourceParts;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  get conversations(): readonly Conversation[] {
    return this.#parts.conversations.all;
  }

  get tasks(): readonly Task[] {
    return this.#parts.tasks.all;
  }

  get terminals(): readonly TerminalInfo[] {
    return this.#parts.session.terminals;
  }

  get theme(): Theme {
    return this.#parts.session.settings.theme;
  }

  choose(face: Face): void {
    const { desk, faces, terminals } = this.#parts;
    desk.drawer.fill(false);
    faces.choose(desk.tab?.id, face);
    if (face === 'terminal') terminals.focus();
  }

  showConversation(one: Conversation): void {
    const { desk, conversations } = this.#parts;
    const { tab } = desk;
    if (tab === undefined) return;
    // Chat goes to the tab of the conversation, where that is open.
    conversations.wanted = { tab: tab.id, id: one.id };
    this.choose('chat');
  }

  showTask(one: Task): void {
    this.#parts.tasks.wanted = { task: one.id };
    this.choose('task');
  }

  runRoutine(one: TaskRoutine): void {
    this.#parts.tasks.wanted = { routine: one.name };
    this.choose('task');
  }

  showTerminal(one: TerminalInfo): void {
    const { desk, faces, terminals } = this.#parts;
    terminals.choose(one.tab, one.id);
    faces.choose(one.tab, 'terminal');
    if (one.tab === desk.tab?.id) this.choose('terminal');
    else desk.showTab(one.tab);
  }

  newTerminal(): void {
    const { desk, terminals } = this.#parts;
    if (desk.tab === undefined) return;
    this.choose('terminal');
    terminals.start(desk.tab.id);
  }

  setTheme(theme: Theme): void {
    this.#parts.connection.send({ type: 'theme', theme });
  }

  openWindow(show: WindowShow): void {
    this.#parts.connection.send({ type: 'window', window: show });
  }

  help(what: 'help' | 'keys'): void {
    this.#parts.help(what);
  }
}
