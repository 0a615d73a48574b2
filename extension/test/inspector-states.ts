import type { Details, Edits } from '$ui/protocol/protocol';
import type { FakeBackend } from './fakes/backend';

/** What the fake backend says of an element. The tests change it as an edit would. */
export interface FakeElement {
  details: Details;
  edits: Edits;
  emulation: Record<string, unknown>;
}

const style = 'https://shop.example/css/app.css:4';

/** Makes the fake backend answer as if an element of a page were inspected. */
export function furnishInspector(made: FakeBackend): FakeElement {
  const path = [
    { ref: 'e20', element: 'html' },
    { ref: 'e21', element: 'body' },
    { ref: 'e22', element: 'main#content.wide-layout-of-the-page' },
    { ref: 'e5', element: 'div#card.box.card' },
  ];
  const at: FakeElement = {
    emulation: {},
    edits: { url: 'https://shop.example/', edits: [], diff: '' },
    details: {
      url: 'https://shop.example/basket',
      ref: 'e5',
      element: 'div#card.box.card',
      tag: 'div',
      path,
      near: ['parent', 'next', 'previous'],
      selectors: [
        { selector: '#card', matches: 1 },
        { selector: 'div.box', matches: 12 },
      ],
      box: {
        x: 8,
        y: 120.5,
        width: 206,
        height: 40,
        margin: [4, 5, 4, 5],
        border: [2, 2, 2, 2],
        padding: [1, 1, 1, 1],
      },
      rules: [
        {
          key: 'k0',
          selector: 'style attribute',
          origin: 'element',
          specificity: [0, 0, 0],
          declarations: [{ index: 0, name: 'top', value: '1px' }],
        },
        {
          key: 'k1',
          selector: '.box',
          origin: 'author',
          source: style,
          original: 'https://shop.example/scss/_box.scss:7',
          conditions: ['@media (min-width: 1px)', '@layer base'],
          specificity: [0, 1, 0],
          declarations: [
            { index: 0, name: 'width', value: '200px' },
            { index: 1, name: 'color', value: 'navy', beaten: true },
            { index: 2, name: 'nonsense', value: '1', unknown: true },
            { index: 3, name: 'margin', value: '0', off: true },
          ],
        },
        {
          selector: 'div',
          origin: 'browser',
          specificity: [0, 0, 1],
          declarations: [{ index: 0, name: 'display', value: 'block' }],
        },
        {
          key: 'k2',
          selector: '.card::before',
          origin: 'author',
          source: style,
          pseudo: '::before',
          specificity: [0, 1, 1],
          declarations: [{ index: 0, name: 'content', value: '"*"' }],
        },
        {
          key: 'k3',
          selector: 'main',
          origin: 'author',
          source: style,
          from: 'ancestor 1',
          specificity: [0, 0, 1],
          declarations: [{ index: 0, name: 'font-style', value: 'italic' }],
        },
      ],
      computed: [
        { name: 'color', value: 'rgb(0, 128, 0)' },
        { name: 'font-style', value: 'italic' },
      ],
      fonts: [{ family: 'DejaVu Sans', name: 'DejaVuSans', glyphs: 10 }],
      colors: {
        text: 'rgb(0, 128, 0)',
        behind: ['rgb(0, 0, 0)'],
        contrast: 4.08,
        needed: 4.5,
        best: 7,
      },
      access: {
        role: 'generic',
        name: '',
        properties: { focusable: 'true' },
        path: ['main', 'region Basket'],
      },
      listeners: [{ type: 'click', source: 'https://shop.example/app.js:3', passive: true }],
      attributes: [
        { name: 'class', value: 'box card' },
        { name: 'title', value: 'A card\u202e' },
        { name: 'value', value: '••••', masked: true },
      ],
      states: [],
      text: 'Text of it',
      leaf: true,
      shadow: 'closed',
      frame: 'f2',
    },
  };
  const data = (value: unknown): { data: never } => ({ data: structuredClone(value) as never });
  made.rooms.answers.set('details', () => data(at.details));
  made.rooms.answers.set('edit', () => data(at.edits));
  made.rooms.answers.set('force', () => data({}));
  made.rooms.answers.set('emulate', () => data(at.emulation));
  made.rooms.answers.set('viewport', () => data(at.emulation));
  return at;
}
