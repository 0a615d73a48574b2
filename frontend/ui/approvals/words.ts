// Turns an approval into text: who asks, what would be done, what that may cause, and where. The
// approval is transmitted as data. backend/question produces the text for the tray, notifications
// and the command line; one file tests both (backend/question/testdata/questions.json).
import type { ActionKind, Actor, Approval, ApprovalArg } from '../protocol/protocol';

/** How many characters of a value a sentence shows. */
const quoted = 60;

/** Who asks: "Your terminal in t1", "Claude Code in Chat", a task's complete title. */
export function who({ kind, agent = '', tab = '', title = '', name }: Actor): string {
  switch (kind) {
    case 'terminal':
      if (agent === '') return tab === '' ? 'Your terminal' : `Your terminal in ${tab}`;
      return tab === '' ? `${agent} in the terminal` : `${agent} in the terminal of ${tab}`;
    case 'chat':
      return agent === '' ? 'Chat' : `${agent} in Chat`;
    case 'task':
      return title === '' ? 'A task' : `Task “${title.replace(/[“”]/g, '"')}”`;
    case 'mcp':
      return `${agent} over MCP`;
    case 'shell':
      return 'A command in your shell';
    case 'person':
      return 'You';
    default:
      return name;
  }
}

/** What would be done, as the text after "wants to": 'click “Buy now”'. */
export function what(approval: Approval): string {
  return new Saying(approval).text;
}

const effects: Partial<Record<ActionKind, string>> = {
  send: 'This may send or publish something.',
  pay: 'This may pay for something or place an order.',
  delete: 'This may delete something.',
  sign_in: 'This sends a form with a password.',
  data: 'It did not start on this site and would give data to it.',
  secret: 'Pilotfish enters it. The agent does not see the value.',
};

/** What the action may cause, as a sentence; empty when `what` already says it. */
export function consequence({
  actor,
  command,
  kind,
  login,
  args,
}: Pick<Approval, 'actor' | 'command' | 'kind' | 'login' | 'args'>): string {
  if (command === 'trust' && kind !== 'tool')
    return "They can run programs as you. You are asked again when they change. If you deny it, the agent starts in a folder of Pilotfish's own.";
  if (command === 'mcp-server' && kind !== 'tool')
    return args?.some(({ name }) => name === 'address') === true
      ? 'It is a server that the agent connects to: what the agent sends there leaves this computer.'
      : 'It is a program that runs as you, and the agent can use everything that it offers.';
  if (command === 'mcp-tool' && kind !== 'tool')
    return 'The server gets these arguments. Pilotfish does not know what the tool does.';
  if (actor.kind === 'shell')
    return 'An agent runs that is not confined, so Pilotfish cannot be sure that you asked.';
  if (login !== undefined) return 'You type them in the panel. No agent sees them.';
  return effects[kind] ?? '';
}

/** Where it would be done: an origin, or this computer; empty when no page is involved. */
export function where({ kind, origin }: Pick<Approval, 'kind' | 'origin'>): string {
  return kind === 'tool' ? 'this computer' : origin;
}

/** What a rule about a kind of action lets agents do, as the text after "agents may". */
const allowed: Record<ActionKind, string> = {
  open: 'open pages',
  act: 'use pages',
  sensitive: 'do sensitive things',
  eval: 'run JavaScript',
  cookies: 'read and change cookies and stored data',
  download: 'download files',
  upload: 'upload files',
  clipboard: 'use the clipboard',
  permissions: 'change what the site may use, such as the camera',
  secret: 'use your secrets',
  send: 'send or publish things',
  pay: 'pay and place orders',
  delete: 'delete things',
  sign_in: 'send forms with a password',
  data: 'enter data',
  tool: 'use their own tools',
};

export function may(kind: ActionKind): string {
  return allowed[kind];
}

/**
 * Everything that `what` leaves out: arguments in full, the target of a link, the data that a form
 * sends.
 */
export function details(approval: Approval): ApprovalArg[] {
  const { said, cut } = new Saying(approval);
  const { args = [], command, target } = approval;
  const rest = cut ? [{ name: 'tool', value: command }] : [];
  rest.push(...args.filter(({ name }) => !said.has(name)));
  if (target === undefined) return rest;
  const { name, href = '', form, submits = false } = target;
  if (!enquoted(name).whole) rest.push({ name: 'element', value: name });
  if (href !== '') rest.push({ name: 'link', value: href });
  if (form === undefined) return rest;
  if (submits && form.action !== '') rest.push({ name: 'form sent to', value: form.action });
  if (form.fields.length > 0) {
    const lines = form.fields.map((field) => `${field.name}: ${field.value}`);
    rest.push({ name: 'form fields', value: lines.join('\n') });
  }
  return rest;
}

