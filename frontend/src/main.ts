import { applyTextSize, applyTheme, lastTextSize, lastTheme } from '$ui/theme';
import { mount } from 'svelte';
import App from './App.svelte';
import { connect } from './backend';
import { AppWindow } from './window.svelte';

applyTheme(lastTheme());
applyTextSize(lastTextSize());
const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');
target.replaceChildren();
mount(App, { target, props: { app: new AppWindow(connect(window)) } });
