import { describe, expect, it } from 'vitest';
import type { ElementItem } from '$ui/protocol/protocol';
import { changed, line, none, passing, roles, tokens } from './list';

const put = (ref: string, after = '', name = ref, role = 'button'): ElementItem => ({
  kind: 'put',
  element: { ref, role, name },
  after,
});
const gone = (ref: string): ElementItem => ({ kind: 'gone', ref });
const first: ElementItem = { kind: 'new', url: 'https://a.example/', title: 'A', more: 2 };

describe('the list', () => {
  const list = changed(none, [first, put('e1'), put('e2', 'e1'), put('e3', 'e2')]);

  it('follows what comes, changes, moves and goes', () => {
    expect(list).toMatchObject({ url: 'https://a.example/', title: 'A', more: 2, known: true });
    expect(list.rows.map(({ ref }) => ref)).toEqual(['e1', 'e2', 'e3']);
    const now = changed(list, [put('e4', 'e1'), put('e3'), put('e2', 'e4', 'Two'), gone('e1')]);
    expect(now.rows.map(({ ref, name }) => ref + name)).toEqual(['e3e3', 'e1e1', 'e4e4', 'e2Two']);
    expect(now.rows.find(({ ref }) => ref === 'e1')?.gone).toBe(true);
    expect(changed(now, [{ kind: 'page', url: 'https://a.example/#b' }]).rows).toHaveLength(4);
    expect(changed(now, [first]).rows).toEqual([]);
  });

  it('says why it is not current until something else comes', () => {
    const error = { code: 'dialog' as const, message: 'the page shows a dialog' };
    const failed = changed(list, [{ kind: 'failed', error }]);
    expect(failed.failed).toEqual(error);
    expect(failed.rows).toHaveLength(3);
    expect(changed(failed, [put('e9')]).failed).toBeUndefined();
  });

  it('remembers few elements that are gone', () => {
    const many = Array.from({ length: 60 }, (_, at) => put(`e${String(at + 10)}`));
    const now = changed(
      changed(list, many),
      many.map(({ element }) => gone(element?.ref ?? '')),
    );
    expect(now.rows.filter((row) => row.gone)).toHaveLength(20);
  });

  it('is filtered by words and by role, and keeps the selected one that is gone', () => {
    const { rows } = changed(list, [put('e5', 'e3', 'Save all', 'link'), gone('e2')]);
    const refs = (by: Partial<Parameters<typeof passing>[1]>): string[] =>
      passing(rows, { text: '', role: '', selected: undefined, ...by }).map(({ ref }) => ref);
    expect(refs({})).toEqual(['e1', 'e3', 'e5']);
    expect(refs({ text: 'ALL save' })).toEqual(['e5']);
    expect(refs({ role: 'link' })).toEqual(['e5']);
    expect(refs({ role: 'link', selected: 'e2' })).toEqual(['e2', 'e5']);
    expect(roles(rows)).toEqual([
      ['button', 2],
      ['link', 1],
    ]);
  });
});

it('writes an element as one line', () => {
  expect(line({ ref: 'e1', role: 'button', name: '' })).toBe('e1 button');
  expect(
    line({
      ref: 'f2e3',
      role: 'checkbox',
      name: 'News "now"',
      states: ['checked', 'disabled'],
      value: 'on',
      context: 'Newsletter',
    }),
  ).toBe('f2e3 checkbox "News \\"now\\"" [checked, disabled] ="on" (Newsletter)');
  expect(tokens('12345')).toBe(2);
});
