import { expect, test, vi } from 'vitest';
import { asBackendError, BackendError, connect, type Host } from './backend';
import { scenarios } from '../test/fakes/scenarios';

function host(methods: Record<string, (...args: unknown[]) => Promise<unknown>>): Host {
  const Call = (name: string, ...args: unknown[]): Promise<unknown> =>
    methods[name]?.(...args) ?? Promise.reject(new Error(`no operation ${name}`));
  return {
    go: {
      main: {
        Bridge: {
          Call,
          ChooseFolder: (...args) => Call('ChooseFolder', ...args),
          ChooseFile: (...args) => Call('ChooseFile', ...args),
        },
      },
    },
  };
}

test('a refusal as JSON keeps its code, hint and field', () => {
  const error = asBackendError(
    new Error(
      '{"code":"bad_argument","message":"no such folder","hint":"choose one","field":"workDir"}',
    ),
  );
  expect(error).toMatchObject({ code: 'bad_argument', hint: 'choose one', field: 'workDir' });
  expect(error.text).toBe('no such folder. Choose one');
});

test.each([new Error('plain text'), 'plain text', new BackendError('plain text')])(
  'a refusal without JSON is its text (%s)',
  (reason) => {
    expect(asBackendError(reason)).toMatchObject({ message: 'plain text', code: 'internal' });
  },
);

test('without an app every call says so', async () => {
  const backend = connect({});
  await expect(backend.state()).rejects.toThrow('The app does not respond (State)');
  expect(backend.onState(() => undefined)).toBeTypeOf('function');
});

test('a call has a session, and what the operation takes', async () => {
  const ShowTab = vi.fn(() => Promise.resolve(null));
  await connect(host({ ShowTab })).showTab('default', 't7');
  expect(ShowTab).toHaveBeenCalledWith('default', 't7');
});

test('an answer that is not what it should be is an error, not a crash later', async () => {
  const backend = connect(host({ State: () => Promise.resolve({ version: 1 }) }));
  await expect(backend.state()).rejects.toThrow(/^State: version: /);
});

test('events are checked, and a bad one is left out', () => {
  let emit: (data: unknown) => void = () => undefined;
  const end = vi.fn();
  const backend = connect({
    runtime: {
      EventsOn: (_, heard) => {
        emit = heard;
        return end;
      },
    },
  });
  const heard = vi.fn();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const stop = backend.onState(heard);
  emit({ sessions: 3 });
  expect(heard).not.toHaveBeenCalled();
  expect(logged).toHaveBeenCalledOnce();
  const state = scenarios.running?.();
  emit(state);
  expect(heard).toHaveBeenCalledWith(state);
  stop();
  expect(end).toHaveBeenCalledOnce();
  logged.mockRestore();
});
