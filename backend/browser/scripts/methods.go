package scripts

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// reads are the methods that pass to the session of a shared target in each mode: they read,
// and change nothing that the page or its user can see.
const reads = `
Accessibility: disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode queryAXTree
Audits: disable enable
CSS: collectClassNames disable enable getAnimatedStylesForNode getBackgroundColors getComputedStyleForNode
  getEnvironmentVariables getInlineStylesForNode getLayersForNode getLocationForSelector getLonghandProperties
  getMatchedStylesForNode getMediaQueries getPlatformFontsForNode getStyleSheetText resolveValues startRuleUsageTracking
  stopRuleUsageTracking takeComputedStyleUpdates takeCoverageDelta trackComputedStyleUpdates trackComputedStyleUpdatesForNode
DOM: collectClassNamesFromSubtree describeNode disable discardSearchResults enable getAnchorElement getAttributes getBoxModel
  getContainerForNode getContentQuads getDocument getElementByRelation getFrameOwner getNodeForLocation
  getNodesForSubtreeByStyle getOuterHTML getQueryingDescendantsForContainer getRelayoutBoundary getSearchResults
  getTopLayerElements performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll
  requestChildNodes requestNode resolveNode
DOMSnapshot: captureSnapshot disable enable
Inspector: disable enable
Log: clear disable enable startViolationsReport stopViolationsReport
Network: disable enable getCertificate getRequestPostData getResponseBody searchInResponseBody streamResourceContent
Page: captureScreenshot createIsolatedWorld disable enable getAppId getAppManifest getFrameTree getInstallabilityErrors
  getLayoutMetrics getNavigationHistory getOriginTrials getPermissionsPolicyState getResourceContent getResourceTree
  screencastFrameAck searchInResource setLifecycleEventsEnabled startScreencast stopScreencast
Performance: disable enable getMetrics
Runtime: disable discardConsoleEntries enable getExceptionDetails getHeapUsage getIsolateId releaseObject
  releaseObjectGroup runIfWaitingForDebugger
`

// acts are those that pass as well unless the address only reads.
const acts = `
CSS: addRule createStyleSheet forcePseudoState forceStartingStyle setContainerQueryConditionText
  setEffectivePropertyValueForNode setKeyframeKey setLocalFontsEnabled setMediaText setPropertyRulePropertyName setRuleSelector
  setScopeText setStyleSheetText setStyleTexts setSupportsText
DOM: copyTo focus forceShowPopover markUndoableState moveTo redo removeAttribute removeNode scrollIntoViewIfNeeded
  setAttributeValue setAttributesAsText setInspectedNode setNodeName setNodeStackTracesEnabled setNodeValue setOuterHTML undo
Emulation: clearDeviceMetricsOverride clearGeolocationOverride clearIdleOverride resetPageScaleFactor setAutoDarkModeOverride
  setCPUThrottlingRate setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmitTouchEventsForMouse setEmulatedMedia
  setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride setHardwareConcurrencyOverride setIdleOverride
  setLocaleOverride setPageScaleFactor setScriptExecutionDisabled setScrollbarsHidden setTimezoneOverride
  setTouchEmulationEnabled setUserAgentOverride
Fetch: continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody
IO: close read
Input: cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent emulateTouchFromMouseEvent
  imeSetComposition insertText setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture
  synthesizeTapGesture
Network: emulateNetworkConditions emulateNetworkConditionsByRule getCookies overrideNetworkState replayXHR setBlockedURLs
  setBypassServiceWorker setCacheDisabled setExtraHTTPHeaders setUserAgentOverride
Overlay: disable enable hideHighlight highlightNode highlightQuad highlightRect
Page: addScriptToEvaluateOnNewDocument captureSnapshot handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload
  removeScriptToEvaluateOnNewDocument resetNavigationHistory setBypassCSP setDocumentContent setFontFamilies setFontSizes
  setInterceptFileChooserDialog stopLoading
Runtime: addBinding awaitPromise callFunctionOn evaluate getProperties queryObjects removeBinding
  setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution
`

// ignored are methods that clients send when they connect, or to tidy up, and that are
// answered with success and not carried out: they concern the whole browser, or would change
// a tab that is only read.
const ignored = `
Browser: setDownloadBehavior
Page: setDownloadBehavior
`

// ignoredReading are those that are ignored only where the address only reads.
const ignoredReading = `
Emulation: setEmulatedMedia setFocusEmulationEnabled
Page: addScriptToEvaluateOnNewDocument setFontFamilies setInterceptFileChooserDialog
`

// ours are methods that Pilotfish carries out itself: they name targets, or the whole browser.
const ours = `
Browser: close getVersion
Page: bringToFront close
Target: activateTarget attachToBrowserTarget attachToTarget closeTarget createTarget detachFromTarget getBrowserContexts
  getTargetInfo getTargets setAutoAttach setDiscoverTargets
`

