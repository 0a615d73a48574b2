package overrides

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureEmulation = "emulation"

// emulationOf is the emulation of one tab. It is set on the keeper's session, so
// that everything is undone when that session ends.
type emulationOf struct {
	mu   sync.Mutex
	want protocol.Emulation
	part map[string]bool // the parts that were changed and must be undone
}

func (m *emulationOf) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	m.mu.Lock()
	want, parts := m.want, maps.Clone(m.part)
	m.mu.Unlock()
	var err error
	for part := range parts {
		err = errors.Join(err, apply(ctx, s, child, part, &want))
	}
	return err
}

func (m *emulationOf) Event(context.Context, *devtools.Session, devtools.Event) {}

func (m *emulationOf) End(ctx context.Context, s *devtools.Session) {
	m.mu.Lock()
	parts := maps.Clone(m.part)
	m.mu.Unlock()
	for part := range parts {
		_ = apply(ctx, s, false, part, &protocol.Emulation{})
	}
}

// The parts of an emulation. Each is applied separately.
const (
	partViewport    = "viewport"
	partMedia       = "media"
	partAgent       = "agent"
	partHeaders     = "headers"
	partLocale      = "locale"
	partTimezone    = "timezone"
	partGeolocation = "geolocation"
	partNetwork     = "network"
	partCPU         = "cpu"
)

// apply applies one part of an emulation to a session. Frames of other sites
// share the viewport and the CPU of their page.
func apply(ctx context.Context, s *devtools.Session, child bool, part string, e *protocol.Emulation) error {
	call := func(err error) error {
		if err != nil && child {
			return nil // not every part applies to a frame
		}
		return err
	}
	switch part {
	case partViewport:
		if child {
			return nil
		}
		return applyViewport(ctx, s, e.Viewport)
	case partMedia:
		features := []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: e.Scheme}, {Name: "prefers-reduced-motion", Value: e.Motion}, {Name: "prefers-contrast", Value: e.Contrast},
		}
		// An empty value means the browser's own.
		_, err := cdp.Call(ctx, s, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: e.Media, Features: features})
		return call(err)
	case partAgent:
		p := emulation.SetUserAgentOverrideParams{AcceptLanguage: e.Locale}
		if e.UserAgentOrigin == "" {
			p.UserAgent = e.UserAgent
		}
		_, err := cdp.Call(ctx, s, emulation.SetUserAgentOverride, p)
		return call(err)
	case partHeaders:
		// The headers are added only while the Network domain is enabled.
		if err := devtools.Post(ctx, s, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		h := network.Headers{}
		for name, value := range e.Headers {
			if e.HeadersOrigin == "" {
				h[name] = value
			}
		}
		_, err := cdp.Call(ctx, s, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: h})
		return call(err)
	case partLocale:
		_, err := cdp.Call(ctx, s, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: e.Locale})
		return call(err)
	case partTimezone:
		_, err := cdp.Call(ctx, s, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: e.Timezone})
		return call(err)
	case partGeolocation:
		if e.Geolocation == nil {
			_, err := cdp.Call(ctx, s, emulation.ClearGeolocationOverride, cdp.Empty{})
			return call(err)
		}
		g := e.Geolocation
		_, err := cdp.Call(ctx, s, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: &g.Latitude, Longitude: &g.Longitude, Accuracy: &g.Accuracy})
		return call(err)
	case partNetwork:
		return call(applyNetwork(ctx, s, e.Network))
	case partCPU:
		if child {
			return nil
		}
		_, err := cdp.Call(ctx, s, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: max(1, e.CPU)})
		return err
	}
	return nil
}

func applyViewport(ctx context.Context, s *devtools.Session, v *protocol.EmulatedViewport) error {
	if v == nil {
		_, err := cdp.Call(ctx, s, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
		_, touch := cdp.Call(ctx, s, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{})
		return errors.Join(err, touch)
	}
	_, err := cdp.Call(ctx, s, emulation.SetDeviceMetricsOverride, SizeOf(v))
	touch := emulation.SetTouchEmulationEnabledParams{Enabled: v.Touch}
	if v.Touch {
		touch.MaxTouchPoints = 5
	}
	_, touchErr := cdp.Call(ctx, s, emulation.SetTouchEmulationEnabled, touch)
	return errors.Join(err, touchErr)
}

// SizeOf converts a viewport to the protocol's parameters.
func SizeOf(v *protocol.EmulatedViewport) emulation.SetDeviceMetricsOverrideParams {
	width, height := int64(v.Width), int64(v.Height)
	return emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: v.Scale, Mobile: v.Mobile, ScreenWidth: width, ScreenHeight: height,
	}
}

