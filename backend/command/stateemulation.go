package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

func resetArg() Arg {
	return Arg{Name: "reset", Type: Boolean, Flag: true, Help: "back to the browser's own"}
}

func emulationCommands() []command {
	act := protocol.ScopeAct
	devices := slices.Sorted(maps.Keys(devices()))
	return []command{
		{Spec: Spec{
			Name: "viewport", Scope: act, Summary: "show or set the size of the page in the tab",
			Args: []Arg{
				{Name: "size", Type: String, Help: "width x height in CSS pixels, such as 390x844"},
				{Name: "scale", Type: String, Flag: true, Default: "1", Help: "device pixels for each CSS pixel"},
				{Name: "mobile", Type: Boolean, Flag: true, Help: "lay the page out as on a phone"},
				{Name: "touch", Type: Boolean, Flag: true, Help: "with a touch screen"},
				resetArg(),
			},
			Returns: "what the tab is made to believe", Examples: []string{"viewport 390x844", "viewport 390x844 --scale 3 --mobile --touch", "viewport --reset"},
		}, tab: ownTab, run: runViewport},
		{Spec: Spec{
			Name: "device", Scope: act, Summary: "imitate a device in the tab: size, touch and user agent",
			Help:    "Without a name it lists the devices.",
			Args:    []Arg{{Name: "name", Type: String, Choices: devices, Help: "of the device"}, resetArg()},
			Returns: "the devices, or what the tab is made to believe", Examples: []string{"device iphone-15", "device", "device --reset"},
		}, tab: ownTab, run: runDevice},
		{Spec: Spec{
			Name: "emulate", Scope: act, Summary: "show or change the tab's emulated settings: media, locale, time zone, location, network, CPU",
			Help: "Each option changes one setting; `off` restores the browser's own. --reset undoes everything, also size, device, headers and user agent. Without options it prints what is changed.",
			Args: []Arg{
				{Name: "media", Type: String, Flag: true, Choices: []string{"print", "screen", "off"}, Help: "CSS medium"},
				{Name: "scheme", Type: String, Flag: true, Choices: []string{"dark", "light", "off"}, Help: "prefers-color-scheme"},
				{Name: "motion", Type: String, Flag: true, Choices: []string{"reduce", "no-preference", "off"}, Help: "prefers-reduced-motion"},
				{Name: "contrast", Type: String, Flag: true, Choices: []string{"more", "less", "no-preference", "off"}, Help: "prefers-contrast"},
				{Name: "locale", Type: String, Flag: true, Help: "such as de-DE"},
				{Name: "timezone", Type: String, Flag: true, Help: "such as Asia/Tokyo"},
				{Name: "geolocation", Type: String, Flag: true, Help: "latitude,longitude or with ,accuracy in metres"},
				{Name: "network", Type: String, Flag: true, Choices: append(slices.Sorted(maps.Keys(conditions())), "off"), Help: "how fast the network is"},
				{Name: "cpu", Type: Integer, Flag: true, Min: 1, Max: 20, Help: "how many times slower; 1 is full speed"},
				resetArg(),
			},
			Returns: "what the tab is made to believe", Examples: []string{"emulate --scheme dark --locale de-DE", "emulate --network slow-3g --cpu 4", "emulate", "emulate --reset"},
		}, tab: ownTab, run: runEmulate},
		{Spec: Spec{
			Name: "headers", Scope: act, Summary: "show or set extra headers for every request of the tab",
			Args:    []Arg{{Name: "headers", Type: Lines, Secret: true, Help: "each as 'Name: value'; an empty value removes it"}, resetArg()},
			Returns: "what the tab is made to believe", Examples: []string{"headers 'X-Debug: 1'", "headers --reset"},
		}, tab: ownTab, run: runHeaders},
		{Spec: Spec{
			Name: "useragent", Scope: act, Summary: "show or set the user agent of the tab",
			Args:    []Arg{{Name: "text", Type: String, Help: "the user agent"}, resetArg()},
			Returns: "what the tab is made to believe", Examples: []string{"useragent 'MyBot/1.0'", "useragent --reset"},
		}, tab: ownTab, run: runUserAgent},
		{Spec: Spec{
			Name: "permissions", Scope: protocol.ScopeSensitive, Summary: "grant, deny or reset permissions of the page's site",
			Help: "Usual ones: geolocation, notifications, camera, microphone, clipboard-read, clipboard-write, midi, background-sync, persistent-storage, window-management.",
			Args: []Arg{
				doArg("list", "grant", "deny", "reset"),
				{Name: "name", Type: String, Help: "the permission; reset without it resets all"},
			},
			Returns: "site, permissions", Examples: []string{"permissions grant geolocation", "permissions", "permissions reset"},
		}, tab: ownTab, run: runPermissions},
	}
}

