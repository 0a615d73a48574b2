package sitedata

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domstorage"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Origin returns the origin of a tab's page.
func Origin(ctx context.Context, p *page.Page, id protocol.TabID) (string, error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return "", err
	}
	origin := page.OriginOf(info.URL)
	if origin == "" {
		return "", protocol.NewError(protocol.CodeBadArgument, "the page in "+string(id)+" has no storage of its own", "open a page of a site first")
	}
	return origin, nil
}

// Items returns the localStorage, or else the sessionStorage, of the page of a session, which
// is of the origin.
func Items(ctx context.Context, s *devtools.Session, origin string, local bool) ([]protocol.StorageItem, error) {
	res, err := cdp.Call(ctx, s, domstorage.GetDOMStorageItems, domstorage.GetDOMStorageItemsParams{
		StorageID: storageID(origin, local),
	})
	if err != nil {
		return nil, fmt.Errorf("reading the storage: %w", err)
	}
	out := make([]protocol.StorageItem, 0, len(res.Entries))
	for _, e := range res.Entries {
		if len(e) == 2 {
			out = append(out, protocol.StorageItem{Key: e[0], Value: e[1]})
		}
	}
	return out, nil
}

func storageID(origin string, local bool) *domstorage.StorageID {
	return &domstorage.StorageID{StorageKey: domstorage.SerializedStorageKey(origin + "/"), IsLocalStorage: local}
}

// Storage returns the localStorage and sessionStorage of the page of a tab.
func (d *Sites) Storage(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.Storage, error) {
	out := protocol.Storage{}
	err := d.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) (err error) {
		if out.Origin, err = Origin(ctx, p, id); err != nil {
			return err
		}
		if out.Local, err = Items(ctx, p.Session, out.Origin, true); err != nil {
			return err
		}
		out.SessionItems, err = Items(ctx, p.Session, out.Origin, false)
		return err
	})
	return out, err
}

// SetStorage sets one entry of localStorage (local) or sessionStorage. The site's
// other windows receive a storage event, as for any change.
func (d *Sites) SetStorage(ctx context.Context, by protocol.Caller, id protocol.TabID, local bool, key, value string) error {
	return d.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		origin, err := Origin(ctx, p, id)
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, p.Session, domstorage.SetDOMStorageItem, domstorage.SetDOMStorageItemParams{StorageID: storageID(origin, local), Key: key, Value: value})
		if e, ok := devtools.AsMethodError(err); ok {
			return protocol.NewError(protocol.CodeTooLarge, "the page's storage is full: "+e.Message, "", protocol.Try("makes room", "storage", "delete"))
		}
		return err
	})
}

// RemoveStorage removes one entry, or all entries (empty key). It returns how
// many there were.
func (d *Sites) RemoveStorage(ctx context.Context, by protocol.Caller, id protocol.TabID, local bool, key string) (int, error) {
	n := 0
	err := d.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		origin, err := Origin(ctx, p, id)
		if err != nil {
			return err
		}
		items, err := Items(ctx, p.Session, origin, local)
		if err != nil {
			return err
		}
		if key == "" {
			n = len(items)
			_, err = cdp.Call(ctx, p.Session, domstorage.Clear, domstorage.ClearParams{StorageID: storageID(origin, local)})
			return err
		}
		for _, i := range items {
			if i.Key == key {
				n++
			}
		}
		_, err = cdp.Call(ctx, p.Session, domstorage.RemoveDOMStorageItem, domstorage.RemoveDOMStorageItemParams{StorageID: storageID(origin, local), Key: key})
		return err
	})
	return n, err
}