func applyNetwork(ctx context.Context, s *devtools.Session, n *protocol.EmulatedConditions) error {
	if err := devtools.Post(ctx, s, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	rules := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{}}
	state := network.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: -1}
	if n != nil {
		c := &network.Conditions{Latency: n.LatencyMS, DownloadThroughput: -1, UploadThroughput: -1, Offline: n.Offline}
		if n.Down > 0 {
			c.DownloadThroughput = n.Down
		}
		if n.Up > 0 {
			c.UploadThroughput = n.Up
		}
		rules.MatchedNetworkConditions = append(rules.MatchedNetworkConditions, c)
		state = network.OverrideNetworkStateParams{Offline: n.Offline, Latency: n.LatencyMS, DownloadThroughput: c.DownloadThroughput, UploadThroughput: c.UploadThroughput}
	}
	if _, err := cdp.Call(ctx, s, network.EmulateNetworkConditionsByRule, rules); err != nil {
		return fmt.Errorf("changing the network: %w", err)
	}
	_, err := cdp.Call(ctx, s, network.OverrideNetworkState, state) // for navigator.onLine and navigator.connection
	return err
}

// parts returns the names of the parts in which two emulations differ.
func parts(was, is *protocol.Emulation) []string {
	var out []string
	add := func(part string, same bool) {
		if !same {
			out = append(out, part)
		}
	}
	add(partViewport, same(was.Viewport, is.Viewport))
	add(partMedia, was.Media == is.Media && was.Scheme == is.Scheme && was.Motion == is.Motion && was.Contrast == is.Contrast)
	add(partLocale, was.Locale == is.Locale)
	add(partAgent, was.UserAgent == is.UserAgent && was.UserAgentOrigin == is.UserAgentOrigin && was.Locale == is.Locale)
	add(partHeaders, maps.Equal(was.Headers, is.Headers) && was.HeadersOrigin == is.HeadersOrigin)
	add(partTimezone, was.Timezone == is.Timezone)
	add(partGeolocation, same(was.Geolocation, is.Geolocation))
	add(partNetwork, same(was.Network, is.Network))
	add(partCPU, was.CPU == is.CPU)
	return out
}

func same[T comparable](a, b *T) bool {
	return a == b || (a != nil && b != nil && *a == *b)
}

// Emulation returns the emulation of a tab.
func (o *Overrides) Emulation(id protocol.TabID) protocol.Emulation {
	m, ok := watch.Get[*emulationOf](o.watched.Kept(id), featureEmulation)
	if !ok {
		return protocol.Emulation{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.want
}

// Emulate changes the emulation of a tab: change receives the current one. When
// the browser returns an error (an unknown time zone, for example), the emulation
// stays as it was.
func (o *Overrides) Emulate(ctx context.Context, by protocol.Caller, id protocol.TabID, change func(*protocol.Emulation)) (protocol.Emulation, error) {
	k, err := o.watched.Of(ctx, id)
	if err != nil {
		return protocol.Emulation{}, err
	}
	m, err := watch.Use(ctx, k, featureEmulation, func() *emulationOf { return &emulationOf{part: make(map[string]bool)} })
	if err != nil {
		return protocol.Emulation{}, err
	}
	rules, err := watch.Use(ctx, k, featureRules, func() *networkRules { return &networkRules{} })
	if err != nil {
		return protocol.Emulation{}, err
	}
	release, err := k.Change(ctx)
	if err != nil {
		return protocol.Emulation{}, err
	}
	defer release()
	m.mu.Lock()
	was := m.want
	m.mu.Unlock()
	is := was
	is.Headers = maps.Clone(was.Headers)
	change(&is)
	changed := parts(&was, &is)
	if is.Timezone != was.Timezone && is.Timezone != "" {
		if err := o.knowsZone(ctx, by, id, is.Timezone); err != nil {
			return was, err
		}
	}
	put := func(e *protocol.Emulation) error {
		bind := error(nil)
		if slices.Contains(changed, partAgent) || slices.Contains(changed, partHeaders) {
			bind = rules.bind(ctx, k, e)
		}
		return errors.Join(bind, k.Each(m, func(s *devtools.Session, child bool) error {
			var err error
			for _, part := range changed {
				err = errors.Join(err, apply(ctx, s, child, part, e))
			}
			return err
		}))
	}
	if err := put(&is); err != nil {
		_ = put(&was)
		if e, ok := devtools.AsMethodError(err); ok {
			return was, protocol.NewError(protocol.CodeBadArgument, "the browser refused the value: "+e.Message, "", protocol.Try("lists the values", "help", "emulate"))
		}
		return was, o.watched.Explain(ctx, id, err)
	}
	m.mu.Lock()
	m.want = is
	for _, part := range changed {
		m.part[part] = true
	}
	m.mu.Unlock()
	o.changed()
	return is, nil
}

// knowsZone returns an error for a time zone that the browser does not know: the
// browser would accept it silently and continue with its own (observed with
// Chromium 156).
func (o *Overrides) knowsZone(ctx context.Context, by protocol.Caller, id protocol.TabID, zone string) error {
	return o.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		world, err := p.PlainWorld(ctx)
		if err != nil {
			return err
		}
		name, err := json.Marshal(zone)
		if err != nil {
			return err
		}
		ok, err := devtools.Evaluate[bool](ctx, p.Session, "(() => { try { new Intl.DateTimeFormat('en', { timeZone: "+string(name)+" }); return true; } catch { return false; } })()", world)
		if err == nil && !ok {
			return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no time zone %.60q", zone), "use one such as Europe/Berlin or Asia/Tokyo")
		}
		return err
	})
}
