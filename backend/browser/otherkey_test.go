package browser

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"

	"pilotfish/backend/protocol"
)

// A copy of the extension that is signed with another key is removed from the browser,
// the user is informed, and its worker is not connected to.
func TestExtensionWithAnotherKey(t *testing.T) {
	c := config(t, false)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(c.ExtensionDir)); err != nil {
		t.Fatal(err)
	}
	c.ExtensionDir = dir
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&pair.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	manifest["key"] = base64.StdEncoding.EncodeToString(der)
	if data, err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}

	f := launchOnly(t, c)
	f.wait(t, "a notice about the extension", func() bool {
		return slices.ContainsFunc(f.notices, func(e protocol.Error) bool {
			return strings.Contains(e.Message, "its id is") && strings.Contains(e.Message, protocol.ExtensionID)
		})
	})
	if f.panel {
		t.Error("its panel is taken for ours")
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	list, err := cdp.Call(deadline(t), r.conn.Root, extensions.GetExtensions, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Extensions {
		if e.Enabled && e.Name == "Pilotfish" {
			t.Errorf("the browser still has %s", e.ID)
		}
	}
}
