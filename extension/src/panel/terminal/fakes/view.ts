import type { Socket, SocketEvents } from '../../core/lastingsocket';
import type { ViewConfig } from '../viewconfig';

/** Receives the events of a socket and does nothing. */
export const nobody: SocketEvents = { message: () => undefined, closed: () => undefined };

/** A view without a screen: it records what happens to it, and dials when it attaches. */
export class TerminalView {
  static all: TerminalView[] = [];
  readonly did: string[] = [];
  readonly stream = {
    state: 'closed',
    wake: (epoch?: number) => this.did.push(`wake ${epoch ?? ''}`.trim()),
    attach: () => {
      this.did.push('attach');
      this.dialled = this.config.dial({ cols: 80, rows: 24 }, nobody);
      this.dialled.catch(() => undefined);
    },
    look: () => this.did.push('look'),
    input: (text: string) => this.did.push(`input ${text}`),
  };
  readonly selection = 'selected';
  dialled: Promise<Socket> | undefined;

  constructor(
    _: HTMLElement,
    readonly config: ViewConfig,
  ) {
    TerminalView.all.push(this);
  }

  at = '';

  place = (place: string) => (this.at = place);
  show = () => this.did.push('show');
  hide = () => this.did.push('hide');
  focus = () => this.did.push('focus');
  dispose = () => this.did.push('dispose');
  endFind = () => this.did.push('endFind');
  find = (text: string, direction: string) => this.did.push(`find ${text} ${direction}`);
  setScheme = (dark: boolean) => this.did.push(`dark ${String(dark)}`);
  setFontSize = (size: number) => this.did.push(`size ${String(size)}`);
}