// devices are common ones, as they describe themselves.
func devices() map[string]protocol.Emulation {
	iphone := "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
	ipad := "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"
	android := "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"
	tablet := "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	one := func(w, h int, scale float64, mobile bool, agent string) protocol.Emulation {
		return protocol.Emulation{UserAgent: agent, Viewport: &protocol.EmulatedViewport{Width: w, Height: h, Scale: scale, Mobile: mobile, Touch: mobile}}
	}
	return map[string]protocol.Emulation{
		"iphone-se": one(375, 667, 2, true, iphone), "iphone-14": one(390, 844, 3, true, iphone), "iphone-15": one(393, 852, 3, true, iphone), "iphone-15-pro-max": one(430, 932, 3, true, iphone),
		"ipad": one(820, 1180, 2, true, ipad), "ipad-mini": one(768, 1024, 2, true, ipad), "ipad-pro": one(1024, 1366, 2, true, ipad),
		"pixel-8": one(412, 915, 2.625, true, android), "galaxy-s24": one(360, 780, 3, true, android), "galaxy-tab": one(800, 1280, 2, true, tablet),
		"laptop": one(1366, 768, 1, false, ""), "desktop": one(1920, 1080, 1, false, ""), "4k": one(3840, 2160, 1, false, ""),
	}
}

// conditions are networks with their figures in bytes a second, as the
// browser's own developer tools have them.
func conditions() map[string]protocol.EmulatedConditions {
	return map[string]protocol.EmulatedConditions{
		"offline": {Offline: true},
		"slow-3g": {LatencyMS: 2000, Down: 50_000, Up: 50_000},
		"fast-3g": {LatencyMS: 562.5, Down: 180_000, Up: 84_375},
		"slow-4g": {LatencyMS: 150, Down: 200_000, Up: 93_750},
		"fast-4g": {LatencyMS: 60, Down: 1_125_000, Up: 187_500},
		"dsl":     {LatencyMS: 25, Down: 1_000_000, Up: 125_000},
	}
}

// believed tells what a tab is made to believe.
func (in *invocation) believed(e protocol.Emulation, err error) (result, error) {
	if err != nil {
		return result{}, err
	}
	var lines []string
	say := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+line(value, 300))
		}
	}
	say("device", e.Device)
	if v := e.Viewport; v != nil {
		text := fmt.Sprintf("%dx%d, scale %g", v.Width, v.Height, v.Scale)
		if v.Mobile {
			text += ", mobile"
		}
		if v.Touch {
			text += ", touch"
		}
		say("viewport", text)
	}
	say("user agent", e.UserAgent)
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		say("header "+name, e.Headers[name])
	}
	say("media", e.Media)
	say("scheme", e.Scheme)
	say("motion", e.Motion)
	say("contrast", e.Contrast)
	say("locale", e.Locale)
	say("timezone", e.Timezone)
	if g := e.Geolocation; g != nil {
		say("geolocation", fmt.Sprintf("%g, %g within %g m", g.Latitude, g.Longitude, g.Accuracy))
	}
	if e.Network != nil {
		say("network", e.Network.Name)
	}
	if e.CPU > 1 {
		say("cpu", fmt.Sprintf("%g times slower", e.CPU))
	}
	if len(lines) == 0 {
		lines = []string{string(in.tab) + " is as the browser has it"}
	}
	return result{text: strings.Join(lines, "\n"), data: e}, nil
}

func (in *invocation) emulate(ctx context.Context, change func(*protocol.Emulation)) (result, error) {
	return in.believed(in.browser.Emulate(ctx, in.tab, change))
}

