import { expect, test } from 'vitest';
import questions from '../../../backend/question/testdata/questions.json';
import type { Approval } from '../protocol/protocol';
import { details, consequence, what, where, who } from './words';

test.each(questions.map((one) => [one.what, one] as const))('%s', (_, wanted) => {
  const approval = wanted.approval as Approval;
  expect({
    who: who(approval.actor),
    what: what(approval),
    where: where(approval),
    effect: consequence(approval),
    details: details(approval),
  }).toEqual({
    who: wanted.who,
    what: wanted.what,
    where: wanted.where,
    effect: wanted.effect,
    details: wanted.details,
  });
});
