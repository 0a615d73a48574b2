import { beforeEach, expect, test } from 'vitest';
import { install, type Fake } from '../../test/fakes/wails';
import { connect } from '../backend';
import { Models } from './models.svelte';

let fake: Fake;
let models: Models;
beforeEach(async () => {
  const target = {} as Window;
  fake = install(target);
  models = new Models(connect(target));
  await models.load();
});
const refusal = '{"code":"internal","message":"it does not answer","hint":"try again"}';

test('they are known once they were asked for, without their keys', () => {
  expect(models.llm?.profiles.length).toBeGreaterThan(0);
  expect(JSON.stringify(models.llm)).not.toMatch(/sk-|"key":/);
});

test('one that is deleted is gone', async () => {
  const [first] = models.llm?.profiles ?? [];
  if (first === undefined) throw new Error('no profile');
  expect(await models.deleteModel(first.id)).toBe(true);
  expect(models.llm?.profiles.map(({ id }) => id)).not.toContain(first.id);
});

test.each<[string, () => Promise<unknown>, unknown]>([
  ['Models', () => models.load(), false],
  ['DeleteModel', () => models.deleteModel('x'), false],
  ['ListModels', () => models.models('x'), []],
  ['TestModel', () => models.test('x'), undefined],
  ['LocalModels', () => models.local(), []],
])('%s that is refused is said, and nothing is lost', async (method, ask, nothing) => {
  const before = models.llm;
  fake.refuseNext(method, refusal);
  expect(await ask()).toEqual(nothing);
  expect(models.problem).toEqual({ message: 'It does not answer.', hint: 'Try again.' });
  expect(models.llm).toBe(before);
  await models.load();
  expect(models.problem).toBeUndefined();
});
