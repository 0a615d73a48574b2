package main

import (
	"context"
	_ "embed" // the icon
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	wailslog "github.com/wailsapp/wails/v2/pkg/logger"
	wailsoptions "github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	wailsrt "github.com/wailsapp/wails/v2/pkg/runtime"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/frontend"
)

//go:embed icon.png
var icon []byte

// window is the app's window: it shows what the backend says and holds no truth.
// It exists from the first time that it is shown, because a hidden WebKit costs
// as much memory as a visible one.
type window struct {
	logger *slog.Logger
	state  func() protocol.WindowState
	bound  *App

	wanted chan struct{} // closed when the window is to be made
	loaded chan struct{} // closed when the page is loaded, and GTK's loop surely runs
	ended  chan struct{} // closed when run has returned

	mu      sync.Mutex
	ctx     context.Context // of Wails; nil while there is no window
	send    func(name string, data any)
	begun   bool // Wails runs, or is about to
	visible bool
	leaving bool      // the program ends; the window is hidden for good
	closing bool      // nothing else is left, and Wails may end
	page    string    // to show once the page is loaded
	died    time.Time // when the page's process ended last
}

func newWindow(logger *slog.Logger, state func() protocol.WindowState) *window {
	return &window{
		logger: logger, state: state,
		wanted: make(chan struct{}), loaded: make(chan struct{}), ended: make(chan struct{}),
	}
}

// run shows the window until close; it must be called on the main thread. The
// window is made when begun is closed, or when show wants it; one that starts
// hidden waits for show alone.
func (w *window) run(ctx context.Context, hidden bool, begun <-chan struct{}) (err error) {
	defer close(w.ended)
	if hidden {
		begun = nil
	}
	select {
	case <-begun:
	case <-w.wanted:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil
	}
	w.mu.Lock()
	w.begun = !w.closing
	making := w.begun
	w.mu.Unlock()
	if !making {
		return nil
	}
	// GTK without a display ends in a panic of Wails on this goroutine.
	defer func() {
		if r := recover(); r != nil {
			err = noDisplay(fmt.Sprint(r))
		}
	}()
	if err := wails.Run(w.options(ctx)); err != nil {
		return fmt.Errorf("opening the window: %w", err)
	}
	return nil
}

// displayed refuses early when nothing says where a window could be shown.
func displayed() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return noDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set")
	}
	return nil
}

func noDisplay(why string) error {
	return protocol.NewError(protocol.CodeNoDisplay, "there is no display to open a window on ("+why+")",
		"start it in a desktop session, or use `pilotfish serve --headless`")
}

