import type { MenuItem } from '$ui/menu-item';
import type { Conversation } from '$ui/protocol/protocol';
import { isModel } from './agents';

/** The actions of a conversation's menu. */
export interface MenuActions {
  readonly rename: () => void;
  readonly copy: () => unknown;
  readonly export: () => unknown;
  readonly changeModel: () => void;
  readonly terminal: () => unknown;
  readonly delete: () => void;
}

/** The menu of a conversation. `kept` tells that the backend has it and that it has entries. */
export function conversationMenu(
  { agent, can, state }: Pick<Conversation, 'agent' | 'can' | 'state'>,
  kept: boolean,
  does: MenuActions,
): MenuItem[] {
  const item = (text: string, icon: MenuItem['icon'], run: () => unknown): MenuItem => ({
    text,
    icon,
    disabled: !kept,
    run: () => void run(),
  });
  const change = { ...item('Change the model…', 'settings', does.changeModel), disabled: false };
  return [
    item('Rename…', 'edit', does.rename),
    item('Copy as Markdown', 'copy', does.copy),
    item('Export as Markdown', 'download', does.export),
    ...(isModel(agent) ? [change] : []),
    ...(can.terminal && state !== 'terminal'
      ? [item('Continue in terminal', 'terminal', does.terminal)]
      : []),
    { ...item('Delete…', 'trash', does.delete), tone: 'danger' },
  ];
}
