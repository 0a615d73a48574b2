/**
 * The service worker: a relay without state. Chromium may stop it at any
 * moment; whatever it knows it asks the browser again.
 */
import { bringForward } from '../forward';
import { report, tell, watchTabs } from './bridge';
import { groups, groupTabs, newWindow, setGroup, ungroupTabs } from './groups';
import { answerPanels } from './relay';
import { catchUp, watchPanels } from './welcome';
import { newTab } from './windows';

watchTabs();
answerPanels();
watchPanels();
// A click on the toolbar icon opens the panel of its window, or closes it.
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

// What the backend calls through the browser's private pipe.
Object.assign(globalThis, {
  pilotfish: {
    report,
    tell,
    showTab: bringForward,
    newTab,
    newWindow,
    groups,
    groupTabs,
    ungroupTabs,
    setGroup,
  },
});
void report('ready').then(catchUp);
