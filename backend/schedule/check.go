package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

func namePattern() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`) }

func bad(message, hint string, words ...string) error {
	if len(words) > 0 {
		return protocol.NewError(protocol.CodeBadArgument, message, hint, protocol.Example("schedule", append([]string{"add"}, words...)...))
	}
	return protocol.NewError(protocol.CodeBadArgument, message, hint)
}

// check returns a schedule in its one form, or an error that says what to write instead.
// now is the time at which it is added.
func check(s protocol.Schedule, now time.Time, zone *time.Location) (protocol.Schedule, error) {
	s.Session = cmp.Or(s.Session, protocol.DefaultSession)
	s.Notify = cmp.Or(s.Notify, protocol.ScheduleNotifyFailure)
	s.MaxMinutes = cmp.Or(s.MaxMinutes, protocol.DefaultScheduleMinutes)
	if !namePattern().MatchString(s.Name) {
		return s, bad(fmt.Sprintf("%.60q is no name for a schedule", s.Name), "use 1 to 40 of a to z, 0 to 9, _ and -", "report", "--at", "mon-fri 09:30", "--routine", "report")
	}
	for _, limit := range []struct {
		what             string
		value, low, high int
	}{
		{"minutes of a run", s.MaxMinutes, 1, protocol.MaxScheduleMinutes},
		{"steps of a run", s.MaxSteps, 0, 500},
		{"tokens of a run", s.MaxTokens, 0, 100_000_000},
	} {
		if limit.value < limit.low || limit.value > limit.high {
			return s, bad(fmt.Sprintf("%d is no number of %s", limit.value, limit.what), fmt.Sprintf("use %d to %d", limit.low, limit.high))
		}
	}
	if !slices.Contains([]protocol.ScheduleNotify{protocol.ScheduleNotifyFailure, protocol.ScheduleNotifyAlways, protocol.ScheduleNotifyNever}, s.Notify) {
		return s, bad(fmt.Sprintf("%.40q does not say when to notify", s.Notify), "use failure, always or never")
	}
	what, err := checkWhat(s.What)
	if err != nil {
		return s, err
	}
	s.What = what
	s.When, err = checkWhen(s.When, now, zone)
	return s, err
}

func checkWhat(w protocol.ScheduleWhat) (protocol.ScheduleWhat, error) {
	w.Routine, w.Task = strings.TrimSpace(w.Routine), strings.TrimSpace(w.Task)
	w.Commands = slices.DeleteFunc(slices.Clone(w.Commands), func(line string) bool { return strings.TrimSpace(line) == "" })
	given := 0
	for _, is := range []bool{w.Routine != "", w.Task != "", len(w.Commands) > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		return w, bad("a schedule runs one thing: a routine, a task or commands", "give one of them", "news", "--at", "daily 08:00", "--task", "summarise the front page", "--start", "https://news.example")
	}
	if len(w.Params) > 0 && w.Routine == "" {
		return w, bad("only a routine has parameters", "leave them out, or name a routine")
	}
	texts := append([]string{w.Routine, w.Task, w.Profile}, w.Commands...)
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		texts = append(texts, name, w.Params[name])
	}
	if len(w.Params) > 50 || len(w.Commands) > 50 {
		return w, bad("there are more than 50 commands or parameters", "save them as a routine, and name that")
	}
	for _, text := range texts {
		if len(text) > protocol.MaxScheduleText {
			return w, bad(fmt.Sprintf("a text is longer than %d bytes", protocol.MaxScheduleText), "shorten it, or save a routine")
		}
	}
	if w.Start != "" {
		start, err := address(w.Start)
		if err != nil {
			return w, err
		}
		w.Start = start
	}
	return w, nil
}

func checkWhen(w protocol.ScheduleWhen, now time.Time, zone *time.Location) (protocol.ScheduleWhen, error) {
	w.At = strings.Join(strings.Fields(w.At), " ")
	given := 0
	for _, is := range []bool{w.At != "", w.Page != "", w.Folder != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return w, bad("a schedule has one reason to run: a time, a page or a folder", "give one of them", "report", "--at", "mon-fri 09:30", "--routine", "report")
	}
	switch {
	case w.At != "":
		p, err := parse(w.At)
		if err != nil {
			return w, err
		}
		if _, ok := p.next(now, now, zone); !ok {
			return w, badTime("%.60q is in the past", w.At)
		}
		return protocol.ScheduleWhen{At: w.At}, nil
	case w.Page != "":
		page, err := address(w.Page)
		if err != nil {
			return w, err
		}
		w.EverySeconds = cmp.Or(w.EverySeconds, 15*60)
		if w.EverySeconds < protocol.MinScheduleCheckSeconds || w.EverySeconds > 31*24*3600 {
			return w, bad(fmt.Sprintf("a page cannot be checked every %s", time.Duration(w.EverySeconds)*time.Second), "check it every 1m to 744h", "price", "--page", "https://shop.example/tea", "--every", "30m", "--routine", "buy")
		}
		if len(w.Selector) > protocol.MaxScheduleText {
			return w, bad("the selector is too long", "give a shorter one")
		}
		return protocol.ScheduleWhen{Page: page, Selector: strings.TrimSpace(w.Selector), EverySeconds: w.EverySeconds}, nil
	}
	w.Pattern = cmp.Or(w.Pattern, "*")
	if _, err := filepath.Match(w.Pattern, "x"); err != nil || strings.ContainsAny(w.Pattern, `/\`) || len(w.Pattern) > 200 {
		return w, bad(fmt.Sprintf("%.60q is no pattern of file names", w.Pattern), "a pattern has no folder in it, and [ has its ]", "invoice", "--file", "/home/ada/Downloads/*.csv", "--routine", "book")
	}
	w.Folder = filepath.Clean(w.Folder)
	if info, err := os.Stat(w.Folder); !filepath.IsAbs(w.Folder) || err != nil || !info.IsDir() {
		return w, bad(fmt.Sprintf("%.200q is no folder", w.Folder), "name one that exists, from / on", "invoice", "--file", "/home/ada/Downloads/*.csv", "--routine", "book")
	}
	return protocol.ScheduleWhen{Folder: w.Folder, Pattern: w.Pattern}, nil
}

// address returns a web address in full.
func address(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || len(text) > protocol.MaxScheduleText {
		return "", bad(fmt.Sprintf("%.100q is no address of a page", text), "use one such as https://shop.example/tea")
	}
	return u.String(), nil
}
