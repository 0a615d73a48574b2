import '@xterm/xterm/css/xterm.css';
import { mount } from 'svelte';
import App from './App.svelte';
import type { EarlyConnection } from './connection/early';

/** Shows the panel of a connection. */
export function show(early: EarlyConnection): void {
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target, props: { early } });
}
