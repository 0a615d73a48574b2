package catalogue

import (
	"context"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue/batch"
	"pilotfish/backend/command/catalogue/emulation"
	"pilotfish/backend/command/catalogue/inspector"
	"pilotfish/backend/command/catalogue/observe"
	"pilotfish/backend/command/catalogue/page"
	"pilotfish/backend/command/catalogue/state"
	"pilotfish/backend/command/catalogue/tools"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the commands use. allow is called for
// every hop of a navigation that a method causes, and for the page that a snapshot
// shows; nil allows all.
type Browser interface {
	command.Browser
	batch.Browser
	emulation.Browser
	inspector.Browser
	observe.Browser
	page.Browser
	state.Browser
	tools.Browser

	// Navigation and tabs.
	Navigate(ctx context.Context, by protocol.Caller, tab protocol.TabID, url string, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Back(ctx context.Context, by protocol.Caller, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Forward(ctx context.Context, by protocol.Caller, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Reload(ctx context.Context, by protocol.Caller, tab protocol.TabID, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error)
	Text(ctx context.Context, by protocol.Caller, tab protocol.TabID, limit int) (protocol.PageText, error)
	NewTab(ctx context.Context, opener protocol.TabID, background bool) (protocol.TabID, error)
	CloseTab(ctx context.Context, tab protocol.TabID) error
	ActivateTab(ctx context.Context, tab protocol.TabID) error

	// Snapshots and actions.
	Snapshot(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.SnapshotRequest, allow func(url string) error) (protocol.Snapshot, error)
	// Pointer returns where the caller last moved the mouse, as x,y; empty if it
	// did not.
	Pointer(by protocol.Caller, tab protocol.TabID) string
	Act(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.ActRequest, allow func(url string) error) (protocol.Effect, error)
	Wait(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.WaitRequest) (protocol.PageInfo, error)
	Dialog(ctx context.Context, by protocol.Caller, tab protocol.TabID, accept bool, text *string) (protocol.DialogInfo, error)
	Clipboard(ctx context.Context, by protocol.Caller, tab protocol.TabID, text *string) (string, error)
	Downloads() []protocol.Download
	NextDownload(ctx context.Context, tab protocol.TabID, known map[string]bool) (protocol.Download, error)

	// Groups of tabs, and windows.
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
	Windows(ctx context.Context) ([]protocol.Window, error)
	NewWindow(ctx context.Context, background bool) (protocol.TabID, error)
	CloseWindow(ctx context.Context, tabs []protocol.TabID) error
	SetWindow(ctx context.Context, tab protocol.TabID, bounds *protocol.Clip, state string) error
}
