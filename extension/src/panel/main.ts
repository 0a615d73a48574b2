// Import this first: the backend answers while the modules below are loaded.
import { early, taskPage } from './begin';
import '$ui/tokens.css';
import './panel.css';
import '@xterm/xterm/css/xterm.css';
import { mount } from 'svelte';
import { systemClock } from './connection/clock';
import App from './App.svelte';

performance.mark('pilotfish:loaded');
// Mount in a later task of the event loop, after the messages that arrived while the
// code was compiled.
systemClock.after(0, () => {
  const target = document.getElementById('app');
  if (taskPage)
    void import('./task/taskpage').then(({ runTasks }) => {
      runTasks(early);
    });
  else if (target !== null) mount(App, { target, props: { early } });
});
