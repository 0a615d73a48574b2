import { ask } from '../../messages/ask';
import { question, type Method, type Params, type Result } from '../../messages/envelope';
import { systemClock } from '../connection/clock';

/** How long the worker may take, in milliseconds. The first time it reads its filter lists. */
const patience = 30_000;

/** Asks the extension's worker. Throws MessageError. */
export async function askWorker<M extends Method<'rpc:call'>>(
  method: M,
  params: Params<'rpc:call', M>,
): Promise<Result<'rpc:call', M>> {
  const asked = question('rpc:call', method, params, Date.now() + patience, crypto.randomUUID());
  const send = (message: unknown): Promise<unknown> => chrome.runtime.sendMessage(message);
  return (await ask(send, asked, { clock: systemClock, now: Date.now })) as Result<'rpc:call', M>;
}
