package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

func resetArg() command.Arg {
	return command.Arg{Name: "reset", Type: command.Boolean, Flag: true, Help: "back to the browser's own"}
}

// emulation returns the commands that change a tab's environment for the page: size, device,
// media, location, network, headers, permissions.
func (c *commands) emulation() []command.Command {
	act := protocol.ScopeAct
	devices := slices.Sorted(maps.Keys(devices()))
	return []command.Command{
		{Spec: command.Spec{
			Name: "viewport", Scope: act, Summary: "show or set the size of the page in the tab",
			Args: []command.Arg{
				{Name: "size", Type: command.String, Help: "width x height in CSS pixels, such as 390x844"},
				{Name: "scale", Type: command.String, Flag: true, Default: "1", Help: "device pixels for each CSS pixel"},
				{Name: "mobile", Type: command.Boolean, Flag: true, Help: "lay the page out as on a phone"},
				{Name: "touch", Type: command.Boolean, Flag: true, Help: "with a touch screen"},
				resetArg(),
			},
			Returns: "what the tab is made to believe", Examples: []string{"viewport 390x844", "viewport 390x844 --scale 3 --mobile --touch", "viewport --reset"},
		}, Tab: command.OwnTab, Run: c.runViewport},
		{Spec: command.Spec{
			Name: "device", Scope: act, Summary: "imitate a device in the tab: size, touch and user agent",
			Help:    "Without a name it lists the devices.",
			Args:    []command.Arg{{Name: "name", Type: command.String, Choices: devices, Help: "of the device"}, resetArg()},
			Returns: "the devices, or what the tab is made to believe", Examples: []string{"device iphone-15", "device", "device --reset"},
		}, Tab: command.OwnTab, Run: c.runDevice},
		{Spec: command.Spec{
			Name: "emulate", Scope: act, Summary: "show or change the tab's emulated settings: media, locale, time zone, location, network, CPU",
			Help: "Each option changes one setting; `off` restores the browser's own. --reset undoes everything, also size, device, headers and user agent. Without options it prints what is changed.",
			Args: []command.Arg{
				{Name: "media", Type: command.String, Flag: true, Choices: []string{"print", "screen", "off"}, Help: "CSS medium"},
				{Name: "scheme", Type: command.String, Flag: true, Choices: []string{"dark", "light", "off"}, Help: "prefers-color-scheme"},
				{Name: "motion", Type: command.String, Flag: true, Choices: []string{"reduce", "no-preference", "off"}, Help: "prefers-reduced-motion"},
				{Name: "contrast", Type: command.String, Flag: true, Choices: []string{"more", "less", "no-preference", "off"}, Help: "prefers-contrast"},
				{Name: "locale", Type: command.String, Flag: true, Help: "such as de-DE"},
				{Name: "timezone", Type: command.String, Flag: true, Help: "such as Asia/Tokyo"},
				{Name: "geolocation", Type: command.String, Flag: true, Help: "latitude,longitude or with ,accuracy in metres"},
				{Name: "network", Type: command.String, Flag: true, Choices: append(slices.Sorted(maps.Keys(networkConditions())), "off"), Help: "how fast the network is"},
				{Name: "cpu", Type: command.Integer, Flag: true, Min: 1, Max: 20, Help: "how many times slower; 1 is full speed"},
				resetArg(),
			},
			Returns: "what the tab is made to believe", Examples: []string{"emulate --scheme dark --locale de-DE", "emulate --network slow-3g --cpu 4", "emulate", "emulate --reset"},
		}, Tab: command.OwnTab, Run: c.runEmulate},
		{Spec: command.Spec{
			Name: "headers", Scope: act, Summary: "show or set extra headers for requests of the tab to the page's origin",
			Help:    "They go to no other origin, also after the tab has gone on; setting some on another origin replaces them. On an empty tab they are for every origin, which only the user may set.",
			Args:    []command.Arg{{Name: "headers", Type: command.Lines, Secret: true, Help: "each as 'Name: value'; an empty value removes it"}, resetArg()},
			Returns: "what the tab is made to believe", Examples: []string{"headers 'X-Debug: 1'", "headers --reset"},
		}, Tab: command.OwnTab, Doing: command.Giving(func(args command.Values) bool { return len(args.List("headers")) > 0 }), Run: c.runHeaders},
		{Spec: command.Spec{
			Name: "useragent", Scope: act, Summary: "show or set the user agent of the tab for the page's origin",
			Help:    "As with headers, other origins get the browser's own.",
			Args:    []command.Arg{{Name: "text", Type: command.String, Help: "the user agent"}, resetArg()},
			Returns: "what the tab is made to believe", Examples: []string{"useragent 'MyBot/1.0'", "useragent --reset"},
		}, Tab: command.OwnTab, Doing: command.Giving(func(args command.Values) bool { return args.Text("text") != "" }), Run: c.runUserAgent},
		{Spec: command.Spec{
			Name: "permissions", Scope: protocol.ScopeSensitive, Summary: "grant, deny or reset permissions of the page's site",
			Help: "Usual ones: geolocation, notifications, camera, microphone, clipboard-read, clipboard-write, midi, background-sync, persistent-storage, window-management.",
			Args: []command.Arg{
				command.DoArg("list", "grant", "deny", "reset"),
				{Name: "name", Type: command.String, Help: "the permission; reset without it resets all"},
			},
			Returns: "site, permissions", Examples: []string{"permissions grant geolocation", "permissions", "permissions reset"},
		}, Tab: command.OwnTab, Kind: protocol.ActionPermissions, Run: c.runPermissions},
	}
}

