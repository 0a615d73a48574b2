/**
 * The service worker: a stateless relay. Chromium may stop it at any moment; what it needs to know,
 * it asks the browser again.
 */
import { bringForward } from '../forward';
import { report, tell, watchTabs } from './bridge';
import { watchCleanSites } from './clean';
import { offerMenu } from './contextmenu';
import { groups, groupTabs, newWindow, setGroup, ungroupTabs } from './groups';
import { answerPanels } from './relay';
import { catchUp, watchPanels } from './welcome';
import { newTab } from './windows';

watchTabs();
answerPanels();
watchPanels();
offerMenu();
watchCleanSites();
// A click on the toolbar icon opens the panel of its window, or closes it.
void chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

// Functions that the backend calls over the private pipe.
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