/** A text of a page or an agent on one line, in quotes that the text cannot close. */
function enquoted(text: string): { readonly text: string; readonly whole: boolean } {
  const line = text.trim().split(/\s+/u).join(' ').replace(/[“”„]/g, '"');
  const runes = Array.from(line);
  const short = runes.length > quoted ? `${runes.slice(0, quoted - 1).join('')}…` : line;
  return { text: `“${short}”`, whole: short === text };
}

/** Composes the text of an approval, and records the arguments that it contains completely. */
class Saying {
  readonly said = new Set<string>();
  /** The tool's title was too long. */
  cut = false;
  readonly text: string;

  constructor(private readonly approval: Approval) {
    this.text = this.#what();
  }

  #arg(name: string): string {
    return this.approval.args?.find((arg) => arg.name === name)?.value ?? '';
  }

  #quote(name: string): string {
    const { text, whole } = enquoted(this.#arg(name));
    if (whole) this.said.add(name);
    return text;
  }

  /**
   * The element of the action, by its name on the page where that is known, otherwise as the
   * command named it.
   */
  #element(): string {
    const { target } = this.approval;
    if (target === undefined)
      return this.#arg('target') === '' ? 'something' : this.#quote('target');
    this.said.add('target');
    if (target.name !== '') return enquoted(target.name).text;
    return target.role === '' || target.role === 'generic'
      ? 'something without a name'
      : `an unnamed ${target.role}`;
  }

  #what(): string {
    const { command, kind, target } = this.approval;
    if (kind === 'tool') {
      const title = enquoted(command);
      this.cut = !title.whole;
      return `use the tool ${title.text}`;
    }
    if (kind === 'download' && this.#arg('file') !== '') return `download ${this.#quote('file')}`;
    if (kind === 'secret') {
      const secret = this.#quote('secret');
      return target === undefined && this.#arg('target') === ''
        ? `use the secret ${secret}`
        : `use the secret ${secret} in ${this.#element()}`;
    }
    switch (command) {
      case 'login':
        return 'log in with a user name and a password';
      case 'goto':
        return this.#opens(
          kind === 'data' ? 'open a page with data in its address' : 'open a page',
        );
      case 'newtab':
        return this.#opens(
          kind === 'data'
            ? 'open a page in a new tab with data in its address'
            : 'open a page in a new tab',
        );
      case 'click':
        if (kind === 'download') return `download a file with ${this.#element()}`;
        return `click ${this.#element()}`;
      case 'dblclick':
        return `double-click ${this.#element()}`;
      case 'hover':
        return `point at ${this.#element()}`;
      case 'fill':
      case 'type':
        if (target?.type === 'password') {
          this.said.add('value');
          return `type a password into ${this.#element()}`;
        }
        return `type ${this.#quote('value')} into ${this.#element()}`;
      case 'press':
        return target === undefined && this.#arg('target') === ''
          ? `press ${this.#quote('key')}`
          : `press ${this.#quote('key')} in ${this.#element()}`;
      case 'select':
        return `choose ${this.#quote('value')} in ${this.#element()}`;
      case 'check':
        return `switch on ${this.#element()}`;
      case 'uncheck':
        return `switch off ${this.#element()}`;
      case 'upload':
        return `upload ${this.#quote('files')} to ${this.#element()}`;
      case 'download':
        return `download a file with ${this.#element()}`;
      case 'clipboard':
        return this.#arg('text') === ''
          ? 'read the clipboard'
          : `write ${this.#quote('text')} to the clipboard`;
      case 'eval': {
        const code = this.#quote('expression');
        return this.said.has('expression') && this.#arg('expression') !== ''
          ? `run the JavaScript ${code}`
          : 'run JavaScript';
      }
      case 'cookies':
        return this.#stored('cookies');
      case 'storage':
        return this.#stored('data that the page stores');
      case 'state':
        return this.#state();
      case 'permissions':
        if (this.#arg('name') === '' || this.#arg('do') === '')
          return 'change what the site may use, such as the camera';
        this.said.add('do');
        return `${this.#arg('do')} the permission ${this.#quote('name')}`;
      case 'record':
        if (kind !== 'sensitive') return `run the command “${command}”`;
        this.said.add('do');
        return `replace the routine ${this.#quote('name')} of another owner`;
      case 'terminal':
        return this.#terminal();
      case 'dialog':
        return `answer a dialog with ${this.#quote('text')}`;
      case 'headers':
        return 'send its own headers with every request of the tab';
      case 'useragent':
        return 'send its own user agent with every request of the tab';
      case 'network': {
        if (kind !== 'eval') return `run the command “${command}”`;
        this.said.add('do');
        if (this.approval.origin !== '') return 'run code by its own answers to requests';
        return `run code on every site by its own answers to requests for ${this.#quote('what')}`;
      }
      case 'app':
        return this.#app();
      case 'schedule':
        this.said.add('action').add('schedule');
        return `change what Pilotfish runs by itself: ${this.#arg('action')} the schedule ${this.#quote('schedule')}`;
      case 'secret':
        return this.#secrets();
      case 'signins':
        return this.#signIns();
      case 'rules':
        return 'change what agents may do on which sites';
      case 'trust':
        return `use the settings for agents in ${this.#quote('folder')}`;
      case 'mcp-server':
        if (this.#arg('address') !== '')
          return `use your MCP server ${this.#quote('server')} at ${this.#quote('address')}`;
        return `start your MCP server ${this.#quote('server')} with ${this.#quote('command')}`;
      case 'mcp-tool':
        return `use the tool ${this.#quote('tool')} of your MCP server ${this.#quote('server')}`;
      case 'cdp':
        return `send the DevTools command ${this.#quote('method')}`;
      default:
        return `run the command “${command}”`;
    }
  }

  /** What is done with a session, or with the app. */
  #app(): string {
    this.said.add('action').add('data');
    const action = this.#arg('action');
    switch (action) {
      case 'quit':
        return 'quit Pilotfish';
      case 'rotate-tokens':
        return 'give every panel a new token';
      case 'restart-server':
        return "restart Pilotfish's server";
      case 'clients':
        return 'change which programs are connected to Pilotfish';
      case 'stored':
        return `delete stored data: ${this.#quote('data')}`;
      default:
        return `${action} the session ${this.#quote('session')}`;
    }
  }

  /** An address that is only the origin is already in `where`. */
  #opens(text: string): string {
    const url = this.#arg('url');
    const { origin } = this.approval;
    if (url === origin || url === `${origin}/`) this.said.add('url');
    return text;
  }

  /** What the command `terminal` does. */
  #terminal(): string {
    const which = this.#arg('terminal') === '' ? 'a terminal of its tab' : this.#quote('terminal');
    const verb = this.#arg('do');
    this.said.add('do');
    if (verb === 'send' && this.#arg('text') !== '')
      return `type ${this.#quote('text')} into ${which}`;
    if (verb === 'send') return `press ${this.#quote('keys')} in ${which}`;
    return verb === 'read' || verb === 'wait' ? `read ${which}` : `list ${which}`;
  }

  #stored(things: string): string {
    this.said.add('do');
    const todo = this.#arg('do');
    if (['', 'list', 'get'].includes(todo)) return `read ${things}`;
    return todo === 'set' ? `change ${things}` : `delete ${things}`;
  }

  #secrets(): string {
    this.said.add('do');
    switch (this.#arg('do')) {
      case 'add':
        return `add the secret ${this.#quote('name')}`;
      case 'remove':
        return `remove the secret ${this.#quote('name')}`;
      default:
        return 'list the names of your secrets';
    }
  }

  #signIns(): string {
    this.said.add('do');
    switch (this.#arg('do')) {
      case 'import':
        return 'import sign-ins from another browser';
      case 'remove':
        return 'remove imported sign-ins';
      default:
        return 'list the sites of your other browsers';
    }
  }

  #state(): string {
    switch (this.#arg('do')) {
      case 'load':
        return 'put back saved cookies and stored data';
      case 'save':
        return 'save cookies and stored data to a file';
      case 'delete':
        return 'delete saved cookies and stored data';
      default:
        return 'list saved cookies and stored data';
    }
  }
}
