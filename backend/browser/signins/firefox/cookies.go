package firefox

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/browser/signins/copies"
)

const cookieFile = "cookies.sqlite"

// Counted is how many cookies a profile has, without their names and values.
type Counted struct {
	// Domains are those of the profile itself, by their domain. Cookies that Firefox
	// set apart for frames of other sites are not among them: no other browser has
	// the same rule, and a sign-in is not among them.
	Domains map[string]int
	// Containers are those of container tabs, by the container's name. They are other
	// identities of the user, and are not imported.
	Containers map[string]int
}

// Count counts the cookies of a profile. dir is an empty private folder.
func Count(ctx context.Context, profile, dir string, now time.Time) (Counted, error) {
	out := Counted{map[string]int{}, map[string]int{}}
	names := containers(profile)
	err := withCookies(profile, dir, func(db *sql.DB) error {
		partitioned, err := partitionedColumn(ctx, db)
		if err != nil {
			return err
		}
		return copies.Rows(ctx, db, `SELECT host, originAttributes, `+partitioned+`, count(*) FROM moz_cookies WHERE `+living+` GROUP BY 1, 2, 3`, func(scan func(...any) error) error {
			var host, attributes string
			var chips bool
			var n int
			if err := scan(&host, &attributes, &chips, &n); err != nil {
				return err
			}
			out.add(host, parse(attributes, chips), names, n)
			return nil
		}, now.Unix())
	})
	if err != nil {
		return out, err
	}
	for _, c := range sessionCookies(profile) {
		out.add(c.Host, c.identity(), names, 1)
	}
	return out, nil
}

func (c *Counted) add(host string, of identity, names map[string]string, n int) {
	switch {
	case of.container != "":
		c.Containers[cmp.Or(names[of.container], "container "+of.container)] += n
	case of.ours():
		c.Domains[host] += n
	}
}

// Cookies returns the cookies of a profile on the domains that are wanted. dir is an
// empty private folder.
func Cookies(ctx context.Context, profile, dir string, now time.Time, wanted func(domain string) bool) ([]*network.Cookie, error) {
	var out []*network.Cookie
	err := withCookies(profile, dir, func(db *sql.DB) error {
		partitioned, err := partitionedColumn(ctx, db)
		if err != nil {
			return err
		}
		return copies.Rows(ctx, db, `SELECT host, originAttributes, name, CAST(value AS BLOB), path, expiry, isSecure, isHttpOnly, sameSite, schemeMap, `+partitioned+` FROM moz_cookies WHERE `+living, func(scan func(...any) error) error {
			var c stored
			var attributes string
			var value []byte
			if err := scan(&c.Host, &attributes, &c.Name, &value, &c.Path, &c.Expiry, &c.Secure, &c.HTTPOnly, &c.SameSite, &c.Schemes, &c.Partitioned); err != nil {
				return err
			}
			c.Value = string(value)
			if of := parse(attributes, c.Partitioned); of.ours() && wanted(c.Host) {
				out = append(out, c.cookie(of))
			}
			return nil
		}, now.Unix())
	})
	if err != nil {
		return nil, err
	}
	for _, c := range sessionCookies(profile) {
		if of := c.identity(); of.ours() && wanted(c.Host) {
			out = append(out, c.cookie(of))
		}
	}
	return out, nil
}

// living is a condition for cookies that have not expired; its argument is the time in
// seconds. From version 16 on an expiry is in milliseconds, before it was in seconds: a
// number from 10^11 on would be the year 5138 in seconds.
const living = `(CASE WHEN expiry >= 100000000000 THEN expiry / 1000 ELSE expiry END) > ?`

// withCookies copies the cookie store of a profile and gives the copy to read.
func withCookies(profile, dir string, read func(db *sql.DB) error) (err error) {
	path := filepath.Join(dir, cookieFile)
	if err := copies.Database(filepath.Join(profile, cookieFile), path); err != nil {
		return err
	}
	db, err := copies.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return read(db)
}

// partitionedColumn returns an expression for whether a site asked for a partition.
// Versions before 14 had none.
func partitionedColumn(ctx context.Context, db *sql.DB) (string, error) {
	column := "0"
	err := copies.Rows(ctx, db, `SELECT name FROM pragma_table_info('moz_cookies') WHERE name = 'isPartitionedAttributeSet'`, func(scan func(...any) error) error {
		return scan(&column)
	})
	return column, err
}

// identity is what Firefox keeps a cookie apart by.
type identity struct {
	container string // the id of the container, "" for the profile itself
	partition string // (https,example.com)
	apart     bool   // for another site's frames only, or for private windows
}

// ours reports whether a cookie belongs to the profile itself.
func (i identity) ours() bool { return i.container == "" && !i.apart }

