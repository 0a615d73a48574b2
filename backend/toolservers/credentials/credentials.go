// Package credentials keeps the values of headers of the user's MCP servers that are
// credentials: in the system's keychain, or as a reference to another keeper of secrets
// (op, bw, pass). They are apart from the secrets of sites: no page and no fill gets one.
package credentials

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
	"pilotfish/backend/toolservers"
)

// Keeper keeps credentials; it implements toolservers.Keeper.
type Keeper struct {
	file    string
	keyring func(context.Context) bool
}

// New returns a keeper. file has which values there are, and no value. keyring reports
// whether the system's keychain can be used now; desktop.KeyringRuns.
func New(file string, keyring func(context.Context) bool) *Keeper {
	return &Keeper{file: file, keyring: keyring}
}

// store returns the secrets. They are read anew for each call, because the command line
// changes them while the app runs.
func (k *Keeper) store() *secret.Store {
	return secret.New(secret.Config{File: k.file, Keyring: k.keyring})
}

// Keep stores a value, or a reference to one such as op://vault/item/field. Without a
// keychain it refuses a value: in a file everybody with a copy of it could use it.
func (k *Keeper) Keep(ctx context.Context, server toolservers.Server, header, value string) error {
	request := protocol.SecretRequest{Secret: protocol.Secret{
		Name: name(server, header), Kind: protocol.SecretHeader, Origin: server.Origin(), Header: header,
	}, Value: value}
	if reference(value) {
		request.From, request.Value = value, ""
	} else if !k.keyring(ctx) {
		return noKeychain(server, header) // before the value that was kept is replaced
	}
	store := k.store()
	kept, err := store.Add(ctx, request)
	if err != nil {
		return err
	}
	if kept.Kept != "memory" {
		return nil
	}
	if err := store.Remove(ctx, kept.Name); err != nil {
		return err
	}
	return noKeychain(server, header)
}

func noKeychain(server toolservers.Server, header string) error {
	return protocol.NewError(protocol.CodeNoKeyring,
		fmt.Sprintf("%s of %s is a credential, and there is no keychain to keep it in", header, server.Name),
		"unlock or start the keychain of your desktop, or keep the value in 1Password, Bitwarden or pass and give op://vault/item/field, bw:item or pass:path in its place")
}

// Value returns a value.
func (k *Keeper) Value(ctx context.Context, server toolservers.Server, header string) (string, error) {
	value, err := k.store().Use(ctx, name(server, header), server.Origin())
	if err == nil {
		return value, nil
	}
	// The error of a secret names it by a name that the user has never seen.
	e := protocol.AsError(err)
	code := e.Code
	return "", protocol.NewError(code, fmt.Sprintf("%s of %s cannot be had", header, server.Name), hint(code))
}

func hint(code protocol.Code) string {
	if code == protocol.CodeNoKeyring {
		return "unlock the keychain of your desktop and try again"
	}
	return "give its value again: Settings, or `pilotfish mcp-servers add`"
}

// Forget removes a value.
func (k *Keeper) Forget(ctx context.Context, server toolservers.Server, header string) error {
	store := k.store()
	all, err := store.List()
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Name != name(server, header) {
			continue
		}
		if one.Kept == "keychain" && !k.keyring(ctx) {
			return stays(server, header) // its name is kept, so that it can be removed later
		}
		err := store.Remove(ctx, one.Name)
		if e := protocol.AsError(err); e != nil && e.Code == protocol.CodeNoKeyring {
			return stays(server, header)
		}
		return err
	}
	return nil
}

func stays(server toolservers.Server, header string) error {
	return protocol.NewError(protocol.CodeNoKeyring,
		fmt.Sprintf("the list is changed, but %s of %s is still in the keychain, which is missing or locked", header, server.Name),
		"unlock the keychain, add the server once more with this header and remove it, or delete the entry in the keychain")
}

// reference reports whether a value names a secret of another keeper.
func reference(value string) bool {
	for _, prefix := range []string{"op://", "bw:", "pass:"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	return false
}

// name returns the name of a secret. Secrets have lower case names, and names of servers
// that differ in case only are different servers: the hash tells them apart.
func name(server toolservers.Server, header string) string {
	hash := sha256.Sum256([]byte(server.Name + "\n" + strings.ToLower(header)))
	return "mcp." + strings.ToLower(server.Name) + "." + hex.EncodeToString(hash[:8])
}
