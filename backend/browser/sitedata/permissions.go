package sitedata

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// permissions are those that commands gave or refused, by site; for a listing
// and to take them back. They are the profile's and not a tab's.
type permissions struct {
	mu   sync.Mutex
	life *devtools.Conn // of the browser that they were set in; the next one has none
	set  map[permission]string
}

// in are the permissions of a life of the browser; ps.mu is held.
func (ps *permissions) in(life *devtools.Conn) map[permission]string {
	if ps.life != life {
		ps.life, ps.set = life, make(map[permission]string)
	}
	return ps.set
}

type permission struct{ origin, name string }

// SetPermission grants, denies or asks again for something that the site of a
// tab may want. It returns the site.
func (d *Sites) SetPermission(ctx context.Context, id protocol.TabID, name, setting string) (string, error) {
	site := ""
	err := d.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) (err error) {
		if site, err = Origin(ctx, p, id); err != nil {
			return err
		}
		if err := setPermission(ctx, p.Conn.Root, site, name, setting); err != nil {
			return err
		}
		d.permissions.mu.Lock()
		defer d.permissions.mu.Unlock()
		set, key := d.permissions.in(p.Conn), permission{site, name}
		set[key] = setting
		if setting == "prompt" {
			delete(set, key)
		}
		return nil
	})
	return site, err
}

func setPermission(ctx context.Context, root *devtools.Session, site, name, setting string) error {
	_, err := cdp.Call(ctx, root, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: name, Sysex: name == "midi"}, Setting: browser.PermissionSetting(setting), Origin: site,
	})
	if e, ok := devtools.AsMethodError(err); ok {
		return protocol.NewError(protocol.CodeBadArgument, "the browser has no such permission: "+e.Message, "", protocol.Try("lists the usual ones", "help", "permissions"))
	}
	return err
}

// Permissions returns what commands changed for the site of a tab, by name.
func (d *Sites) Permissions(ctx context.Context, id protocol.TabID) (site string, set map[string]string, err error) {
	set = map[string]string{}
	err = d.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) (err error) {
		if site, err = Origin(ctx, p, id); err != nil {
			return err
		}
		d.permissions.mu.Lock()
		defer d.permissions.mu.Unlock()
		for key, setting := range d.permissions.in(p.Conn) {
			if key.origin == site {
				set[key.name] = setting
			}
		}
		return nil
	})
	return site, set, err
}

// ResetPermissions takes back what commands changed for the site of a tab. It
// returns how many there were.
func (d *Sites) ResetPermissions(ctx context.Context, id protocol.TabID) (string, int, error) {
	site, set, err := d.Permissions(ctx, id)
	if err != nil {
		return site, 0, err
	}
	for name := range set {
		if _, err := d.SetPermission(ctx, id, name, "prompt"); err != nil {
			return site, 0, err
		}
	}
	return site, len(set), nil
}
