package main

import (
	"context"
	_ "embed" // the icon
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2"
	wailslog "github.com/wailsapp/wails/v2/pkg/logger"
	wailsoptions "github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	wailsrt "github.com/wailsapp/wails/v2/pkg/runtime"

	"pilotfish/backend/protocol"
	"pilotfish/frontend"
)

//go:embed icon.png
var icon []byte

// window is the window that Wails shows.
type window struct {
	app    *pipe
	logger *slog.Logger
	theme  protocol.Theme // from the settings
	behind bool           // show it first behind the window in front

	mu        sync.Mutex
	ctx       context.Context           // of Wails; nil while there is no window
	early     bool                      // it was to be brought to the front before there was a window
	watched   bool                      // we watch the page's process
	died      time.Time                 // when the page's process died last
	placement *protocol.WindowPlacement // where it is, or was last time; nil when unknown
}

// run shows the window until in ends. It must be called on the main thread,
// which GTK requires.
func run(args []string, in io.Reader, out, console io.Writer) (code int) {
	logger := slog.New(slog.NewTextHandler(console, nil)).With("component", "window")
	w := &window{app: newPipe(out), logger: logger}
	if err := w.parse(args, console); err != nil {
		return w.failed(protocol.NewError(protocol.CodeBadArgument, err.Error(), "start Pilotfish itself: it starts this program"))
	}
	if !generatingBindings {
		// This program has nothing to save, so it exits at once. That also ends
		// one that hangs.
		go func() {
			_ = obey(in, w.do)
			os.Exit(0)
		}()
	}
	// Without a display, Wails panics on this goroutine.
	defer func() {
		if r := recover(); r != nil {
			code = w.failed(protocol.NoDisplay(fmt.Sprint(r)))
		}
	}()
	nameProgram()
	if !generatingBindings {
		w.watchPlace()
	}
	if err := wails.Run(w.options()); err != nil {
		return w.failed(protocol.AsError(fmt.Errorf("opening the window: %w", err)))
	}
	return 0
}

// parse reads the app's options for the window from the command line.
func (w *window) parse(args []string, console io.Writer) error {
	flags := flag.NewFlagSet("pilotfish-window", flag.ContinueOnError)
	flags.SetOutput(console)
	flags.BoolVar(&w.behind, "behind", false, "show the window behind the one in front, without the keyboard")
	flags.Func("placement", "where the window was, as JSON", func(text string) error {
		w.placement = &protocol.WindowPlacement{}
		return json.Unmarshal([]byte(text), w.placement)
	})
	flags.StringVar((*string)(&w.theme), "theme", string(protocol.ThemeSystem), "the look that the user chose")
	return flags.Parse(args)
}

// failed reports why there is no window, and returns the exit code.
func (w *window) failed(problem *protocol.Error) int {
	w.logger.Error("there is no window", "error", problem)
	_ = w.app.report(protocol.WindowReport{Report: protocol.ReportFailed, Problem: problem}) // an error means that the app is gone
	return problem.Code.ExitCode()
}

// options returns the window's options for Wails.
func (w *window) options() *wailsoptions.App {
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
		// The page's own background, so that no white flashes before the page
		// is painted.
		BackgroundColour: ground(context.Background(), w.theme),
		AssetServer:      &assetserver.Options{Assets: assets},
		Bind:             []any{&Bridge{window: w}},
		OnStartup:        w.attach,
		OnDomReady:       w.onDomReady,
		OnBeforeClose:    w.onClose,
		Logger:           wailsLogger{w.logger},
		// At level Info, Wails logs every call of a bound method.
		LogLevelProduction: wailslog.WARNING,
		Linux: &linux.Options{
			Icon:        icon,
			ProgramName: "pilotfish",
			// This page does not need a GPU process.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
	}
}

// attach stores the context of Wails, which every call to Wails needs.
// OnStartup runs on its own goroutine and may come after onDomReady, so both
// call attach.
func (w *window) attach(ctx context.Context) {
	w.mu.Lock()
	w.ctx = ctx
	early := w.early
	w.early = false
	w.mu.Unlock()
	if early {
		present(ctx)
	}
}

// present brings the window to the front.
func present(ctx context.Context) {
	wailsrt.WindowShow(ctx)
	wailsrt.WindowUnminimise(ctx) // on Linux this also brings it to the front
}

func (w *window) context() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ctx
}

// onDomReady is called on every load of the page.
func (w *window) onDomReady(ctx context.Context) {
	w.attach(ctx)
	w.mu.Lock()
	first := !w.watched
	w.watched = true
	w.mu.Unlock()
	if first {
		w.watchPage()
	}
}

// onClose leaves it to the app what the close button does. Wails' own signal
// handler calls it too.
func (w *window) onClose(context.Context) (prevent bool) {
	w.tell(protocol.WindowReport{Report: protocol.ReportClosed})
	return true
}

// pageEnded is called when the page's process has ended. A page that dies
// repeatedly is not reloaded: the tray and the command line still work.
func (w *window) pageEnded() {
	w.mu.Lock()
	again := time.Since(w.died) > pageDeathsApart
	w.died = time.Now()
	w.mu.Unlock()
	w.tell(protocol.WindowReport{Report: protocol.ReportEnded, Again: again})
	if again {
		reloadPage()
	}
}

// tell sends a report that needs no answer.
func (w *window) tell(r protocol.WindowReport) {
	if err := w.app.report(r); err != nil {
		w.logger.Warn("report failed", "report", r.Report, "error", err)
	}
}

// do carries out an order of the app. Orders that come before there is a window
// are not lost: the window is brought to the front when it is created, and its
// page requests the whole state.
func (w *window) do(order protocol.WindowOrder) {
	if order.Order == protocol.OrderAnswer {
		w.app.answered(order)
		return
	}
	w.mu.Lock()
	ctx := w.ctx
	w.early = w.early || ctx == nil && order.Order == protocol.OrderShow
	w.mu.Unlock()
	if ctx == nil {
		return
	}
	switch order.Order {
	case protocol.OrderEvent:
		wailsrt.EventsEmit(ctx, order.Event, order.Data)
	case protocol.OrderShow:
		present(ctx)
	case protocol.OrderMinimise:
		wailsrt.WindowMinimise(ctx)
	case protocol.OrderTitle:
		wailsrt.WindowSetTitle(ctx, order.Title)
	case protocol.OrderAnswer:
	default:
		w.logger.Warn("order unknown", "order", order.Order)
	}
}
