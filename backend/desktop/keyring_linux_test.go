package desktop_test

import (
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/desktop"
)

// collection is the default collection of a small Secret Service.
type collection struct{}

func (collection) Get(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant(false), nil
}

func TestKeyringRuns(t *testing.T) {
	conn := bus(t)
	if desktop.KeyringRuns(t.Context()) {
		t.Error("a bus without a keyring has one")
	}
	if _, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	if desktop.KeyringRuns(t.Context()) {
		t.Error("a service without a default collection, which would ask for a new password, counts")
	}
	if err := conn.Export(collection{}, "/org/freedesktop/secrets/aliases/default", "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	if !desktop.KeyringRuns(t.Context()) {
		t.Error("a service with a default collection does not count")
	}
}

func TestKeyringWithoutABus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	if desktop.KeyringRuns(t.Context()) {
		t.Error("there is a keyring without a bus")
	}
}
