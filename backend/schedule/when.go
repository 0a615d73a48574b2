package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// clock is a time of day.
type clock struct{ hour, minute int }

// plan is a time that was parsed. It says nothing about the time zone: a clock means the
// user's wall clock, wherever the computer is.
type plan struct {
	once    time.Time // its fields are a wall clock in UTC; zero for a repeated plan
	every   time.Duration
	days    [7]bool // by time.Weekday
	monthly int     // the day of the month; -1 for the last one, 0 for none
	clocks  []clock
}

// minEvery is the shortest interval of "every".
const minEvery = time.Minute

// examples end the messages about times that cannot be read.
const examples = `write it as "daily 09:30", "mon-fri 09:00,13:00", "monthly 1 08:00", "monthly last 18:00", "every 30m" or "2026-12-24 18:00"`

func badTime(format string, args ...any) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf(format, args...), examples, protocol.Example("schedule", "add", "report", "--at", "mon-fri 09:30", "--routine", "report"))
}

// parse reads a time.
func parse(text string) (plan, error) {
	var p plan
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 || len(text) > 200 {
		return p, badTime("the schedule has no time")
	}
	first, rest := words[0], words[1:]
	switch {
	case first == "every":
		every, err := time.ParseDuration(strings.Join(rest, ""))
		if err != nil || every < minEvery || every > 366*24*time.Hour {
			return p, badTime("%.60q is no interval from %s to a year", strings.Join(rest, " "), "1m")
		}
		p.every = every
		return p, nil
	case first == "monthly" && len(rest) == 2:
		day, err := strconv.Atoi(rest[0])
		if rest[0] == "last" {
			day, err = -1, nil
		}
		if err != nil || day < -1 || day == 0 || day > 31 {
			return p, badTime("%.20q is no day of a month", rest[0])
		}
		p.monthly, rest = day, rest[1:]
	default:
		if date, err := time.Parse(time.DateOnly, first); err == nil {
			if len(rest) != 1 {
				return p, badTime("%.60q has a date and no time", text)
			}
			c, err := parseClock(rest[0])
			p.once = date.Add(time.Duration(c.hour)*time.Hour + time.Duration(c.minute)*time.Minute)
			return p, err
		}
		days, ok := parseDays(first)
		if !ok {
			return p, badTime("%.60q is no time of a schedule", text)
		}
		p.days = days
	}
	if len(rest) != 1 {
		return p, badTime("%.60q has no time of day", text)
	}
	for _, word := range strings.Split(rest[0], ",") {
		c, err := parseClock(word)
		if err != nil {
			return p, err
		}
		p.clocks = append(p.clocks, c)
	}
	slices.SortFunc(p.clocks, func(a, b clock) int { return (a.hour-b.hour)*60 + a.minute - b.minute })
	return p, nil
}

func parseClock(word string) (clock, error) {
	t, err := time.Parse("15:04", word)
	if err != nil {
		return clock{}, badTime("%.20q is no time of day", word)
	}
	return clock{t.Hour(), t.Minute()}, nil
}

// parseDays reads days of the week: daily, weekdays, weekends, mon, mon-fri, mon,thu.
func parseDays(word string) (days [7]bool, ok bool) {
	switch word {
	case "daily":
		word = "sun-sat"
	case "weekdays":
		word = "mon-fri"
	case "weekends":
		word = "sat,sun"
	}
	for _, part := range strings.Split(word, ",") {
		from, to, ranged := strings.Cut(part, "-")
		a, b := weekday(from), weekday(to)
		if !ranged {
			b = a
		}
		if a < 0 || b < 0 {
			return days, false
		}
		for d := a; ; d = (d + 1) % 7 {
			days[d] = true
			if d == b {
				break
			}
		}
	}
	return days, true
}

// weekday returns a day by the first three letters of its English name, or by the whole
// name; -1 for none.
func weekday(word string) int {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := strings.ToLower(d.String()); word == name || word == name[:3] {
			return int(d)
		}
	}
	return -1
}

// farthest is how many days may lie between two days of a plan: from the 31st of one
// month to that of another, over one that has none.
const farthest = 70

// next returns the first time of the plan after another one. made is when the schedule
// was made, from which intervals count. ok is false when there is none.
func (p plan) next(after, made time.Time, zone *time.Location) (t time.Time, ok bool) {
	if p.every > 0 {
		if after.Before(made) {
			after = made
		}
		return made.Add((after.Sub(made)/p.every + 1) * p.every), true
	}
	if !p.once.IsZero() {
		t = wall(p.once, clock{p.once.Hour(), p.once.Minute()}, zone)
		return t, t.After(after)
	}
	local := after.In(zone)
	// The day is a day of the calendar, in UTC, so that adding one never meets a change of
	// the clock. The day before counts, too, in zones that skipped a day.
	day := time.Date(local.Year(), local.Month(), local.Day()-1, 0, 0, 0, 0, time.UTC)
	for range farthest {
		if p.on(day) {
			for _, c := range p.clocks {
				if t := wall(day, c, zone); t.After(after) {
					return t, true
				}
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

// on reports whether a day is one of the plan's.
func (p plan) on(day time.Time) bool {
	switch p.monthly {
	case 0:
		return p.days[day.Weekday()]
	case -1:
		return day.AddDate(0, 0, 1).Day() == 1
	}
	return day.Day() == p.monthly
}

// wall returns the moment when a wall clock shows a time on a day. When the clock is set
// forward over that time, it is the moment of the change, so that the run is not left out.
// When the clock is set back and shows the time twice, it is the first one.
func wall(day time.Time, c clock, zone *time.Location) time.Time {
	shown := func(t time.Time) int { return t.Hour()*60 + t.Minute() }
	wanted := c.hour*60 + c.minute
	t := time.Date(day.Year(), day.Month(), day.Day(), c.hour, c.minute, 0, 0, zone)
	start, end := t.ZoneBounds()
	if shown(t) != wanted || t.Day() != day.Day() { // it is left out; Go takes the offset of either side
		asked := time.Date(day.Year(), day.Month(), day.Day(), c.hour, c.minute, 0, 0, time.UTC)
		if time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC).Before(asked) {
			return end // t is before the change
		}
		return start
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		_, now := t.Zone()
		if first := t.Add(-time.Duration(before-now) * time.Second); before > now && first.Before(start) {
			return first
		}
	}
	return t
}

// count returns how many times of the plan are after one moment and not after another,
// and at most mostMissed.
func (p plan) count(after, until, made time.Time, zone *time.Location) int {
	n := 0
	for n < mostMissed {
		t, ok := p.next(after, made, zone)
		if !ok || t.After(until) {
			break
		}
		n, after = n+1, t
	}
	return n
}
