package desktop

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// The services that store secrets on a Linux desktop: that of freedesktop.org (GNOME
// Keyring, KeePassXC, newer KWallets) and KDE's own.
const (
	secretService    = "org.freedesktop.secrets"
	secretCollection = "/org/freedesktop/secrets/aliases/default"
)

// KeyringRuns reports whether the desktop runs a service that stores secrets, locked
// or not. One that is only installed does not count: a request for a secret would
// start it, and then wait for the user to choose a password in a dialog. On a machine
// without a desktop session nobody sees that dialog.
func KeyringRuns(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // everything was answered
	if conn.Auth(nil) != nil || conn.Hello() != nil {
		return false
	}
	has := func(name string) bool {
		var owned bool
		return conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned) == nil && owned
	}
	if has("org.kde.kwalletd6") || has("org.kde.kwalletd5") {
		return true
	}
	if !has(secretService) {
		return false
	}
	// Without a default collection the service would ask for a new password.
	var locked dbus.Variant
	err = conn.Object(secretService, secretCollection).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0,
		"org.freedesktop.Secret.Collection", "Locked").Store(&locked)
	return err == nil
}
