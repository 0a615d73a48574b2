package sitedata

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/zalando/go-keyring"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// The entry of the system's keychain that holds the key of saved states.
const (
	keychainService = "Pilotfish"
	keychainUser    = "saved states"
)

// stateVersion is the format version of a saved state.
const stateVersion = 1

// statePath returns the path of a saved state. Its extension says whether a
// passphrase or the keychain decrypts it.
func (d *Sites) statePath(name, key string) (string, error) {
	if !files.IsName(name) {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no name for a state", name), "use a to z, 0 to 9, _ and -")
	}
	dir, err := d.config.Folder.Of("states")
	return filepath.Join(dir, name+"."+key+".age"), err
}

// sealer returns what encrypts a state: a passphrase, or the key in the keychain,
// which is created the first time.
func sealer(passphrase string) (age.Recipient, string, error) {
	if passphrase != "" {
		r, err := age.NewScryptRecipient(passphrase)
		return r, "passphrase", err
	}
	id, err := keychainIdentity(true)
	if err != nil {
		return nil, "", err
	}
	return id.Recipient(), "keychain", nil
}

func opener(passphrase, key string) (age.Identity, error) {
	if key == "keychain" {
		return keychainIdentity(false)
	}
	if passphrase == "" {
		return nil, protocol.NewError(protocol.CodeBadArgument, "this state was saved with a passphrase", "it needs the passphrase", protocol.With("gives it", "--passphrase", "…"))
	}
	return age.NewScryptIdentity(passphrase)
}

// keychainIdentity reads the key from the system's keychain. With create it
// creates the key if there is none.
func keychainIdentity(create bool) (*age.X25519Identity, error) {
	text, err := keyring.Get(keychainService, keychainUser)
	switch {
	case err == nil:
		id, err := age.ParseX25519Identity(text)
		if err != nil {
			return nil, protocol.NewError(protocol.CodeInternal, "the key in the system's keychain cannot be read", "use a passphrase", protocol.With("gives one", "--passphrase", "…"))
		}
		return id, nil
	case errors.Is(err, keyring.ErrNotFound) && create:
		id, err := age.GenerateX25519Identity()
		if err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		if err := keyring.Set(keychainService, keychainUser, id.String()); err != nil {
			return nil, noKeychain()
		}
		return id, nil
	case errors.Is(err, keyring.ErrNotFound):
		return nil, protocol.NewError(protocol.CodeBadArgument, "the key of this state is no longer in the system's keychain", "sign in again and save the state again")
	}
	return nil, noKeychain()
}

func noKeychain() error {
	return protocol.NewError(protocol.CodeBadArgument, "the system's keychain is missing or locked, so a state needs a passphrase", "", protocol.With("gives one", "--passphrase", "…"))
}

// SaveState encrypts the cookies and the storage of a tab's site, or (all) the
// whole profile's cookies and the storage of every open tab's site, to a file of
// the session. An empty passphrase means the key in the system's keychain.
func (d *Sites) SaveState(ctx context.Context, by protocol.Caller, id protocol.TabID, name, passphrase string, all bool) (protocol.StateFile, error) {
	if _, err := d.statePath(name, "keychain"); err != nil {
		return protocol.StateFile{}, err
	}
	recipient, key, err := sealer(passphrase)
	if err != nil {
		return protocol.StateFile{}, err
	}
	state, err := d.readState(ctx, by, id, all)
	if err != nil {
		return protocol.StateFile{}, err
	}
	plain, err := json.Marshal(state)
	if err != nil {
		return protocol.StateFile{}, err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return protocol.StateFile{}, fmt.Errorf("encrypting the state: %w", err)
	}
	path, err := d.statePath(name, key)
	if err != nil {
		return protocol.StateFile{}, err
	}
	if err := files.Replace(path, sealed.Bytes()); err != nil {
		return protocol.StateFile{}, err
	}
	other, err := d.statePath(name, map[string]string{"passphrase": "keychain", "keychain": "passphrase"}[key])
	if err == nil {
		_ = os.Remove(other) // only one state per name
	}
	return describe(name, path, key, sealed.Len(), &state), nil
}

func describe(name, path, key string, size int, s *protocol.BrowserState) protocol.StateFile {
	f := protocol.StateFile{Name: name, Path: path, Bytes: size, Saved: s.Saved, Site: s.Site, Cookies: len(s.Cookies), Key: key}
	for _, st := range s.Storage {
		f.Items += len(st.Local) + len(st.SessionItems)
	}
	return f
}