// parse reads origin attributes, such as ^userContextId=2&partitionKey=%28https%2Ca.example%29.
// asked says whether the site asked for the partition (the attribute Partitioned).
func parse(attributes string, asked bool) identity {
	values, err := url.ParseQuery(strings.TrimPrefix(attributes, "^"))
	if err != nil {
		return identity{apart: true}
	}
	out := identity{container: values.Get("userContextId"), partition: values.Get("partitionKey")}
	for key := range values {
		switch key {
		case "userContextId":
		case "partitionKey":
			out.apart = out.apart || !asked
		default: // firstPartyDomain, privateBrowsingId, and what comes later
			out.apart = true
		}
	}
	return out
}

// stored is a cookie as Firefox keeps it.
type stored struct {
	Host, Name, Value, Path string
	Expiry                  int64
	Secure                  bool
	HTTPOnly                bool `json:"httponly"`
	SameSite                int
	Schemes                 int  `json:"schemeMap"`
	Partitioned             bool `json:"isPartitioned"`
	Attributes              struct {
		Container int    `json:"userContextId"`
		Private   int    `json:"privateBrowsingId"`
		First     string `json:"firstPartyDomain"`
		Partition string `json:"partitionKey"`
	} `json:"originAttributes"`
}

// identity returns what a cookie of a stored session is kept apart by.
func (s *stored) identity() identity {
	a := s.Attributes
	out := identity{partition: a.Partition, apart: a.Private != 0 || a.First != "" || a.Partition != "" && !s.Partitioned}
	if a.Container != 0 {
		out.container = strconv.Itoa(a.Container)
	}
	return out
}

// Bits of a scheme map, and the values of SameSite.
const (
	schemeHTTP, schemeHTTPS       = 1, 2
	siteNone, siteLax, siteStrict = 0, 1, 2
)

// cookie returns the same cookie for Chromium.
func (s *stored) cookie(of identity) *network.Cookie {
	c := &network.Cookie{
		Name: s.Name, Value: s.Value, Domain: s.Host, Path: s.Path, Secure: s.Secure, HTTPOnly: s.HTTPOnly,
		Session: s.Expiry == 0, Expires: -1, SourceScheme: network.CookieSourceSchemeUnset, SourcePort: -1, Priority: network.CookiePriorityMedium,
	}
	if strings.Contains(c.Domain, ":") && !strings.HasPrefix(c.Domain, "[") {
		c.Domain = "[" + c.Domain + "]"
	}
	if s.Expiry >= 1e11 {
		c.Expires = float64(s.Expiry) / 1000
	} else if s.Expiry > 0 {
		c.Expires = float64(s.Expiry)
	}
	switch s.SameSite {
	case siteLax:
		c.SameSite = network.CookieSameSiteLax
	case siteStrict:
		c.SameSite = network.CookieSameSiteStrict
	case siteNone:
		// Before version 15 this also meant that nothing was said. Chromium takes None
		// of secure cookies only.
		if s.Secure {
			c.SameSite = network.CookieSameSiteNone
		}
	}
	switch {
	case s.Schemes&schemeHTTPS != 0:
		c.SourceScheme = network.CookieSourceSchemeSecure
	case s.Schemes&schemeHTTP != 0 && !s.Secure:
		c.SourceScheme = network.CookieSourceSchemeNonSecure
	}
	if of.partition != "" {
		c.PartitionKey = partitionKey(of.partition, s.Host)
	}
	return c
}

// partitionKey returns Chromium's partition for one of Firefox, such as
// (https,example.com), (http,localhost,8080) or, in a frame of the site that is inside
// of another site, (https,example.com,f).
func partitionKey(key, host string) *network.CookiePartitionKey {
	parts := strings.Split(strings.Trim(key, "()"), ",")
	if len(parts) < 2 {
		return nil
	}
	site := parts[1]
	host = strings.TrimPrefix(host, ".")
	return &network.CookiePartitionKey{
		TopLevelSite:         parts[0] + "://" + site,
		HasCrossSiteAncestor: parts[len(parts)-1] == "f" || host != site && !strings.HasSuffix(host, "."+site),
	}
}

// containers returns the names of a profile's containers by their id.
func containers(profile string) map[string]string {
	var file struct {
		Identities []struct {
			ID   int64  `json:"userContextId"`
			Name string `json:"name"`
			Text string `json:"l10nId"` // user-context-work, where Firefox made it
		} `json:"identities"`
	}
	names := map[string]string{}
	raw, err := os.ReadFile(filepath.Join(profile, "containers.json"))
	if err != nil || json.Unmarshal(raw, &file) != nil {
		return names // then they are named by number
	}
	for _, one := range file.Identities {
		name := one.Name
		if own := strings.TrimPrefix(one.Text, "user-context-"); name == "" && own != "" {
			name = strings.ToUpper(own[:1]) + own[1:]
		}
		names[strconv.FormatInt(one.ID, 10)] = name
	}
	return names
}
