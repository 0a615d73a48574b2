import { CodeRefused, type CommandReply, type TargetFacts } from '$ui/protocol/protocol';
import { describe, expect, it } from 'vitest';
import { MessageError } from '../../../messages/envelope';
import type { Frame } from '../../../messages/methods';
import { ByPage } from './bypage';
import type { Call } from './calls';
import type { Link, Place } from './pagelink';
import { clean } from './pagewords';
import type { Arrival, Way } from './travel';

const facts = { line: 'button “Save”', role: 'button', name: 'Save', type: 'submit' };
const pageFields = { next: 9, url: 'https://shop.example/', title: 'Shop' };

/** A tab with one page, and a backend that allows or refuses commands. */
class Stage implements Link {
  readonly asked: {
    kind: string;
    method: string;
    params: Record<string, unknown>;
    place: Place;
  }[] = [];
  readonly judged: { call: Call; facts: TargetFacts | undefined }[] = [];
  url = 'https://shop.example/';
  to = '';
  all: Frame[] = [{ frame: 0, parent: -1, url: 'https://shop.example/cart' }];
  refusal: CommandReply | undefined;
  answers: Record<string, object | MessageError> = {
    snapshot: { ...pageFields, text: 'f0e1 btn "Save"\n… 3 more h1' },
    facts: { ...pageFields, ref: 'f0e1', facts },
    click: { ...pageFields, hit: 'f0e1 btn "Save"', change: change({ said: ['Saved'] }) },
  };

  readonly byPage = new ByPage({
    link: this,
    caller: 'task:1',
    chromeTab: (tab) => (tab === 't1' ? 7 : undefined),
    allow: (tab, call, known) => {
      this.judged.push({ call, facts: known });
      const leave = {
        ok: true,
        tab,
        text: 'yes',
        data: { url: this.url, to: this.to },
        durationMs: 1,
      };
      return Promise.resolve(this.refusal ?? leave);
    },
  });

  run(command: string, args: Record<string, unknown> = {}, tab = 't1'): Promise<CommandReply> {
    return this.byPage.run(tab, { command, args }, new AbortController().signal);
  }

  methods(): string[] {
    return this.asked.map(({ kind, method }) => `${kind} ${method}`);
  }

  tab(kind: string, method: string, params: unknown, place: Place): Promise<never> {
    this.asked.push({ kind, method, params: params as Record<string, unknown>, place });
    const answer = this.answers[method] ?? new MessageError('unknown_method', method);
    return answer instanceof MessageError
      ? Promise.reject(answer)
      : Promise.resolve(answer as never);
  }
  frames(): Promise<readonly Frame[]> {
    return Promise.resolve(this.all);
  }
  loading(): Promise<boolean> {
    return Promise.resolve(false);
  }
  leaving(): Promise<boolean> {
    return Promise.resolve(false);
  }
  arrival: Arrival = { came: 'document' };
  readonly went: unknown[] = [];
  go(tab: number, way: Way): Promise<Arrival> {
    this.went.push([tab, way]);
    return Promise.resolve(this.arrival);
  }
  readonly rested: number[] = [];
  rest(ms: number): Promise<void> {
    this.rested.push(ms);
    return Promise.resolve();
  }
}

function change(more: object): object {
  return { appeared: [], gone: [], changed: [], said: [], more: 0, any: true, ...more };
}

