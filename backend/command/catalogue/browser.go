package catalogue

import (
	"context"
	"encoding/json"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the commands use. allow is called for
// every hop of a navigation that a method causes, and for the page that a snapshot
// shows; nil allows all. element is a target: a ref, CSS, `role=button name="Save"`,
// `text=…`, `label=…`.
type Browser interface {
	command.Browser

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
	GiveTab(tab protocol.TabID, given bool) error
	NextDownload(ctx context.Context, tab protocol.TabID, known map[string]bool) (protocol.Download, error)

	// The content of a page.
	Markdown(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, limit int) (protocol.PageText, error)
	HTML(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, inner bool, limit int) (protocol.PageText, error)
	Links(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, links []protocol.Link, err error)
	Forms(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, forms []protocol.Form, err error)
	Tables(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, tables []protocol.Table, err error)
	Media(ctx context.Context, by protocol.Caller, tab protocol.TabID) (url string, media []protocol.Medium, err error)
	Data(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageData, error)
	Search(ctx context.Context, by protocol.Caller, tab protocol.TabID, what string, limit int) (protocol.Matches, error)
	Frames(ctx context.Context, by protocol.Caller, tab protocol.TabID) ([]protocol.Frame, error)

	// Screenshots and files of a page.
	Screenshot(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.ScreenshotRequest) (protocol.Screenshot, error)
	PDF(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.PDFRequest) (protocol.PageFile, error)
	Archive(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.PageFile, error)
	Responsive(ctx context.Context, by protocol.Caller, tab protocol.TabID, widths []int, q protocol.ScreenshotRequest) ([]protocol.Screenshot, error)
	Mark(ctx context.Context, by protocol.Caller, tab protocol.TabID, full bool) (protocol.PageText, error)
	Compare(ctx context.Context, by protocol.Caller, tab, other protocol.TabID, full, pixels bool) (before, now protocol.PageText, diff *protocol.PixelDiff, err error)

	// Scripts, styles, accessibility and speed.
	Evaluate(ctx context.Context, by protocol.Caller, tab protocol.TabID, expression string) (protocol.Evaluated, error)
	RunInPage(ctx context.Context, by protocol.Caller, tab protocol.TabID, script string) (protocol.PageRun, error)
	Style(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, properties []string) (protocol.ElementStyle, error)
	Inspect(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string) (protocol.Inspection, error)
	EditStyle(ctx context.Context, by protocol.Caller, tab protocol.TabID, element, property, value string) (protocol.StyleEdit, error)
	UndoStyle(ctx context.Context, by protocol.Caller, tab protocol.TabID, all bool) ([]protocol.StyleEdit, error)
	StyleHistory(ctx context.Context, by protocol.Caller, tab protocol.TabID) ([]protocol.StyleEdit, error)
	AXTree(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string) (protocol.PageText, error)
	Audit(ctx context.Context, by protocol.Caller, tab protocol.TabID, level string) (protocol.Audit, error)
	Performance(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Performance, error)
	Trace(ctx context.Context, by protocol.Caller, tab protocol.TabID, length time.Duration, reload bool) (protocol.PageFile, error)

	// The Inspector.
	ReadDetails(ctx context.Context, by protocol.Caller, tab protocol.TabID, element, step string) (protocol.Details, error)
	EditElement(ctx context.Context, by protocol.Caller, tab protocol.TabID, edit protocol.ElementEdit) (protocol.Edits, error)
	UndoEdit(ctx context.Context, by protocol.Caller, tab protocol.TabID, all bool) (protocol.Edits, error)
	RedoEdit(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Edits, error)
	EditHistory(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Edits, error)
	ForceStates(ctx context.Context, by protocol.Caller, tab protocol.TabID, element string, states []string) (protocol.Forced, error)
	PickElement(ctx context.Context, tab protocol.TabID) (*protocol.PickedElement, error)

	// Groups of tabs, and windows.
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
	Windows(ctx context.Context) ([]protocol.Window, error)
	NewWindow(ctx context.Context, background bool) (protocol.TabID, error)
	CloseWindow(ctx context.Context, tabs []protocol.TabID) error
	SetWindow(ctx context.Context, tab protocol.TabID, bounds *protocol.Clip, state string) error

	// What a page stores.
	Cookies(ctx context.Context, by protocol.Caller, tab protocol.TabID, domain string, scope protocol.CookieScope) ([]protocol.Cookie, error)
	SetCookie(ctx context.Context, by protocol.Caller, tab protocol.TabID, c protocol.Cookie) error
	DeleteCookies(ctx context.Context, by protocol.Caller, tab protocol.TabID, name, domain string, scope protocol.CookieScope) (int, error)
	Storage(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Storage, error)
	SetStorage(ctx context.Context, by protocol.Caller, tab protocol.TabID, local bool, key, value string) error
	RemoveStorage(ctx context.Context, by protocol.Caller, tab protocol.TabID, local bool, key string) (int, error)
	SaveState(ctx context.Context, by protocol.Caller, tab protocol.TabID, name, passphrase string, all bool) (protocol.StateFile, error)
	LoadState(ctx context.Context, by protocol.Caller, tab protocol.TabID, name, passphrase string) (protocol.StateFile, error)
	States() ([]protocol.StateFile, error)
	DeleteState(name string) error

	// Emulation.
	Emulation(tab protocol.TabID) protocol.Emulation
	Emulate(ctx context.Context, by protocol.Caller, tab protocol.TabID, change func(*protocol.Emulation)) (protocol.Emulation, error)
	SetPermission(ctx context.Context, by protocol.Caller, tab protocol.TabID, name, setting string) (string, error)
	Permissions(ctx context.Context, by protocol.Caller, tab protocol.TabID) (string, map[string]string, error)
	ResetPermissions(ctx context.Context, by protocol.Caller, tab protocol.TabID) (string, int, error)

	// What a tab reports.
	Console(ctx context.Context, tab protocol.TabID, after int) (protocol.ConsoleLog, error)
	OpenValue(ctx context.Context, tab protocol.TabID, handle string, from int) (protocol.PageParts, error)
	SourcesOf(ctx context.Context, tab protocol.TabID, places []protocol.CodePlace) ([]protocol.MappedPlace, error)
	ClearConsole(ctx context.Context, tab protocol.TabID) error
	StopConsole(ctx context.Context, tab protocol.TabID) error
	Network(ctx context.Context, tab protocol.TabID) (protocol.NetworkLog, error)
	ClearNetwork(ctx context.Context, tab protocol.TabID) error
	StopNetwork(ctx context.Context, tab protocol.TabID) error
	NetworkBody(ctx context.Context, tab protocol.TabID, request string, save, secrets bool) (protocol.NetworkBody, error)
	HAR(ctx context.Context, by protocol.Caller, tab protocol.TabID, bodies, secrets bool) (protocol.SavedFile, error)
	NetworkRules(tab protocol.TabID) []protocol.NetworkRule
	AddNetworkRule(ctx context.Context, tab protocol.TabID, rule protocol.NetworkRule) error
	RemoveNetworkRules(ctx context.Context, tab protocol.TabID, pattern string) (int, error)
	Dialogs(ctx context.Context, tab protocol.TabID, policy, text string) (protocol.DialogLog, error)
	WaitDownload(ctx context.Context, id string, tab protocol.TabID) (protocol.Download, error)
	WatchFor(ctx context.Context, by protocol.Caller, tab protocol.TabID, q protocol.WatchRequest) (protocol.WatchReply, error)

	// Recordings, routines and traces.
	StartRecording(ctx context.Context, by protocol.Caller, tab protocol.TabID, video string) error
	Recording(ctx context.Context, tab protocol.TabID) (protocol.Recording, error)
	StopRecording(ctx context.Context, by protocol.Caller, tab protocol.TabID, format string) (protocol.Recording, error)
	EndRecording(ctx context.Context, by protocol.Caller, tab protocol.TabID) (protocol.Recording, error)
	SaveVideo(ctx context.Context, by protocol.Caller, tab protocol.TabID, format string) (protocol.SavedFile, error)
	DiscardRecording(ctx context.Context, tab protocol.TabID) error
	SaveRoutine(r protocol.Routine, test string) (routine, playwright protocol.SavedFile, err error)
	Routine(name string) (protocol.Routine, error)
	Routines() ([]protocol.Routine, error)
	StartTrace(ctx context.Context, tab protocol.TabID) error
	StopTrace(ctx context.Context, tab protocol.TabID) (protocol.SavedFile, error)
	Tracing(tab protocol.TabID) bool

	// Tools of pages, and raw CDP.
	PageTools(ctx context.Context, tab protocol.TabID) ([]protocol.PageTool, error)
	CallPageTool(ctx context.Context, by protocol.Caller, tab protocol.TabID, name string, input json.RawMessage) (protocol.PageToolResult, error)
	RawCDP(ctx context.Context, by protocol.Caller, tab protocol.TabID, method string, params json.RawMessage) (answer json.RawMessage, address string, err error)
}
