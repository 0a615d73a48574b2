import { describe, expect, it } from 'vitest';
import { refsOf, withRefButtons } from './refs';

describe('refs', () => {
  it('become buttons where they are written as code', () => {
    expect(withRefButtons('<p>Press <code>e12</code> or <code>@f1e3</code>.</p>')).toBe(
      '<p>Press <button type="button" class="ref" title="Show e12 in Elements"><code>e12</code></button> or <button type="button" class="ref" title="Show f1e3 in Elements"><code>f1e3</code></button>.</p>',
    );
  });

  it('stay text elsewhere', () => {
    for (const html of ['<p>e12</p>', '<code>e12 </code>', '<code>e2e</code>', '<code>fe1</code>'])
      expect(withRefButtons(html)).toBe(html);
  });

  it('are found in a tool call, each once', () => {
    expect(refsOf('click e4', '{"ref":"@f2e7","to":"e4"}')).toEqual(['e4', 'f2e7']);
    expect(refsOf('open https://a.example/e5', '{"path":"e6.txt","id":"x-e7"}')).toEqual([]);
    expect(
      refsOf('', Array.from({ length: 20 }, (_, n) => `e${String(n)}`).join(' ')),
    ).toHaveLength(8);
  });
});
