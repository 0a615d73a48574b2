package browser

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/sitedata"
	"pilotfish/backend/protocol"
)

// permissions are those that commands gave or refused, by site; for a listing
// and to take them back. They are the profile's and not a tab's.
type permissions struct {
	mu  sync.Mutex
	set map[permission]string
}

type permission struct{ origin, name string }

// SetPermission grants, denies or asks again for something that the site of a
// tab may want. It returns the site.
func (b *Browser) SetPermission(ctx context.Context, id protocol.TabID, name, setting string) (string, error) {
	site := ""
	err := b.onTab(ctx, id, false, func(ctx context.Context, r *run, p *tabPage) (err error) {
		if site, err = sitedata.Origin(ctx, p.Page, id); err != nil {
			return err
		}
		if err := setPermission(ctx, r, site, name, setting); err != nil {
			return err
		}
		r.permissions.mu.Lock()
		defer r.permissions.mu.Unlock()
		if r.permissions.set == nil {
			r.permissions.set = make(map[permission]string)
		}
		key := permission{site, name}
		r.permissions.set[key] = setting
		if setting == "prompt" {
			delete(r.permissions.set, key)
		}
		return nil
	})
	return site, err
}

func setPermission(ctx context.Context, r *run, site, name, setting string) error {
	_, err := cdp.Call(ctx, r.conn.Root, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: name, Sysex: name == "midi"}, Setting: browser.PermissionSetting(setting), Origin: site,
	})
	if e, ok := devtools.AsMethodError(err); ok {
		return protocol.NewError(protocol.CodeBadArgument, "the browser has no such permission: "+e.Message, "", protocol.Try("lists the usual ones", "help", "permissions"))
	}
	return err
}

// Permissions returns what commands changed for the site of a tab, by name.
func (b *Browser) Permissions(ctx context.Context, id protocol.TabID) (site string, set map[string]string, err error) {
	set = map[string]string{}
	err = b.onTab(ctx, id, false, func(ctx context.Context, r *run, p *tabPage) (err error) {
		if site, err = sitedata.Origin(ctx, p.Page, id); err != nil {
			return err
		}
		r.permissions.mu.Lock()
		defer r.permissions.mu.Unlock()
		for key, setting := range r.permissions.set {
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
func (b *Browser) ResetPermissions(ctx context.Context, id protocol.TabID) (string, int, error) {
	site, set, err := b.Permissions(ctx, id)
	if err != nil {
		return site, 0, err
	}
	for name := range set {
		if _, err := b.SetPermission(ctx, id, name, "prompt"); err != nil {
			return site, 0, err
		}
	}
	return site, len(set), nil
}
