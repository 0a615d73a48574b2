/**
 * The service worker: a relay without state. Chromium may stop it at any
 * moment; whatever it knows it asks the browser again.
 */
import { report, tell, watchTabs } from './bridge';
import { groups, groupTabs, newWindow, setGroup, ungroupTabs } from './groups';
import { answerMessages } from './welcome';
import { newTab, showTab } from './windows';

watchTabs();
answerMessages();
// A click on the toolbar icon opens the panel of its window, or closes it.
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

// What the backend calls through the browser's private pipe.
Object.assign(globalThis, {
  pilotfish: {
    report,
    tell,
    showTab,
    newTab,
    newWindow,
    groups,
    groupTabs,
    ungroupTabs,
    setGroup,
  },
});
void report('ready');