// methods are lists as sets.
type methods struct{ passes, ignored, ours map[string]bool }

// allowed returns the methods of an address.
func allowed(read bool) methods {
	m := methods{passes: set(reads), ignored: set(ignored), ours: set(ours)}
	if read {
		for name := range set(ignoredReading) {
			m.ignored[name] = true
		}
		for _, name := range []string{"Page.bringToFront", "Page.close", "Target.activateTarget", "Target.closeTarget", "Target.createTarget"} {
			delete(m.ours, name)
		}
		return m
	}
	for name := range set(acts) {
		m.passes[name] = true
	}
	return m
}

func set(list string) map[string]bool {
	names, domain := map[string]bool{}, ""
	for _, word := range strings.Fields(list) {
		if name, is := strings.CutSuffix(word, ":"); is {
			domain = name
		} else {
			names[domain+"."+word] = true
		}
	}
	return names
}

// refusal is why a method is refused.
type refusal string

func (r refusal) Error() string { return string(r) }

// params are the parameters of a command. What is passed on is encoded from them again, so
// that the browser reads what was judged.
type params map[string]jsonv2.Value

// decode reads parameters. A name that comes twice is an error.
func decode(raw jsonv2.Value) (params, error) {
	p := params{}
	if len(raw) == 0 {
		return p, nil
	}
	if err := jsonv2.Unmarshal(raw, &p, chromedp.DefaultUnmarshalOptions); err != nil {
		return nil, refusal("the parameters cannot be read")
	}
	return p, nil
}

// text returns a parameter that is a text; empty for another one.
func (p params) text(name string) string {
	var text string
	_ = jsonv2.Unmarshal(p[name], &text) // another type is no address and no target
	return text
}

func (p params) flag(name string) bool { return string(p[name]) == "true" }

// encode returns the parameters as JSON.
func (p params) encode() jsonv2.Value {
	raw, _ := jsonv2.Marshal(p, chromedp.DefaultMarshalOptions) // its values were read before
	return raw
}

// judge looks at what a method that passes is asked for, and changes or refuses it. page is
// the address that the tab shows.
func judge(method string, p params, page string, rules Rules) error {
	switch method {
	case "Page.navigate":
		return rules.Loads(p.text("url"), true)
	case "Page.createIsolatedWorld":
		// Such a world could read what other sites answer.
		delete(p, "grantUniveralAccess")
		delete(p, "grantUniversalAccess")
	case "Fetch.continueRequest":
		if p["url"] != nil {
			return refusal("a request is not sent to another address at this address")
		}
	case "Input.dispatchDragEvent":
		var drag struct {
			Data struct {
				Files []string `json:"files"`
			} `json:"data"`
		}
		if err := jsonv2.Unmarshal(p.encode(), &drag); err != nil || len(drag.Data.Files) > 0 {
			return refusal("files of this computer are not given to a page at this address")
		}
	case "Network.getCookies":
		var urls []string // without any it is the page
		if p["urls"] != nil && jsonv2.Unmarshal(p["urls"], &urls) != nil {
			return refusal("the parameters cannot be read")
		}
		for _, one := range urls {
			if host(one) != host(page) {
				return refusal("cookies of other sites than the page's are not read at this address")
			}
		}
		if len(urls) == 0 { // the frames are others
			p["urls"], _ = jsonv2.Marshal([]string{page})
		}
		return rules.Cookies(page)
	}
	return nil
}

// drives reports whether a method may lead the page to another address.
func drives(method string) bool {
	switch method {
	case "Page.navigate", "Page.reload", "Page.navigateToHistoryEntry", "Runtime.evaluate", "Runtime.callFunctionOn":
		return true
	}
	return strings.HasPrefix(method, "Input.")
}

// gesture returns the parameters of a method that may take the focus from the panel in which
// the user types, as the connection knows them; nil for another one.
func gesture(method string, raw jsonv2.Value) any {
	switch method {
	case input.CommandDispatchMouseEvent:
		return typed[input.DispatchMouseEventParams](raw)
	case input.CommandDispatchTouchEvent:
		return typed[input.DispatchTouchEventParams](raw)
	case input.CommandSynthesizeTapGesture:
		return input.SynthesizeTapGestureParams{}
	case input.CommandSynthesizePinchGesture:
		return input.SynthesizePinchGestureParams{}
	case input.CommandSynthesizeScrollGesture:
		return input.SynthesizeScrollGestureParams{}
	case runtime.CommandEvaluate:
		return typed[runtime.EvaluateParams](raw)
	}
	return nil
}

func typed[P any](raw jsonv2.Value) (p P) {
	_ = jsonv2.Unmarshal(raw, &p, chromedp.DefaultUnmarshalOptions) // the browser refuses what cannot be read
	return p
}

// host returns the host of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

func unknown(method string) error {
	return refusal(fmt.Sprintf("%.100s is not allowed at this address", method))
}