// devices returns common devices, with the user agents that they send.
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

// networkConditions returns the named networks, in bytes per second; the values are
// those of the browser's developer tools.
func networkConditions() map[string]protocol.EmulatedConditions {
	return map[string]protocol.EmulatedConditions{
		"offline": {Offline: true},
		"slow-3g": {LatencyMS: 2000, Down: 50_000, Up: 50_000},
		"fast-3g": {LatencyMS: 562.5, Down: 180_000, Up: 84_375},
		"slow-4g": {LatencyMS: 150, Down: 200_000, Up: 93_750},
		"fast-4g": {LatencyMS: 60, Down: 1_125_000, Up: 187_500},
		"dsl":     {LatencyMS: 25, Down: 1_000_000, Up: 125_000},
	}
}

// believed lists a tab's emulated settings.
func believed(in *command.Invocation, e protocol.Emulation) (command.Result, error) {
	var lines []string
	say := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+foreign.Line(value, 300))
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
	say("user agent"+onlyTo(e.UserAgentOrigin), e.UserAgent)
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		say("header "+name+onlyTo(e.HeadersOrigin), e.Headers[name])
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
		lines = []string{string(in.Tab) + " is as the browser has it"}
	}
	return command.Result{Text: strings.Join(lines, "\n"), Data: e}, nil
}

func onlyTo(origin string) string {
	if origin == "" {
		return ""
	}
	return " only to " + foreign.Line(origin, foreign.URLShown)
}

// boundTo returns the origin that headers and a user agent are for: that of the page. On
// a page without one, such as about:blank, they are for every origin, which only the user
// may set.
func boundTo(in *command.Invocation) (string, error) {
	u, err := url.Parse(in.Acted())
	if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Scheme + "://" + u.Host, nil
	}
	if in.Agent() {
		return "", protocol.NewError(protocol.CodeRefused, "this page has no site that would get them", "open the page first: they go to its origin only")
	}
	return "", nil
}

func (c *commands) emulate(ctx context.Context, in *command.Invocation, change func(*protocol.Emulation)) (command.Result, error) {
	e, err := c.Browser.Emulate(ctx, in.By(), in.Tab, change)
	if err != nil {
		return command.Result{}, err
	}
	return believed(in, e)
}

// throttle slows a tab's network down to one of the named networks, for `network
// throttle`; `off` ends that.
func (c *commands) throttle(ctx context.Context, in *command.Invocation, name string) (command.Result, error) {
	condition, ok := networkConditions()[name]
	if !ok && name != "off" {
		return command.Result{}, command.BadArgument(fmt.Sprintf("there is no network %.40q", name), "use offline, slow-3g, fast-3g, slow-4g, fast-4g, dsl or off")
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) {
		e.Network = nil
		if name != "off" {
			condition.Name = name
			e.Network = &condition
		}
	})
}

