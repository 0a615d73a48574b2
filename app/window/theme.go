package main

import (
	"context"
	"os"
	"strings"

	"github.com/godbus/dbus/v5"
	wailsoptions "github.com/wailsapp/wails/v2/pkg/options"

	"pilotfish/backend/protocol"
)

// ground returns the window's background colour until the page is painted. It
// is the page's own colour: --ground in frontend/ui/tokens.css.
func ground(ctx context.Context, theme protocol.Theme) *wailsoptions.RGBA {
	if theme == protocol.ThemeDark || theme != protocol.ThemeLight && dark(ctx) {
		return wailsoptions.NewRGB(0x12, 0x14, 0x15)
	}
	return wailsoptions.NewRGB(0xf4, 0xf5, 0xf5)
}

// dark reports whether the page will be dark, by the same rules as the page: a
// theme that the environment forces, else the desktop's choice. Without an
// answer within themeTimeout it is light.
func dark(ctx context.Context) bool {
	if theme := os.Getenv("GTK_THEME"); theme != "" {
		return strings.HasSuffix(theme, ":dark") || strings.HasSuffix(strings.ToLower(theme), "-dark")
	}
	ctx, cancel := context.WithTimeout(ctx, themeTimeout)
	defer cancel()
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer func() { _ = bus.Close() }()
	var answer dbus.Variant
	err = bus.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop").CallWithContext(ctx,
		"org.freedesktop.portal.Settings.ReadOne", 0, "org.freedesktop.appearance", "color-scheme").Store(&answer)
	const preferDark = uint32(1) // 0 is no preference, 2 is light
	return err == nil && answer.Value() == preferDark
}
