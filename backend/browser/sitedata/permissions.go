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

// permissions are the permissions that commands have granted or denied, by site.
// They are kept to list them and to reset them. They apply to the profile, not to
// a tab.
type permissions struct {
	mu   sync.Mutex
	life *devtools.Conn // the connection of the run in which they were set; the next run starts with none
	set  map[permission]string
}

// in returns the permissions of one run of the browser; ps.mu is held.
func (ps *permissions) in(life *devtools.Conn) map[permission]string {
	if ps.life != life {
		ps.life, ps.set = life, make(map[permission]string)
	}
	return ps.set
}

type permission struct{ origin, name string }

// SetPermission grants, denies or resets a permission for the site of a tab. It
// returns the site.
func (d *Sites) SetPermission(ctx context.Context, by protocol.Caller, id protocol.TabID, name, setting string) (string, error) {
	site := ""
	err := d.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) (err error) {
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

// Permissions returns the permissions that commands have changed for the site of
// a tab, by name.
func (d *Sites) Permissions(ctx context.Context, by protocol.Caller, id protocol.TabID) (site string, set map[string]string, err error) {
	set = map[string]string{}
	err = d.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) (err error) {
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

// ResetPermissions resets what commands have changed for the site of a tab. It
// returns the number of permissions.
func (d *Sites) ResetPermissions(ctx context.Context, by protocol.Caller, id protocol.TabID) (string, int, error) {
	site, set, err := d.Permissions(ctx, by, id)
	if err != nil {
		return site, 0, err
	}
	for name := range set {
		if _, err := d.SetPermission(ctx, by, id, name, "prompt"); err != nil {
			return site, 0, err
		}
	}
	return site, len(set), nil
}
