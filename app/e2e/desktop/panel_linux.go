package desktop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/godbus/dbus/v5"
)

// panelConfig is a panel at the bottom with a list of windows and a tray, 28
// pixels high, with icons of 22 pixels, the smallest common size. The four
// placeholders are the background colour.
const panelConfig = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="dark-mode" type="bool" value="%s"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=10;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="28"/>
      <property name="icon-size" type="uint" value="22"/>
      <property name="background-style" type="uint" value="1"/>
      <property name="background-rgba" type="array">%s</property>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
        <value type="int" value="2"/>
        <value type="int" value="3"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="tasklist"/>
    <property name="plugin-2" type="string" value="separator">
      <property name="expand" type="bool" value="true"/>
    </property>
    <property name="plugin-3" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
      <property name="icon-size" type="int" value="22"/>
      <property name="hide-new-items" type="bool" value="false"/>
    </property>
  </property>
</channel>
`

// dark and light are backgrounds of the panel: red, green, blue, alpha.
const (
	dark  = `<value type="double" value="0.16"/><value type="double" value="0.16"/><value type="double" value="0.17"/><value type="double" value="1"/>`
	light = `<value type="double" value="0.93"/><value type="double" value="0.93"/><value type="double" value="0.92"/><value type="double" value="1"/>`
)

func (d *Desktop) configDir() string { return filepath.Join(d.cfg.Dir, "config") }

// writePanelConfig creates the folders of the environment and writes the panel's
// configuration to where xfconf reads it.
func (d *Desktop) writePanelConfig() error {
	folder := filepath.Join(d.configDir(), "xfce4", "xfconf", "xfce-perchannel-xml")
	for _, dir := range []string{folder, filepath.Join(d.cfg.Dir, "run"), filepath.Join(d.cfg.Dir, "cache"), filepath.Join(d.cfg.Dir, "data")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making the desktop's folders: %w", err)
		}
	}
	mode, colour := "true", dark
	if d.cfg.LightPanel {
		mode, colour = "false", light
	}
	text := fmt.Sprintf(panelConfig, mode, colour)
	if err := os.WriteFile(filepath.Join(folder, "xfce4-panel.xml"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("writing the panel's configuration: %w", err)
	}
	return nil
}

// StartPanel starts the panel and returns when it has registered as a host for
// tray icons.
func (d *Desktop) StartPanel(ctx context.Context) error {
	changes, done, err := d.signals(ctx,
		[]dbus.MatchOption{dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName)},
		[]dbus.MatchOption{dbus.WithMatchInterface(watcherName)})
	if err != nil {
		return err
	}
	defer done()
	p, err := d.spawn("xfce4-panel", nil, "--disable-wm-check")
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.panel = p
	d.mu.Unlock()
	for !d.hostRegistered(ctx) {
		select {
		case <-changes:
		case <-p.done:
			return fmt.Errorf("the panel ended: %s", d.log("xfce4-panel"))
		case <-ctx.Done():
			return fmt.Errorf("waiting for the panel's tray: %w\n%s", ctx.Err(), d.log("xfce4-panel"))
		}
	}
	return nil
}

// StopPanel stops the panel. After it there is no host for tray icons.
func (d *Desktop) StopPanel() error {
	d.mu.Lock()
	p := d.panel
	d.panel = nil
	for i := range d.parts {
		if d.parts[i] == p {
			d.parts = append(d.parts[:i], d.parts[i+1:]...)
			break
		}
	}
	d.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.stop()
}

func (d *Desktop) hostRegistered(ctx context.Context) bool {
	v, err := d.property(ctx, watcherName, watcherPath, watcherName, "IsStatusNotifierHostRegistered")
	if err != nil {
		return false
	}
	registered, ok := v.Value().(bool)
	return ok && registered
}
