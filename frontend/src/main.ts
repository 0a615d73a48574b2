import { applyTextSize, applyTheme, lastTextSize, lastTheme } from '$ui/theme';
import { mount } from 'svelte';
import App from './App.svelte';
import { connect } from './backend';
import { AppWindow } from './window.svelte';

applyTheme(lastTheme());
applyTextSize(lastTextSize());
const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');
// The same page is the app's window and, in a browser of the user, the control page.
if (location.pathname.startsWith('/control/')) {
  const [{ default: Entry }, { takeCode }] = await Promise.all([
    import('./control/Entry.svelte'),
    import('./control/host'),
  ]);
  const code = takeCode(location, history);
  target.replaceChildren();
  mount(Entry, { target, props: { code } });
} else {
  target.replaceChildren();
  mount(App, { target, props: { app: new AppWindow(connect(window)) } });
}