// options are what the window is.
func (w *window) options(ctx context.Context) *wailsoptions.App {
	assets, err := fs.Sub(frontend.Dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path
	}
	return &wailsoptions.App{
		Title:     "Pilotfish",
		Width:     windowWidth,
		Height:    windowHeight,
		MinWidth:  windowMinWidth,
		MinHeight: windowMinHeight,
		// The page's own ground, so that no white flashes before it is painted.
		BackgroundColour: ground(ctx),
		AssetServer:      &assetserver.Options{Assets: assets},
		Bind:             []any{w.bound},
		ErrorFormatter:   formatError,
		OnStartup:        w.onStartup,
		OnDomReady:       w.onDomReady,
		OnBeforeClose:    w.onClose,
		Logger:           wailsLogger{w.logger},
		// Info tells of every call of a bound method.
		LogLevelProduction: wailslog.WARNING,
		Linux: &linux.Options{
			Icon:        icon,
			ProgramName: "pilotfish",
			// Nothing here is worth a GPU process.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
	}
}

// onStartup is called on a goroutine of its own, so it may come after
// onDomReady: both take the context.
func (w *window) onStartup(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attach(ctx)
	w.visible = true
}

// attach takes the context of Wails, by which everything is asked of it; w.mu is
// held.
func (w *window) attach(ctx context.Context) {
	w.ctx = ctx
	w.send = func(name string, data any) { wailsrt.EventsEmit(ctx, name, data) }
}

// onDomReady is called on every load of the page.
func (w *window) onDomReady(ctx context.Context) {
	w.mu.Lock()
	w.attach(ctx)
	first := !isClosed(w.loaded)
	if first {
		close(w.loaded)
	}
	page := w.page
	w.page = ""
	w.mu.Unlock()
	if first {
		w.watchPage()
	}
	if page != "" {
		w.emit("show", page)
	}
}

// onClose decides what the cross in the window's frame does: the app stays, in
// the tray where there is one, else minimised, so that the window can be found
// again. Only Quit ends it.
func (w *window) onClose(ctx context.Context) (prevent bool) {
	w.mu.Lock()
	closing, leaving := w.closing, w.leaving
	w.mu.Unlock()
	switch {
	case closing:
		return false
	case leaving:
		// Wails' own handler of signals asks, too; ours is at work already.
	case w.state().Tray == protocol.TrayShown:
		w.hide()
	default:
		wailsrt.WindowMinimise(ctx)
	}
	return true
}

// show makes the window or brings it forward, and opens a page of it unless page
// is empty.
func (w *window) show(page string) {
	w.mu.Lock()
	if !isClosed(w.wanted) {
		close(w.wanted)
	}
	ctx := w.ctx
	if w.leaving {
		ctx = nil
	}
	ready := isClosed(w.loaded)
	if page != "" && !ready {
		w.page = page
	}
	w.visible = ctx != nil
	w.mu.Unlock()
	if ctx == nil {
		return
	}
	wailsrt.WindowShow(ctx)
	wailsrt.WindowUnminimise(ctx) // presents it, on Linux
	w.changed()
	if page != "" && ready {
		w.emit("show", page)
	}
}

// hide takes the window away without ending it.
func (w *window) hide() {
	w.mu.Lock()
	ctx := w.ctx
	w.visible = false
	w.mu.Unlock()
	if ctx != nil {
		wailsrt.WindowHide(ctx)
	}
}

// leave hides the window for good, because the program ends.
func (w *window) leave() {
	w.mu.Lock()
	w.leaving = true
	w.mu.Unlock()
	w.hide()
}

// close ends run. A window that is still being made is waited for: GTK's loop
// cannot be ended before it has begun.
func (w *window) close() {
	w.mu.Lock()
	w.closing = true
	begun := w.begun
	w.mu.Unlock()
	if !begun {
		return
	}
	select {
	case <-w.loaded:
	case <-w.ended:
		return
	}
	w.mu.Lock()
	ctx := w.ctx
	w.mu.Unlock()
	wailsrt.Quit(ctx)
}

// push sends the state to the page after every change, until ctx ends.
func (w *window) push(ctx context.Context, changes *hub.Subscription[struct{}]) {
	defer changes.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes.C():
			w.changed()
		}
	}
}

// changed sends the state to a page that somebody sees; a hidden one gets it when
// it is shown.
func (w *window) changed() {
	w.mu.Lock()
	visible := w.visible
	w.mu.Unlock()
	if visible {
		w.emit("state", w.state())
	}
}

// log sends records to the page.
func (w *window) log(records []protocol.LogRecord) { w.emit("log", records) }

// emit sends an event to the page. One that comes before the page listens is
// lost without harm: the page listens first and then asks for everything.
func (w *window) emit(name string, data any) {
	w.mu.Lock()
	send := w.send
	if w.closing {
		send = nil
	}
	w.mu.Unlock()
	if send != nil {
		send(name, data)
	}
}

// chooseFolder asks the person for a folder.
func (w *window) chooseFolder(title, dir string) (string, error) {
	return w.choose(func(ctx context.Context) (string, error) {
		return wailsrt.OpenDirectoryDialog(ctx, wailsrt.OpenDialogOptions{Title: title, DefaultDirectory: dir, CanCreateDirectories: true, ShowHiddenFiles: true})
	})
}

// chooseFile asks the person for a file.
func (w *window) chooseFile(title, dir string) (string, error) {
	return w.choose(func(ctx context.Context) (string, error) {
		return wailsrt.OpenFileDialog(ctx, wailsrt.OpenDialogOptions{Title: title, DefaultDirectory: dir, ShowHiddenFiles: true})
	})
}

func (w *window) choose(ask func(context.Context) (string, error)) (string, error) {
	w.mu.Lock()
	ctx := w.ctx
	w.mu.Unlock()
	if ctx == nil {
		return "", errors.New("there is no window to ask in")
	}
	chosen, err := ask(ctx)
	if err != nil {
		return "", fmt.Errorf("opening the dialog: %w", err)
	}
	return chosen, nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// generateBindings lists the bound methods for `wails build`.
func generateBindings(ctx context.Context, tty console) int {
	w := newWindow(slog.New(slog.DiscardHandler), func() protocol.WindowState { return protocol.WindowState{} })
	w.bound = &App{}
	if err := wails.Run(w.options(ctx)); err != nil {
		_, _ = fmt.Fprintln(tty.err, "Pilotfish:", err)
		return exitFault
	}
	return exitDone
}