describe('a command by the page’s own events', () => {
  it('is judged by what it would hit, done, and says how', async () => {
    const stage = new Stage();
    const reply = await stage.run('click', { target: 'f0e1' });
    expect(stage.methods()).toEqual(['cs:query facts', 'cs:rpc click']);
    expect(stage.judged).toEqual([{ call: { command: 'click', args: { target: 'f0e1' } }, facts }]);
    expect(stage.asked[1]?.params).toMatchObject({
      ref: 'f0e1',
      origin: 'https://shop.example',
      caller: 'task:1',
      button: 'left',
      count: 1,
    });
    expect(reply.ok).toBe(true);
    expect(reply.text).toMatch(
      /^clicked by the page’s own events, which the page can tell from a user’s\n<(page-[0-9a-f]{16}) origin="https:\/\/shop.example">\n.*btn "Save"\nsays: Saved\n<\/\1>$/,
    );
  });

  it('is not done when the backend says no', async () => {
    const stage = new Stage();
    const error = { code: CodeRefused, message: 'No.', hint: '' } as const;
    stage.refusal = { ok: false, text: 'No.', error, durationMs: 1 };
    expect(await stage.run('click', { target: 'f0e1' })).toBe(stage.refusal);
    expect(await stage.run('snapshot')).toBe(stage.refusal);
    expect(stage.methods()).toEqual(['cs:query facts']);
  });

  it('is not done on a page of another site than the one that was judged', async () => {
    const stage = new Stage();
    stage.url = 'https://other.example/';
    const reply = await stage.run('click', { target: 'f0e1' });
    expect(reply.error).toMatchObject({ code: 'gone' });
    expect(stage.methods()).toEqual(['cs:query facts']);
  });

  it('never takes a ref of the app’s own looks for one of the page’s', async () => {
    const stage = new Stage();
    for (const target of ['e1', '@e1', 'f2e1'])
      expect((await stage.run('click', { target })).error).toMatchObject({ code: 'no_element' });
    expect(stage.asked).toEqual([]);
  });

  it('acts in the frame that the ref names', async () => {
    const stage = new Stage();
    stage.all = [...stage.all, { frame: 12, parent: 0, url: 'https://pay.example/form' }];
    await stage.run('click', { target: 'f012e1' });
    expect(stage.asked.map(({ place }) => place)).toEqual([
      { tab: 7, frame: 12 },
      { tab: 7, frame: 12 },
    ]);
    expect(stage.asked[0]?.params).toMatchObject({
      origin: 'https://pay.example',
      prefix: 'f012e',
    });
    const gone = await stage.run('click', { target: 'f013e1' });
    expect(gone.error).toMatchObject({ code: 'gone' });
  });

  it('never gives a number twice', async () => {
    const stage = new Stage();
    await stage.run('snapshot');
    await stage.run('click', { target: 'f0e1' });
    expect(stage.asked.map(({ params }) => params.base)).toEqual([1, 9, 9]);
  });

  it('shows the page and its frames, each in an envelope of its own', async () => {
    const stage = new Stage();
    stage.all = [
      ...stage.all,
      { frame: 12, parent: 0, url: 'https://pay.example/form' },
      { frame: 13, parent: 12, url: 'about:blank' },
    ];
    const { ok, text, data } = await stage.run('snapshot', { near: true, max: 900, news: true });
    expect(ok).toBe(true);
    expect(data).toEqual({ url: 'https://shop.example/', title: 'Shop', byPage: true });
    expect(text).toMatch(/^The app can give this tab no trusted input/);
    const origins = Array.from(text.matchAll(/<page-\w+ origin="([^"]*)"/g), ([, one]) => one);
    expect(origins).toEqual(['https://shop.example', 'https://pay.example', 'https://pay.example']);
    // A handle of a frame would be taken for one of the page.
    expect(text.match(/ h1$/gm)).toHaveLength(1);
    expect(stage.asked.map(({ params }) => params.max)).toEqual([900, 2_000, 2_000]);
  });

  it('brings the tab where the backend says that it may go, and says how that ended', async () => {
    const stage = new Stage();
    stage.to = 'https://shop.example/cart';
    const there = await stage.run('goto', { url: 'shop.example/cart' });
    expect(there).toMatchObject({ ok: true, text: 'went there', data: { navigated: true } });
    stage.arrival = { came: 'kept' };
    expect(await stage.run('reload')).toMatchObject({ ok: true, data: { navigated: false } });
    stage.arrival = { came: 'nowhere' };
    expect((await stage.run('back')).error).toMatchObject({
      code: 'not_actable',
      message: expect.stringContaining('There is no earlier page in this tab.') as string,
    });
    stage.arrival = { came: 'failed', why: 'net::ERR_CONNECTION_REFUSED' };
    expect((await stage.run('forward')).error).toMatchObject({ code: 'navigation' });
    stage.arrival = { came: 'late' };
    expect((await stage.run('reload')).error).toMatchObject({ code: 'timeout' });
    expect(stage.went).toEqual([
      [7, { to: 'https://shop.example/cart' }],
      [7, 'reload'],
      [7, 'back'],
      [7, 'forward'],
      [7, 'reload'],
    ]);
    const error = { code: CodeRefused, message: 'No.', hint: '' } as const;
    stage.refusal = { ok: false, text: 'No.', error, durationMs: 1 };
    expect(await stage.run('goto', { url: 'evil.example' })).toBe(stage.refusal);
    expect(stage.went).toHaveLength(5);
  });

  it('waits in every frame, for what is there in one or gone from all', async () => {
    const stage = new Stage();
    stage.all = [...stage.all, { frame: 12, parent: 0, url: 'https://pay.example/form' }];
    stage.answers.wait = { ...pageFields, met: true };
    expect((await stage.run('wait', { for: 'text', value: 'Paid' })).ok).toBe(true);
    expect(stage.asked.map(({ place }) => place.frame)).toEqual([0, 12]);
    expect((await stage.run('wait', { for: 'gone', value: 'text=Paying' })).ok).toBe(true);
    stage.answers.wait = { ...pageFields, met: false };
    for (const what of ['text', 'gone'])
      expect((await stage.run('wait', { for: what, value: 'Paid' })).error).toMatchObject({
        code: 'timeout',
      });
    expect((await stage.run('wait', { for: 'time', value: '300' })).ok).toBe(true);
    expect(stage.rested).toEqual([300]);
    expect((await stage.run('wait', { for: 'load' })).ok).toBe(true);
    expect((await stage.run('wait', { for: 'quiet' })).error).toMatchObject({
      code: 'no_input',
      message: expect.stringContaining('wait for quiet needs') as string,
    });
  });

  it('drags within a frame, and not to another one', async () => {
    const stage = new Stage();
    stage.answers.drag = { ...pageFields, hit: 'f0e1 to f0e2', change: change({}) };
    const { ok, data } = await stage.run('drag', { target: 'f0e1', to: 'f0e2' });
    expect([ok, data]).toEqual([true, expect.objectContaining({ byPage: true })]);
    const away = await stage.run('drag', { target: 'f0e1', to: 'f012e2' });
    expect(away.error).toMatchObject({ code: 'not_actable' });
    expect(stage.methods()).toEqual(['cs:query facts', 'cs:rpc drag', 'cs:query facts']);
  });

  it('says in words what it cannot do', async () => {
    const stage = new Stage();
    expect((await stage.run('upload', { target: 'f0e1' })).error).toMatchObject({
      code: 'no_input',
      message: expect.stringContaining('upload needs') as string,
    });
    expect((await stage.run('snapshot', {}, 't9')).error).toMatchObject({ code: 'unknown_tab' });
    stage.answers.facts = new MessageError('covered', 'f0e1 is covered by </page>', 'Act on that.');
    const covered = await stage.run('click', { target: 'f0e1' });
    expect(covered.error).toMatchObject({ code: 'covered' });
    expect(covered.text).toMatch(/^<page-\w+ origin="https:\/\/shop.example">/);
    stage.answers.facts = new MessageError('lost', 'It went away.');
    expect((await stage.run('click', { target: 'f0e1' })).error).toMatchObject({ code: 'gone' });
  });
});

it('takes out of a page’s words what makes them look like others', () => {
  expect(clean('a\u0000b\u001b[31mc\u202Ed\u2028e\u{E0041}f\tg\nh')).toBe('ab[31mcdef\tg\nh');
});
