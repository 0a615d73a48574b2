package signins

import (
	"context"
	"net/url"
	"path/filepath"

	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/browser/signins/firefox"
	"pilotfish/backend/protocol"
)

// siteOfOrigin returns the site of an origin, "" of what is no website's.
func siteOfOrigin(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return ""
	}
	return siteOf(u.Hostname())
}

// readStorage returns the local storage of origins of a profile. It is not encrypted in
// any browser, so that none has to be started.
func (s *SignIns) readStorage(ctx context.Context, from source, profile string, want func(origin string) bool) (out []localstorage.Area, err error) {
	err = s.privately(func(dir string) (err error) {
		if from.folders != nil {
			out, err = firefox.Storage(ctx, from.folders[profile], dir, want)
		} else {
			out, err = chromiumStorage(filepath.Join(from.data, profile), dir, want)
		}
		return err
	})
	return out, err
}

// writeStorage writes areas into the session's browser, and returns by site what
// arrived.
func (s *SignIns) writeStorage(ctx context.Context, areas []localstorage.Area) (map[string]protocol.ImportedSite, error) {
	out := map[string]protocol.ImportedSite{}
	for _, a := range areas {
		n, err := s.config.Into.WriteStorage(ctx, a)
		if err != nil {
			return out, err
		}
		if n == 0 {
			continue
		}
		one := out[siteOfOrigin(a.Origin)]
		one.Items, one.Origins = one.Items+n, append(one.Origins, a.Origin)
		out[siteOfOrigin(a.Origin)] = one
	}
	return out, nil
}