func runViewport(ctx context.Context, in *invocation) (result, error) {
	if in.args.flag("reset") {
		return in.emulate(ctx, dropDevice)
	}
	size := in.args.text("size")
	if size == "" {
		return in.believed(in.browser.Emulation(in.tab), nil)
	}
	w, h, _ := strings.Cut(strings.ToLower(size), "x")
	width, werr := strconv.Atoi(w)
	height, herr := strconv.Atoi(h)
	if werr != nil || herr != nil || width < 50 || height < 50 || width > 10_000 || height > 10_000 {
		return result{}, badArgument(fmt.Sprintf("%.40q is no size from 50x50 to 10000x10000", size), "", protocol.Example("viewport", "390x844"))
	}
	scale := 1.0
	if s := in.args.text("scale"); s != "" {
		var err error
		if scale, err = strconv.ParseFloat(s, 64); err != nil || !(scale >= 0.25 && scale <= 5) {
			return result{}, badArgument(fmt.Sprintf("%.40q is no scale from 0.25 to 5", s), "", protocol.Example("viewport", "390x844", "--scale", "3"))
		}
	}
	return in.emulate(ctx, func(e *protocol.Emulation) {
		dropDevice(e)
		e.Viewport = &protocol.EmulatedViewport{Width: width, Height: height, Scale: scale, Mobile: in.args.flag("mobile"), Touch: in.args.flag("touch")}
	})
}

// dropDevice takes a device away, and the size that was set.
func dropDevice(e *protocol.Emulation) {
	if e.Device != "" {
		e.UserAgent = ""
	}
	e.Device, e.Viewport = "", nil
}

func runDevice(ctx context.Context, in *invocation) (result, error) {
	if in.args.flag("reset") {
		return in.emulate(ctx, dropDevice)
	}
	all, name := devices(), in.args.text("name")
	if name == "" {
		var lines []string
		for _, n := range slices.Sorted(maps.Keys(all)) {
			v := all[n].Viewport
			lines = append(lines, fmt.Sprintf("%s  %dx%d, scale %g", n, v.Width, v.Height, v.Scale))
		}
		if now := in.browser.Emulation(in.tab).Device; now != "" {
			lines = append(lines, string(in.tab)+" is a "+now)
		}
		return result{text: strings.Join(lines, "\n"), data: all}, nil
	}
	return in.emulate(ctx, func(e *protocol.Emulation) {
		dropDevice(e)
		d := all[name]
		e.Device, e.Viewport, e.UserAgent = name, d.Viewport, d.UserAgent
	})
}

func runEmulate(ctx context.Context, in *invocation) (result, error) {
	if in.args.flag("reset") {
		return in.emulate(ctx, func(e *protocol.Emulation) { *e = protocol.Emulation{} })
	}
	place, err := in.geolocation()
	if err != nil {
		return result{}, err
	}
	if len(in.args) == 0 {
		return in.believed(in.browser.Emulation(in.tab), nil)
	}
	return in.emulate(ctx, func(e *protocol.Emulation) {
		for name, into := range map[string]*string{
			"media": &e.Media, "scheme": &e.Scheme, "motion": &e.Motion, "contrast": &e.Contrast, "locale": &e.Locale, "timezone": &e.Timezone,
		} {
			if v := in.args.text(name); v == "off" {
				*into = ""
			} else if v != "" {
				*into = v
			}
		}
		if in.args.given("geolocation") {
			e.Geolocation = place
		}
		if n := in.args.text("network"); n == "off" {
			e.Network = nil
		} else if n != "" {
			c := conditions()[n]
			c.Name = n
			e.Network = &c
		}
		if cpu := in.args.number("cpu"); cpu > 1 {
			e.CPU = float64(cpu)
		} else if cpu == 1 {
			e.CPU = 0
		}
	})
}

func (in *invocation) geolocation() (*protocol.EmulatedPlace, error) {
	text := in.args.text("geolocation")
	if text == "" || text == "off" {
		return nil, nil //nolint:nilnil // no place is the browser's own
	}
	numbers := []float64{0, 0, 10}
	parts := strings.Split(text, ",")
	for i, p := range parts {
		n, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || i > 2 {
			parts = nil
			break
		}
		numbers[i] = n
	}
	if len(parts) < 2 || !(numbers[0] >= -90 && numbers[0] <= 90 && numbers[1] >= -180 && numbers[1] <= 180 && numbers[2] >= 0) {
		return nil, badArgument(fmt.Sprintf("%.60q is no place", text), "", protocol.Example("emulate", "--geolocation", "52.52,13.40"))
	}
	return &protocol.EmulatedPlace{Latitude: numbers[0], Longitude: numbers[1], Accuracy: numbers[2]}, nil
}

