package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domstorage"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

func asMethodError(err error) (*devtools.MethodError, bool) {
	return errors.AsType[*devtools.MethodError](err)
}

// originOf is the origin of an address; empty when it has none that keeps
// anything.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// origin is that of a tab's page.
func (p *tabPage) origin(ctx context.Context, id protocol.TabID) (string, error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return "", err
	}
	origin := originOf(info.URL)
	if origin == "" {
		return "", protocol.NewError(protocol.CodeBadArgument, "the page in "+string(id)+" has no storage of its own", "open a page of a site first")
	}
	return origin, nil
}

func (p *tabPage) items(ctx context.Context, origin string, local bool) ([]protocol.StorageItem, error) {
	res, err := cdp.Call(ctx, p.Session, domstorage.GetDOMStorageItems, domstorage.GetDOMStorageItemsParams{
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

// Storage returns what the page of a tab keeps, in localStorage and in
// sessionStorage.
func (b *Browser) Storage(ctx context.Context, id protocol.TabID) (protocol.Storage, error) {
	out := protocol.Storage{}
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) (err error) {
		if out.Origin, err = p.origin(ctx, id); err != nil {
			return err
		}
		if out.Local, err = p.items(ctx, out.Origin, true); err != nil {
			return err
		}
		out.SessionItems, err = p.items(ctx, out.Origin, false)
		return err
	})
	return out, err
}

// SetStorage sets one entry; local or session. The page's other windows hear of
// it as of any change.
func (b *Browser) SetStorage(ctx context.Context, id protocol.TabID, local bool, key, value string) error {
	return b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		origin, err := p.origin(ctx, id)
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, p.Session, domstorage.SetDOMStorageItem, domstorage.SetDOMStorageItemParams{StorageID: storageID(origin, local), Key: key, Value: value})
		if e, ok := asMethodError(err); ok {
			return protocol.NewError(protocol.CodeTooLarge, "the page's storage is full: "+e.Message, "", protocol.Try("makes room", "storage", "delete"))
		}
		return err
	})
}

// RemoveStorage removes one entry, or everything (empty key). It returns how
// many there were.
func (b *Browser) RemoveStorage(ctx context.Context, id protocol.TabID, local bool, key string) (int, error) {
	n := 0
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		origin, err := p.origin(ctx, id)
		if err != nil {
			return err
		}
		items, err := p.items(ctx, origin, local)
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