func (c *commands) runViewport(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if in.Args.Flag("reset") {
		return c.emulate(ctx, in, dropDevice)
	}
	size := in.Args.Text("size")
	if size == "" {
		return believed(in, c.Browser.Emulation(in.Tab))
	}
	w, h, _ := strings.Cut(strings.ToLower(size), "x")
	width, werr := strconv.Atoi(w)
	height, herr := strconv.Atoi(h)
	if werr != nil || herr != nil || width < 50 || height < 50 || width > 10_000 || height > 10_000 {
		return command.Result{}, command.BadArgument(fmt.Sprintf("%.40q is no size from 50x50 to 10000x10000", size), "", protocol.Example("viewport", "390x844"))
	}
	scale := 1.0
	if s := in.Args.Text("scale"); s != "" {
		var err error
		if scale, err = strconv.ParseFloat(s, 64); err != nil || !(scale >= 0.25 && scale <= 5) {
			return command.Result{}, command.BadArgument(fmt.Sprintf("%.40q is no scale from 0.25 to 5", s), "", protocol.Example("viewport", "390x844", "--scale", "3"))
		}
	}
	if pixels := float64(width) * float64(height) * scale * scale; pixels > protocol.MaxPixels {
		return command.Result{}, command.BadArgument(fmt.Sprintf("%dx%d at the scale %g is %.0f million pixels; at most %d million are possible", width, height, scale, pixels/1e6, protocol.MaxPixels/1_000_000),
			"choose a smaller size or scale", protocol.Example("viewport", "390x844"))
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) {
		dropDevice(e)
		e.Viewport = &protocol.EmulatedViewport{Width: width, Height: height, Scale: scale, Mobile: in.Args.Flag("mobile"), Touch: in.Args.Flag("touch")}
	})
}

// dropDevice removes an emulated device and size.
func dropDevice(e *protocol.Emulation) {
	if e.Device != "" {
		e.UserAgent, e.UserAgentOrigin = "", ""
	}
	e.Device, e.Viewport = "", nil
}

func (c *commands) runDevice(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if in.Args.Flag("reset") {
		return c.emulate(ctx, in, dropDevice)
	}
	all, name := devices(), in.Args.Text("name")
	if name == "" {
		var lines []string
		for _, n := range slices.Sorted(maps.Keys(all)) {
			v := all[n].Viewport
			lines = append(lines, fmt.Sprintf("%s  %dx%d, scale %g", n, v.Width, v.Height, v.Scale))
		}
		if now := c.Browser.Emulation(in.Tab).Device; now != "" {
			lines = append(lines, string(in.Tab)+" is a "+now)
		}
		return command.Result{Text: strings.Join(lines, "\n"), Data: all}, nil
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) {
		dropDevice(e)
		d := all[name]
		e.Device, e.Viewport, e.UserAgent, e.UserAgentOrigin = name, d.Viewport, d.UserAgent, ""
	})
}

func (c *commands) runEmulate(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if in.Args.Flag("reset") {
		return c.emulate(ctx, in, func(e *protocol.Emulation) { *e = protocol.Emulation{} })
	}
	where, err := geolocation(in)
	if err != nil {
		return command.Result{}, err
	}
	if len(in.Args) == 0 {
		return believed(in, c.Browser.Emulation(in.Tab))
	}
	// Only language, script and region: the rest of a locale would be a text of the
	// caller, and every site gets the locale.
	if l := in.Args.Text("locale"); l != "" && !localeForm().MatchString(l) {
		return command.Result{}, command.BadArgument(fmt.Sprintf("%.40q is no locale", l), "", protocol.Example("emulate", "--locale", "de-DE"))
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) {
		for name, into := range map[string]*string{
			"media": &e.Media, "scheme": &e.Scheme, "motion": &e.Motion, "contrast": &e.Contrast, "locale": &e.Locale, "timezone": &e.Timezone,
		} {
			if v := in.Args.Text(name); v == "off" {
				*into = ""
			} else if v != "" {
				*into = v
			}
		}
		if in.Args.Given("geolocation") {
			e.Geolocation = where
		}
		if n := in.Args.Text("network"); n == "off" {
			e.Network = nil
		} else if n != "" {
			condition := networkConditions()[n]
			condition.Name = n
			e.Network = &condition
		}
		if cpu := in.Args.Number("cpu"); cpu > 1 {
			e.CPU = float64(cpu)
		} else if cpu == 1 {
			e.CPU = 0
		}
	})
}

var localeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(off|[A-Za-z]{2,3}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?)$`)
})

func geolocation(in *command.Invocation) (*protocol.EmulatedGeolocation, error) {
	text := in.Args.Text("geolocation")
	if text == "" || text == "off" {
		return nil, nil //nolint:nilnil // none is the browser's own
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
		return nil, command.BadArgument(fmt.Sprintf("%.60q is no geolocation", text), "", protocol.Example("emulate", "--geolocation", "52.52,13.40"))
	}
	return &protocol.EmulatedGeolocation{Latitude: numbers[0], Longitude: numbers[1], Accuracy: numbers[2]}, nil
}

// forbiddenHeaders are set by the browser only. With a wrong value, a page
// breaks or takes the request for one from another place.
var forbiddenHeaders = map[string]bool{"host": true, "content-length": true, "connection": true, "transfer-encoding": true, "origin": true, "cookie": true}

func (c *commands) runHeaders(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if in.Args.Flag("reset") {
		return c.emulate(ctx, in, func(e *protocol.Emulation) { e.Headers, e.HeadersOrigin = nil, "" })
	}
	list := in.Args.List("headers")
	if len(list) == 0 {
		return believed(in, c.Browser.Emulation(in.Tab))
	}
	set, err := parseHeaders(list)
	if err != nil {
		return command.Result{}, err
	}
	origin, err := boundTo(in)
	if err != nil {
		return command.Result{}, err
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) {
		if e.Headers == nil || e.HeadersOrigin != origin {
			e.Headers, e.HeadersOrigin = map[string]string{}, origin
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

// parseHeaders parses headers to set, each written as "Name: value".
func parseHeaders(list []string) (map[string]string, error) {
	set := map[string]string{}
	if len(list) == 1 && strings.HasPrefix(list[0], "{") {
		if json.Unmarshal([]byte(list[0]), &set) != nil {
			return nil, command.BadArgument("these headers are no JSON object of texts", "", protocol.Example("headers", "{\"X-Debug\":\"1\"}"))
		}
	} else {
		for _, h := range list {
			name, value, ok := strings.Cut(h, ":")
			if !ok {
				return nil, command.BadArgument(fmt.Sprintf("%.60q is no header", h), "", protocol.Example("headers", "X-Debug: 1"))
			}
			set[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	for name, value := range set {
		if name == "" || strings.ContainsAny(name, " \t\r\n:()<>@,;\\\"/[]?={}") || strings.ContainsAny(value, "\r\n") || forbiddenHeaders[strings.ToLower(name)] {
			return nil, command.BadArgument(fmt.Sprintf("the header %.60q cannot be set", name), "", protocol.Example("headers", "X-Debug: 1"))
		}
	}
	return set, nil
}

func (c *commands) runUserAgent(ctx context.Context, in *command.Invocation) (command.Result, error) {
	text := strings.TrimSpace(in.Args.Text("text"))
	if !in.Args.Flag("reset") && text == "" {
		return believed(in, c.Browser.Emulation(in.Tab))
	}
	if strings.ContainsAny(text, "\r\n") || len(text) > 1000 {
		return command.Result{}, command.BadArgument("a user agent is one line of at most 1,000 characters", "", protocol.Example("useragent", "MyBot/1.0"))
	}
	origin, err := boundTo(in)
	if err != nil {
		return command.Result{}, err
	}
	return c.emulate(ctx, in, func(e *protocol.Emulation) { e.UserAgent, e.UserAgentOrigin = text, origin })
}

func (c *commands) runPermissions(ctx context.Context, in *command.Invocation) (command.Result, error) {
	name := in.Args.Text("name")
	setting := map[string]string{"grant": "granted", "deny": "denied", "reset": "prompt"}[in.Args.Do("list")]
	switch {
	case setting == "prompt" && name == "":
		site, n, err := c.Browser.ResetPermissions(ctx, in.By(), in.Tab)
		return command.Result{Text: fmt.Sprintf("%s of %s taken back", spelling.Plural(n, "permission"), site), Data: map[string]any{"site": site, "permissions": map[string]string{}}}, err
	case setting != "":
		if err := in.Args.Needs("permissions "+in.Args.Do(""), "name", "permissions grant geolocation"); err != nil {
			return command.Result{}, err
		}
		site, err := c.Browser.SetPermission(ctx, in.By(), in.Tab, name, setting)
		return command.Result{Text: fmt.Sprintf("%s: %s for %s", foreign.Line(name, 60), setting, site), Data: map[string]any{"site": site, "permissions": map[string]string{name: setting}}}, err
	}
	site, set, err := c.Browser.Permissions(ctx, in.By(), in.Tab)
	var lines []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		lines = append(lines, n+": "+set[n])
	}
	return command.Result{Text: listing.Last(lines, 0, "no command changed what "+site+" may do"), Data: map[string]any{"site": site, "permissions": set}}, err
}
