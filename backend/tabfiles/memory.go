package tabfiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// Memory is the content of session.json: what a session keeps from one start to
// the next. Agents do not get it.
type Memory struct {
	Version int `json:"version"`
	// LastTab is the number of the newest tab id that was assigned.
	LastTab uint64      `json:"lastTab"`
	Tabs    []MemoryTab `json:"tabs"`
	// Cols and Rows are the size of the panel's last terminal.
	Cols int `json:"cols,omitempty"`
	Rows int `json:"rows,omitempty"`
}

// MemoryTab is a tab of session.json.
type MemoryTab struct {
	ID     protocol.TabID `json:"id"`
	URL    string         `json:"url"`
	Active bool           `json:"active,omitempty"`
}

// Read reads session.json. A file that cannot be read is quarantined, so that
// the session starts anyway.
func Read(path string, log *slog.Logger) Memory {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Memory{}
	}
	var m Memory
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || m.Version != protocol.StateVersion {
		log.Warn("the session's memory could not be read and is put aside", "error", err, "version", m.Version)
		if err := os.Rename(path, path+".bad"); err != nil {
			log.Warn("the session's memory could not be put aside", "error", err)
		}
		return Memory{}
	}
	return m
}

// LeftOpen reports whether the run before ended without closing its tabs, because it was
// killed or the machine lost its power, and when it was last seen. dir is the folder of the
// files for agents.
func LeftOpen(dir string) (seen time.Time, open bool) {
	var file protocol.TabsFile
	data, err := os.ReadFile(filepath.Join(dir, "tabs.json"))
	if err != nil || json.Unmarshal(data, &file) != nil {
		return time.Time{}, false
	}
	return file.Updated, len(file.Tabs) > 0
}

// memoryOf returns what to store of the tabs. Pages of the browser itself that
// exist in one run only are left out.
func memoryOf(tabs []protocol.Tab) Memory {
	m := Memory{Version: protocol.StateVersion}
	for _, tab := range tabs {
		if n, err := strconv.ParseUint(strings.TrimPrefix(string(tab.ID), "t"), 10, 64); err == nil {
			m.LastTab = max(m.LastTab, n)
		}
		if strings.HasPrefix(tab.URL, "devtools:") || tab.URL == "" {
			continue
		}
		m.Tabs = append(m.Tabs, MemoryTab{ID: tab.ID, URL: tab.URL, Active: tab.Focused})
	}
	return m
}

// Restore returns the tabs to open again. The welcome page gets the address
// with this run's port.
func (m Memory) Restore(welcome string) []MemoryTab {
	var tabs []MemoryTab
	for _, tab := range m.Tabs {
		if isWelcome(tab.URL) {
			tab.URL = welcome
		}
		tabs = append(tabs, tab)
	}
	return tabs
}

// Starting returns the memory of a session that opens pages when it has no tabs to
// restore. The first page is in front.
func (m Memory) Starting(pages []string) Memory {
	if len(m.Tabs) > 0 {
		return m
	}
	for i, page := range pages {
		m.LastTab++
		m.Tabs = append(m.Tabs, MemoryTab{ID: protocol.TabID("t" + strconv.FormatUint(m.LastTab, 10)), URL: page, Active: i == 0})
	}
	return m
}

// isWelcome reports whether an address is the welcome page of any run.
func isWelcome(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "http" && u.Hostname() == "127.0.0.1" && u.Path == "/welcome"
}

// FirstTab returns the id that the front tab will have.
func (m Memory) FirstTab() protocol.TabID {
	for _, tab := range m.Tabs {
		if tab.Active {
			return tab.ID
		}
	}
	if len(m.Tabs) > 0 {
		return m.Tabs[0].ID
	}
	return protocol.TabID("t" + strconv.FormatUint(m.LastTab+1, 10))
}
