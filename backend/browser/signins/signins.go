package signins

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"golang.org/x/net/publicsuffix"

	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/journal"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Target is the browser of the session, into which sign-ins are imported.
type Target interface {
	// ImportCookies sets cookies in the profile and returns those that it has then.
	ImportCookies(ctx context.Context, cookies []*network.Cookie) ([]*network.Cookie, error)
	// RemoveCookies removes the cookies for which is returns true.
	RemoveCookies(ctx context.Context, is func(domain string) bool) (int, error)
	// WriteStorage adds items to local storage and returns how many of them arrived exactly.
	WriteStorage(ctx context.Context, a localstorage.Area) (int, error)
	// ClearStorage removes everything that an origin has in local storage.
	ClearStorage(ctx context.Context, origin string) (int, error)
}

// Config is what SignIns need. All fields but Getenv and Guard are required.
type Config struct {
	// TemporaryDir is as in chromium.Options.
	TemporaryDir string
	// Dir is a folder for copies, which is empty between two calls.
	Dir string
	// File has which sites were imported. It has no cookies.
	File string
	Into Target
	// Ask makes agents ask on a site from now on, where no rule of the user's says
	// otherwise; Forget takes that back.
	Ask, Forget func(site string) error
	// Keyring reports whether the system's keychain can be used.
	Keyring   bool
	NoSandbox bool
	Guard     *proc.Guard
	// Getenv says where the other browsers keep their profiles; nil means os.Getenv.
	Getenv func(string) string
	Logger *slog.Logger
}

// SignIns reads the sign-ins of other browsers. Its methods are safe for concurrent
// use; one profile is read at a time.
type SignIns struct {
	config Config
	log    *slog.Logger
	mu     sync.Mutex
}

// New returns SignIns. It removes what a run before left that was killed while it
// read a profile.
func New(c Config) *SignIns {
	s := &SignIns{config: c, log: c.Logger.With("component", "signins")}
	if err := os.RemoveAll(c.Dir); err != nil {
		s.log.Error("copies of cookie stores were not removed", "error", err)
	}
	return s
}

// Browsers returns the browsers of this machine whose sign-ins can be imported.
func (s *SignIns) Browsers() []protocol.SignInBrowser {
	found := []protocol.SignInBrowser{}
	for _, one := range s.sources() {
		found = append(found, one.SignInBrowser)
	}
	return found
}

// find returns a browser and one of its profiles; empty names mean the first one.
func (s *SignIns) find(browser, profile string) (source, string, error) {
	for _, one := range s.sources() {
		if browser != "" && one.ID != browser {
			continue
		}
		for _, p := range one.Profiles {
			if profile == "" || p.ID == profile || p.Name == profile {
				return one, p.ID, nil
			}
		}
		return one, "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s has no profile %.80q", one.Name, profile), "", protocol.Try("lists them", "signins"))
	}
	if browser == "" {
		return source{}, "", protocol.NewError(protocol.CodeBadArgument, "no other browser with sign-ins was found on this machine", "sign in here instead")
	}
	return source{}, "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no profile of a browser %.40q", browser), "", protocol.Try("lists them", "signins"))
}

// Sites returns the sites of a profile with how many cookies each has.
func (s *SignIns) Sites(ctx context.Context, browser, profile string) (protocol.SignInSites, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := protocol.SignInSites{Sites: []protocol.SignInSite{}}
	from, profile, err := s.find(browser, profile)
	if err != nil {
		return out, err
	}
	out.Browser, out.Profile = from.ID, profile
	found, err := s.read(ctx, from, profile, nil)
	if err != nil {
		return out, err
	}
	imported, err := s.load()
	if err != nil {
		return out, err
	}
	out.Trouble, out.Containers = found.why, found.containers
	count, locked := bySite(found.counts), bySite(found.locked)
	for site := range locked {
		count[site] += 0
	}
	for site, n := range count {
		out.Sites = append(out.Sites, protocol.SignInSite{Site: site, Cookies: n, Locked: locked[site], Imported: slices.ContainsFunc(imported, func(i protocol.ImportedSite) bool { return i.Site == site })})
	}
	slices.SortFunc(out.Sites, func(a, b protocol.SignInSite) int { return cmp.Compare(a.Site, b.Site) })
	return out, nil
}

// bySite adds up numbers of domains.
func bySite(domains map[string]int) map[string]int {
	sites := map[string]int{}
	for domain, n := range domains {
		sites[siteOf(domain)] += n
	}
	return sites
}

