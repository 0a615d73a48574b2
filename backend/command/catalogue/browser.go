package catalogue

import (
	"context"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue/action"
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
// every hop of a navigation; nil allows all.
type Browser interface {
	command.Browser
	action.Browser
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
