package schedule

import (
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Each plan runs at the times that a user expects of a wall clock, also on the days when
// it is changed.
func TestNext(t *testing.T) {
	for _, one := range []struct{ name, zone, plan, after, want string }{
		{"daily", "Europe/Berlin", "daily 09:30", "2026-03-02 09:29", "2026-03-02T09:30+01:00 2026-03-03T09:30+01:00"},
		{"strictly after", "Europe/Berlin", "daily 09:30", "2026-03-02 09:30", "2026-03-03T09:30+01:00"},
		{"two a day", "Europe/Berlin", "daily 13:00,09:00", "2026-03-02 09:00", "2026-03-02T13:00+01:00 2026-03-03T09:00+01:00"},
		{"weekdays", "Europe/Berlin", "mon-fri 9:30", "2026-03-06 10:00", "2026-03-09T09:30+01:00"},
		{"over the weekend", "Europe/Berlin", "fri-mon 08:00", "2026-03-06 10:00", "2026-03-07T08:00+01:00 2026-03-08T08:00+01:00 2026-03-09T08:00+01:00 2026-03-13T08:00+01:00"},
		{"names", "Europe/Berlin", "Monday,thu 08:00", "2026-03-06 10:00", "2026-03-09T08:00+01:00 2026-03-12T08:00+01:00"},
		{"weekends", "UTC", "weekends 00:00", "2026-03-06 10:00", "2026-03-07T00:00Z 2026-03-08T00:00Z 2026-03-14T00:00Z"},
		{"monthly", "UTC", "monthly 31 08:00", "2026-01-31 08:00", "2026-03-31T08:00Z 2026-05-31T08:00Z"},
		{"the last of a month", "UTC", "monthly last 08:00", "2028-01-31 08:00", "2028-02-29T08:00Z 2028-03-31T08:00Z"},
		{"once", "UTC", "2026-12-24 18:00", "2026-03-01 00:00", "2026-12-24T18:00Z -"},
		{"every", "UTC", "every 90m", "2026-03-01 01:00", "2026-03-01T01:30Z 2026-03-01T03:00Z"},
		{"the hour that is left out", "Europe/Berlin", "daily 02:30", "2026-03-28 12:00", "2026-03-29T03:00+02:00 2026-03-30T02:30+02:00"},
		{"both sides of it", "Europe/Berlin", "daily 01:59,02:00,03:01", "2026-03-28 12:00", "2026-03-29T01:59+01:00 2026-03-29T03:00+02:00 2026-03-29T03:01+02:00"},
		{"the hour that comes twice", "Europe/Berlin", "daily 02:30", "2026-10-24 12:00", "2026-10-25T02:30+02:00 2026-10-26T02:30+01:00"},
		{"west", "America/New_York", "daily 02:30", "2026-03-07 12:00", "2026-03-08T03:00-04:00 2026-03-09T02:30-04:00"},
		{"west, twice", "America/New_York", "daily 01:30", "2026-10-31 12:00", "2026-11-01T01:30-04:00 2026-11-02T01:30-05:00"},
		{"half an hour", "Australia/Lord_Howe", "daily 02:15", "2026-10-03 12:00", "2026-10-04T02:30+11:00 2026-10-05T02:15+11:00"},
		{"midnight is left out", "America/Santiago", "daily 00:00", "2026-09-05 12:00", "2026-09-06T01:00-03:00 2026-09-07T00:00-03:00"},
		{"a day is left out", "Pacific/Apia", "daily 10:00", "2011-12-29 12:00", "2011-12-31T00:00+14:00 2011-12-31T10:00+14:00"},
		{"intervals know no clock", "Europe/Berlin", "every 1h", "2026-03-29 01:30", "2026-03-29T03:00+02:00 2026-03-29T04:00+02:00"},
	} {
		t.Run(one.name, func(t *testing.T) {
			z := zone(t, one.zone)
			p, err := parse(one.plan)
			if err != nil {
				t.Fatal(err)
			}
			after, err := time.ParseInLocation("2006-01-02 15:04", one.after, z)
			if err != nil {
				t.Fatal(err)
			}
			made := after.Truncate(24 * time.Hour)
			var got []string
			for range strings.Fields(one.want) {
				next, ok := p.next(after, made, z)
				if !ok {
					got = append(got, "-")
					break
				}
				got, after = append(got, next.In(z).Format("2006-01-02T15:04Z07:00")), next
			}
			if said := strings.Join(got, " "); said != one.want {
				t.Errorf("%s, not %s", said, one.want)
			}
		})
	}
}

// A time that cannot be read gets an error with an example.
func TestBadTimes(t *testing.T) {
	for _, text := range []string{"", "soon", "daily", "daily 25:00", "daily 9", "9:30", "mon-xyz 09:00", "monthly 0 09:00", "monthly 32 09:00", "monthly 1", "every 10s", "every hour", "every -5m", "every 9000h", "2026-12-24", "2026-13-40 09:00", "daily 09:00 x", strings.Repeat("a", 300)} {
		_, err := parse(text)
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBadArgument || !strings.Contains(e.Hint, `"daily 09:30"`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCountIsBounded(t *testing.T) {
	p, _ := parse("every 1m")
	made := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if n := p.count(made, made.AddDate(5, 0, 0), made, time.UTC); n != mostMissed {
		t.Error(n)
	}
	if n := p.count(made, made.Add(3*time.Minute), made, time.UTC); n != 3 {
		t.Error(n)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"daily 09:30", "mon-fri 09:00,13:00", "monthly last 8:00", "every 30m", "2026-12-24 18:00", "sun-sat 00:00"} {
		f.Add(seed, int64(1_780_000_000))
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		p, err := parse(text)
		if err != nil {
			return
		}
		after := time.Unix(at%4_000_000_000, 0)
		if next, ok := p.next(after, after, berlin); ok && !next.After(after) {
			t.Errorf("%q after %s is %s", text, after, next)
		}
	})
}