// forbiddenHeaders are the browser's own: a page that gets them wrong breaks,
// or believes to be where it is not.
var forbiddenHeaders = map[string]bool{"host": true, "content-length": true, "connection": true, "transfer-encoding": true, "origin": true, "cookie": true}

func runHeaders(ctx context.Context, in *invocation) (result, error) {
	if in.args.flag("reset") {
		return in.emulate(ctx, func(e *protocol.Emulation) { e.Headers = nil })
	}
	list := in.args.list("headers")
	if len(list) == 0 {
		return in.believed(in.browser.Emulation(in.tab), nil)
	}
	set, err := readHeaders(list)
	if err != nil {
		return result{}, err
	}
	return in.emulate(ctx, func(e *protocol.Emulation) {
		if e.Headers == nil {
			e.Headers = map[string]string{}
		}
		for name, value := range set {
			if value == "" {
				delete(e.Headers, name)
			} else {
				e.Headers[name] = value
			}
		}
	})
}

func readHeaders(list []string) (map[string]string, error) {
	set := map[string]string{}
	if len(list) == 1 && strings.HasPrefix(list[0], "{") {
		if json.Unmarshal([]byte(list[0]), &set) != nil {
			return nil, badArgument("these headers are no JSON object of texts", "", protocol.Example("headers", "{\"X-Debug\":\"1\"}"))
		}
	} else {
		for _, h := range list {
			name, value, ok := strings.Cut(h, ":")
			if !ok {
				return nil, badArgument(fmt.Sprintf("%.60q is no header", h), "", protocol.Example("headers", "X-Debug: 1"))
			}
			set[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	for name, value := range set {
		if name == "" || strings.ContainsAny(name, " \t\r\n:()<>@,;\\\"/[]?={}") || strings.ContainsAny(value, "\r\n") || forbiddenHeaders[strings.ToLower(name)] {
			return nil, badArgument(fmt.Sprintf("the header %.60q cannot be set", name), "", protocol.Example("headers", "X-Debug: 1"))
		}
	}
	return set, nil
}

func runUserAgent(ctx context.Context, in *invocation) (result, error) {
	text := strings.TrimSpace(in.args.text("text"))
	if !in.args.flag("reset") && text == "" {
		return in.believed(in.browser.Emulation(in.tab), nil)
	}
	if strings.ContainsAny(text, "\r\n") || len(text) > 1000 {
		return result{}, badArgument("a user agent is one line of at most 1,000 characters", "", protocol.Example("useragent", "MyBot/1.0"))
	}
	return in.emulate(ctx, func(e *protocol.Emulation) { e.UserAgent = text })
}

func runPermissions(ctx context.Context, in *invocation) (result, error) {
	name := in.args.text("name")
	setting := map[string]string{"grant": "granted", "deny": "denied", "reset": "prompt"}[in.do("list")]
	switch {
	case setting == "prompt" && name == "":
		site, n, err := in.browser.ResetPermissions(ctx, in.tab)
		return result{text: fmt.Sprintf("%s of %s taken back", plural(n, "permission"), site), data: map[string]any{"site": site, "permissions": map[string]string{}}}, err
	case setting != "":
		if err := in.needs("permissions "+in.do(""), "name", "permissions grant geolocation"); err != nil {
			return result{}, err
		}
		site, err := in.browser.SetPermission(ctx, in.tab, name, setting)
		return result{text: fmt.Sprintf("%s: %s for %s", line(name, 60), setting, site), data: map[string]any{"site": site, "permissions": map[string]string{name: setting}}}, err
	}
	site, set, err := in.browser.Permissions(ctx, in.tab)
	var lines []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		lines = append(lines, n+": "+set[n])
	}
	return result{text: listed(lines, 0, "no command changed what "+site+" may do"), data: map[string]any{"site": site, "permissions": set}}, err
}
