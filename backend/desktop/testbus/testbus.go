// Package testbus configures a session bus for tests, on which no service of the
// machine starts by itself. Such a notification service or keyring would answer
// instead of the test's own.
package testbus

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed session-bus.conf
var config string

// services is where Debian keeps the service files of the session bus.
const services = "/usr/share/dbus-1/services"

// WriteConfig writes a configuration for dbus-daemon into a folder and returns its
// path. Of the machine's services, only those in allowed can be started, for example
// org.xfce.Xfconf.
func WriteConfig(dir string, allowed ...string) (string, error) {
	folder := filepath.Join(dir, "bus-services")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("making a folder for the bus's services: %w", err)
	}
	for _, name := range allowed {
		if err := os.Symlink(filepath.Join(services, name+".service"), filepath.Join(folder, name+".service")); err != nil {
			return "", fmt.Errorf("allowing %s on the bus: %w", name, err)
		}
	}
	path := filepath.Join(dir, "session-bus.conf")
	text := strings.Replace(config, "</busconfig>", "  <servicedir>"+folder+"</servicedir>\n</busconfig>", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("writing the bus's configuration: %w", err)
	}
	return path, nil
}
