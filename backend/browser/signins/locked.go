package signins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/browser/signins/copies"
)

// seals returns how many encrypted cookies that have not expired a copied profile of a
// Chromium has, by domain and by the mark in front of each value, such as v10. The
// values are not read.
func seals(ctx context.Context, profile string) (map[string]map[string]int, error) {
	found := map[string]map[string]int{}
	for _, store := range stores(profile) {
		db, err := copies.Open(filepath.Join(profile, store))
		if err != nil {
			return nil, err
		}
		// Its clock counts microseconds since 1601.
		now := (time.Now().Unix() + 11_644_473_600) * 1_000_000
		err = copies.Rows(ctx, db, `SELECT host_key, CAST(substr(encrypted_value, 1, 3) AS TEXT), count(*) FROM cookies
			WHERE length(encrypted_value) > 0 AND (has_expires = 0 OR expires_utc > ?) GROUP BY 1, 2`, func(scan func(...any) error) error {
			var domain, mark string
			var n int
			if err := scan(&domain, &mark, &n); err != nil {
				return err
			}
			if found[domain] == nil {
				found[domain] = map[string]int{}
			}
			found[domain][mark] += n
			return nil
		}, now)
		if closed := db.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// locked says why cookies with these marks could not be unlocked; "" when there are
// none.
func locked(name string, marks map[string]int) string {
	if len(marks) == 0 {
		return ""
	}
	var keychain, bound bool
	var unknown []string
	for mark := range marks {
		switch {
		case mark == "v10" || mark == "v11":
			keychain = true
		case mark == "v20":
			bound = true
		case len(mark) == 3 && mark[0] == 'v' && strings.Trim(mark[1:], "0123456789") == "":
			unknown = append(unknown, mark)
		default:
			unknown = append(unknown, "an unknown mark")
		}
	}
	var why []string
	if keychain {
		why = append(why, "their key is in a keychain that is locked or missing")
	}
	if bound {
		why = append(why, "they are bound to its own profile on its own system (v20)")
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		why = append(why, fmt.Sprintf("they are protected in a way that it does not know on a copy (%s)", strings.Join(slices.Compact(unknown), ", ")))
	}
	return name + " could not unlock all of its cookies on the copy: " + strings.Join(why, ", or ") + ". Sign in to these sites here instead."
}
