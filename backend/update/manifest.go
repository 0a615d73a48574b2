package update

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"time"

	"aead.dev/minisign"
	"golang.org/x/mod/semver"

	"pilotfish/backend/protocol"
)

// manifestVersion is the version of the manifest's form.
const manifestVersion = 1

// Limits of what is read, in bytes.
const (
	maxManifest  = 256 << 10
	maxSignature = 4 << 10
	maxArchive   = 512 << 20
	maxProgram   = 256 << 20
)

// Manifest says what the newest release is.
type Manifest struct {
	Version int `json:"version"`
	// Product is "pilotfish": a key may sign manifests of several programs.
	Product string `json:"product"`
	// Release is a semantic version without "v".
	Release string    `json:"release"`
	Made    time.Time `json:"made"`
	// Expires is when this manifest is no longer believed.
	Expires  time.Time `json:"expires"`
	Archives []Archive `json:"archives"`
}

// Archive is the command line for one system.
type Archive struct {
	OS   string `json:"os"`   // as GOOS
	Arch string `json:"arch"` // as GOARCH
	// URL is relative to the manifest's address.
	URL    string `json:"url"`
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// Key reads a public key of minisign: its one line, or the file's two.
func Key(text string) (minisign.PublicKey, error) {
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(text)); err != nil {
		return key, protocol.NewError(protocol.CodeBadArgument, "this is no public key of minisign: "+err.Error(), "copy the line that begins with RW from the file minisign.pub")
	}
	return key, nil
}

// parse reads a manifest that was signed with the key, and refuses one that is not of
// this product, not valid now, or older than the installed version.
func parse(text, signature []byte, key minisign.PublicKey, installed string, now time.Time) (Manifest, error) {
	if !minisign.Verify(key, text, signature) {
		return Manifest{}, protocol.NewError(protocol.CodeRefused, "the signature of the update's manifest is not valid",
			"nothing was changed; it was made with another key, or somebody changed the manifest on its way")
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil || m.Version != manifestVersion || m.Product != "pilotfish" || !semver.IsValid("v"+m.Release) {
		return Manifest{}, protocol.NewError(protocol.CodeRefused, "the update's manifest is signed, but it is no manifest of Pilotfish that this version reads",
			"nothing was changed; install the new version by hand")
	}
	if !now.Before(m.Expires) {
		return Manifest{}, protocol.NewError(protocol.CodeRefused, "the update's manifest expired on "+m.Expires.UTC().Format(time.DateOnly),
			"nothing was changed; check this machine's clock, or tell whoever publishes the updates")
	}
	if order(m.Release, installed) < 0 {
		return Manifest{}, protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the update's manifest offers %s, which is older than this version, %s", m.Release, installed),
			"nothing was changed; install the older version by hand if you want it")
	}
	return m, nil
}

// order compares two versions, as semver.Compare does. A version that is none, as that of
// a build without one, is older than all.
func order(a, b string) int { return semver.Compare("v"+a, "v"+b) }

// archive returns the archive for a system.
func (m Manifest) archive(system, arch string) (Archive, error) {
	for _, a := range m.Archives {
		if a.OS != system || a.Arch != arch {
			continue
		}
		if a.Size <= 0 || a.Size > maxArchive || !checksum().MatchString(a.SHA256) {
			return Archive{}, protocol.NewError(protocol.CodeRefused, "the update's manifest says no size or no checksum of the archive", "nothing was changed; install the new version by hand")
		}
		return a, nil
	}
	return Archive{}, protocol.NewError(protocol.CodeRefused, fmt.Sprintf("release %s has no archive for %s on %s", m.Release, system, arch),
		"nothing was changed; build it from the source")
}

func checksum() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) }

// address reads where something is published: with TLS, or on this machine.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil && u.User == nil && u.Host != "" {
		switch name := u.Hostname(); {
		case u.Scheme == "https", u.Scheme == "http" && (name == "localhost" || name == "127.0.0.1" || name == "::1"):
			return u, nil
		}
	}
	return nil, protocol.NewError(protocol.CodeBadArgument, "an update's address begins with https://, or with http:// on this machine", "look at the address: "+path.Base(text))
}
