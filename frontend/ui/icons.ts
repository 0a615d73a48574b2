/** Icons as paths on a 16 × 16 grid, drawn with a 1.4 px round stroke. */
export const icons = {
  alert: 'M8 2.2 14.4 13.4H1.6ZM8 6.4v3.2M8 11.6v.01',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  browser: 'M2 3.5h12v9H2ZM2 6.3h12M4 4.9v.01M5.8 4.9v.01',
  check: 'M3 8.6 6.4 12 13 4.6',
  chevronDown: 'M4 6.2 8 10.2 12 6.2',
  chevronRight: 'M6.2 4l4 4-4 4',
  clear: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.8 5.8h7.4v7.4H5.8ZM10.2 5.6V2.8H2.8v7.4h2.8',
  external: 'M6.5 3H3v10h10V9.5M9.5 2.5h4v4M13.2 2.8 7.8 8.2',
  file: 'M4 2h5l3 3v9H4ZM9 2v3h3',
  fish: 'M1.8 8C4 4.8 8.4 4.2 11 8 8.4 11.8 4 11.2 1.8 8ZM11 8l3.2-2.8v5.6ZM5 7.2v.01',
  folder: 'M1.8 4h4.4l1.4 1.6h6.6V12.8H1.8Z',
  info: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4ZM8 7.4v3.6M8 5v.01',
  logs: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  pause: 'M5.4 3.5v9M10.6 3.5v9',
  play: 'M4.8 3.2v9.6L12.4 8Z',
  plus: 'M8 3v10M3 8h10',
  power: 'M8 1.8v5.4M4.7 3.9a5.3 5.3 0 1 0 6.6 0',
  restart: 'M13.2 8A5.2 5.2 0 1 1 11.5 4.2L13.3 5.9M13.4 2.6v3.4H10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14',
  sessions: 'M2.2 2.8h11.6v4.2H2.2ZM2.2 9h11.6v4.2H2.2ZM4.6 4.9v.01M4.6 11.1v.01',
  settings:
    'M2 4.7h6.2M11.8 4.7H14M2 11.3h2.2M7.8 11.3H14M10 6.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6 13.1a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z',
  stop: 'M4 4h8v8H4Z',
  terminal: 'M2.2 3h11.6v10H2.2ZM4.6 6l2 2-2 2M8.2 10.2h2.8',
  trash: 'M2.8 4.4h10.4M6 4.2V2.5h4v1.7M4.2 4.6l.6 8.9h6.4l.6-8.9',
} as const;

export type IconName = keyof typeof icons;