func (d *Sites) readState(ctx context.Context, by protocol.Caller, id protocol.TabID, all bool) (protocol.BrowserState, error) {
	state := protocol.BrowserState{Version: stateVersion, Saved: time.Now().UTC(), Cookies: []protocol.Cookie{}, Storage: []protocol.Storage{}}
	if !all {
		own, err := d.Storage(ctx, by, id)
		if err != nil {
			return state, err
		}
		u, err := url.Parse(own.Origin)
		if err != nil {
			return state, err
		}
		state.Site, state.Storage = u.Hostname(), append(state.Storage, own)
	}
	cookies, err := d.Cookies(ctx, by, id, "", protocol.CookiesOfAll)
	if err != nil {
		return state, err
	}
	for _, c := range cookies {
		if all || sameSite(c.Domain, state.Site) {
			state.Cookies = append(state.Cookies, c)
		}
	}
	if all {
		seen := map[string]bool{}
		for _, t := range d.config.Open.All() {
			if o := page.OriginOf(t.URL); o == "" || seen[o] {
				continue
			}
			st, err := d.Storage(ctx, by, t.ID)
			if err != nil {
				if ctx.Err() != nil {
					return state, err
				}
				continue // the storage of a crashed or closed tab cannot be read
			}
			seen[st.Origin] = true
			state.Storage = append(state.Storage, st)
		}
	}
	return state, nil
}

// LoadState restores a saved state: the cookies and the storage of the tab's own
// site now, and the storage of other sites when each is next opened in this tab.
// It does not reload the page.
func (d *Sites) LoadState(ctx context.Context, by protocol.Caller, id protocol.TabID, name, passphrase string) (protocol.StateFile, error) {
	path, key, sealed, err := d.openState(name)
	if err != nil {
		return protocol.StateFile{}, err
	}
	identity, err := opener(passphrase, key)
	if err != nil {
		return protocol.StateFile{}, err
	}
	state, err := unseal(sealed, identity)
	if err != nil {
		return protocol.StateFile{}, err
	}
	err = d.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error { return restore(ctx, p, state) })
	if err == nil {
		err = d.restoreStorage(ctx, by, id, state.Storage)
	}
	return describe(name, path, key, len(sealed), state), err
}

func (d *Sites) openState(name string) (path, key string, sealed []byte, err error) {
	for _, key = range []string{"keychain", "passphrase"} {
		if path, err = d.statePath(name, key); err != nil {
			return "", "", nil, err
		}
		sealed, err = os.ReadFile(path)
		if err == nil {
			return path, key, sealed, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", "", nil, files.NotWritable(path, err)
		}
	}
	return "", "", nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no state %q", name), "", protocol.Try("lists them", "state", "list"))
}

func unseal(sealed []byte, identity age.Identity) (*protocol.BrowserState, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), identity)
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the state cannot be opened: the passphrase is wrong, or the file is damaged", "give the passphrase that it was saved with", protocol.With("gives it", "--passphrase", "…"))
	}
	var state protocol.BrowserState
	if err := json.Unmarshal(plain, &state); err != nil || state.Version != stateVersion {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the state is of another version of Pilotfish", "save it again")
	}
	return &state, nil
}

// restore sets the cookies of a state in the browser.
func restore(ctx context.Context, p *page.Page, state *protocol.BrowserState) error {
	params := make([]*network.CookieParam, 0, len(state.Cookies))
	for _, c := range state.Cookies {
		if !expired(c, time.Now()) {
			params = append(params, cookieParam(c))
		}
	}
	if len(params) > 0 {
		if _, err := cdp.Call(ctx, p.Session, storage.SetCookies, storage.SetCookiesParams{Cookies: params}); err != nil {
			return fmt.Errorf("setting the cookies: %w", err)
		}
	}
	return nil
}

// States lists the saved states.
func (d *Sites) States() ([]protocol.StateFile, error) {
	dir, err := d.config.Folder.Of("states")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, files.NotWritable(dir, err)
	}
	out := []protocol.StateFile{}
	for _, e := range entries {
		name, key, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".age"), ".")
		info, err := e.Info()
		if !ok || err != nil || !files.IsName(name) {
			continue
		}
		out = append(out, protocol.StateFile{Name: name, Path: filepath.Join(dir, e.Name()), Bytes: int(info.Size()), Saved: info.ModTime().UTC(), Key: key})
	}
	slices.SortFunc(out, func(a, b protocol.StateFile) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// DeleteState removes a saved state.
func (d *Sites) DeleteState(name string) error {
	path, _, _, err := d.openState(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return files.NotWritable(path, err)
	}
	return nil
}
