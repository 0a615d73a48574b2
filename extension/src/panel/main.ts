// First, before the modules below it run: the backend answers meanwhile.
import { early } from './begin';
import '$ui/tokens.css';
import './panel.css';
import '@xterm/xterm/css/xterm.css';
import { mount } from 'svelte';
import { systemClock } from './connection/clock';
import App from './App.svelte';

performance.mark('pilotfish:loaded');
// In a turn of its own, after the answers that came while this was compiled.
systemClock.after(0, () => {
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target, props: { early } });
});