// Import imports the cookies of sites into the session's profile. From then on,
// agents ask there.
func (s *SignIns) Import(ctx context.Context, q protocol.SignInImport) (protocol.SignInResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := protocol.SignInResult{Sites: []protocol.ImportedSite{}}
	if len(q.Sites) == 0 || len(q.Sites) > protocol.SignInSitesMax {
		return out, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("name 1 to %d sites", protocol.SignInSitesMax), "", protocol.Try("lists them", "signins", "sites"))
	}
	from, profile, err := s.find(q.Browser, q.Profile)
	if err != nil {
		return out, err
	}
	wanted := map[string]bool{}
	for _, site := range q.Sites {
		wanted[siteOf(strings.ToLower(site))] = true
	}
	var areas []localstorage.Area
	if q.Storage {
		areas, err = s.readStorage(ctx, from, profile, func(origin string) bool { return wanted[siteOfOrigin(origin)] })
		if err != nil {
			return out, err
		}
	}
	found, err := s.read(ctx, from, profile, func(domain string) bool { return wanted[siteOf(domain)] })
	if err != nil {
		return out, err
	}
	taken := found.cookies
	if len(taken) == 0 && len(areas) == 0 && slices.ContainsFunc(slices.Collect(maps.Keys(found.locked)), func(domain string) bool { return wanted[siteOf(domain)] }) {
		return out, protocol.NewError(protocol.CodeRefused, found.why, "")
	}
	// Agents ask before there is anything that they could use.
	for site := range wanted {
		if slices.ContainsFunc(taken, func(c *network.Cookie) bool { return siteOf(c.Domain) == site }) ||
			slices.ContainsFunc(areas, func(a localstorage.Area) bool { return siteOfOrigin(a.Origin) == site }) {
			if err := s.config.Ask(site); err != nil {
				return out, err
			}
		}
	}
	has, err := s.config.Into.ImportCookies(ctx, taken)
	if err != nil {
		return out, err
	}
	stored, err := s.writeStorage(ctx, areas)
	if err != nil {
		return out, err
	}
	arrived := map[string]int{}
	for _, c := range has {
		arrived[siteOf(c.Domain)]++
	}
	imported, err := s.load()
	if err != nil {
		return out, err
	}
	for site := range wanted {
		if arrived[site] == 0 && stored[site].Items == 0 {
			out.Missed = append(out.Missed, site)
			continue
		}
		one := protocol.ImportedSite{Site: site, Browser: from.ID, Profile: profile, Cookies: arrived[site], At: time.Now().UTC(), Items: stored[site].Items, Origins: stored[site].Origins}
		out.Sites = append(out.Sites, one)
		imported = append(slices.DeleteFunc(imported, func(i protocol.ImportedSite) bool { return i.Site == site }), one)
	}
	slices.Sort(out.Missed)
	bySite := func(a, b protocol.ImportedSite) int { return cmp.Compare(a.Site, b.Site) }
	slices.SortFunc(out.Sites, bySite)
	slices.SortFunc(imported, bySite)
	return out, s.save(imported)
}

// Remove removes the sign-ins of imported sites from the session's profile, and
// returns how many cookies there were.
func (s *SignIns) Remove(ctx context.Context, sites []string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	imported, err := s.load()
	if err != nil {
		return 0, err
	}
	gone := map[string]bool{}
	for _, site := range sites {
		site = siteOf(strings.ToLower(site))
		if !slices.ContainsFunc(imported, func(i protocol.ImportedSite) bool { return i.Site == site }) {
			return 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.100q was not imported", site), "", protocol.Try("lists what was", "signins"))
		}
		gone[site] = true
	}
	n, err := s.config.Into.RemoveCookies(ctx, func(domain string) bool { return gone[siteOf(domain)] })
	if err != nil {
		return n, err
	}
	for _, i := range imported {
		for _, origin := range i.Origins {
			if gone[i.Site] {
				_, failed := s.config.Into.ClearStorage(ctx, origin)
				err = errors.Join(err, failed)
			}
		}
	}
	if err != nil {
		return n, err
	}
	for site := range gone {
		err = errors.Join(err, s.config.Forget(site))
	}
	return n, errors.Join(err, s.save(slices.DeleteFunc(imported, func(i protocol.ImportedSite) bool { return gone[i.Site] })))
}

// Imported returns the sites that were imported into this session.
func (s *SignIns) Imported() ([]protocol.ImportedSite, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load()
}

// siteOf returns the site that a cookie's domain belongs to: the name that an owner
// registers, and for an address or a name of a private network itself.
func siteOf(domain string) string {
	domain = strings.Trim(domain, ".[]")
	if net.ParseIP(domain) != nil {
		return domain
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return site
	}
	return domain
}

// record is the format of the file.
type record struct {
	Version int                     `json:"version"`
	Sites   []protocol.ImportedSite `json:"sites"`
}

// load reads which sites were imported. The caller holds mu.
func (s *SignIns) load() ([]protocol.ImportedSite, error) {
	raw, err := os.ReadFile(s.config.File)
	if errors.Is(err, fs.ErrNotExist) {
		return []protocol.ImportedSite{}, nil
	}
	var r record
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil || r.Version != 1 {
		return nil, protocol.NewError(protocol.CodeNotWritable, "the list of imported sites cannot be read: "+s.config.File, "move the file away")
	}
	return r.Sites, nil
}

// save writes which sites were imported. The caller holds mu.
func (s *SignIns) save(sites []protocol.ImportedSite) error {
	raw, err := json.MarshalIndent(record{1, sites}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the list of imported sites: %w", err)
	}
	return journal.WriteFile(s.config.File, append(raw, '\n'), 0o600)
}
