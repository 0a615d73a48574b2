import { describe, expect, it } from 'vitest';
import { furnishInspector } from '../../../../test/inspector-states';
import { contrastWords, factsText, shortSource, written } from './facts';

describe('the facts of an element', () => {
  it('names a source by its last part', () => {
    expect(shortSource('https://a.example/css/app.css?v=1/2:12')).toBe('app.css:12');
    expect(shortSource('webpack:///src/_box.scss:7')).toBe('_box.scss:7');
    expect(shortSource('constructed sheet:3')).toBe('constructed sheet:3');
    expect(shortSource('https://a.example/ <style>:3')).toBe('<style>:3');
  });

  it('says what a declaration does', () => {
    const one = { index: 0, name: 'color', value: 'red' };
    expect(written(one)).toBe('color: red;');
    expect(written({ ...one, important: true, beaten: true })).toBe(
      'color: red !important; /* overridden */',
    );
    expect(written({ ...one, off: true })).toBe('/* off: color: red; */');
    expect(written({ ...one, unknown: true })).toBe('color: red; /* not understood */');
  });

  it('says what a contrast is enough for', () => {
    const colors = { text: '', behind: [], needed: 4.5, best: 7 };
    expect(contrastWords({ ...colors, contrast: 3 })).toBe('3.00 (fails AA, which needs 4.5)');
    expect(contrastWords({ ...colors, contrast: 5 })).toBe('5.00 (AA)');
    expect(contrastWords({ ...colors, contrast: 21 })).toBe('21.00 (AAA)');
    expect(contrastWords({ ...colors, contrast: 0 })).toBe('the contrast cannot be told');
  });

  it('has exactly what was ticked', () => {
    const { details } = furnishInspector({
      rooms: { answers: new Map() },
    } as unknown as Parameters<typeof furnishInspector>[0]);
    expect(factsText(details, undefined, new Set(['selectors', 'edits']))).toBe(
      'e5 div#card.box.card\n\nSelectors:\n#card (1)\ndiv.box (12)',
    );
    const all = factsText(
      details,
      { url: '', edits: [], diff: '-a\n+b' },
      new Set([
        'box',
        'rules',
        'pseudo',
        'computed',
        'fonts',
        'colors',
        'access',
        'listeners',
        'attributes',
        'edits',
      ]),
    );
    for (const text of [
      '206 × 40 at 8,120.5; margin 4px 5px 4px 5px',
      '/* https://shop.example/scss/_box.scss:7, @media (min-width: 1px), @layer base */\n.box {',
      'inherited from ancestor 1',
      '.card::before {',
      'font-style: italic;',
      'DejaVu Sans (DejaVuSans), 10 characters',
      'rgb(0, 128, 0) on rgb(0, 0, 0): 4.08',
      'role generic, name ""',
      'in main > region Basket',
      'click: https://shop.example/app.js:3',
      'title="A card "',
      '-a\n+b',
    ])
      expect(all).toContain(text);
    // Text of the page cannot change the direction of what is around it.
    expect(all).not.toContain('\u202e');
  });
});
