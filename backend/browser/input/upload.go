package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// chooserWait is how long after a click a page may open a file chooser: Chromium refuses
// one that a script opens later (kActivationLifespan).
const chooserWait = 5 * time.Second

// uploading is an action that gives files to a page.
type uploading struct {
	*action
	paths   []string
	folders []bool // which of them are folders
	given   bool   // a page has got them
}

// fileField is a file field, as an object of a session.
type fileField struct {
	s  *devtools.Session
	id runtime.RemoteObjectID
	// line describes it.
	line string

	Disabled bool   `json:"disabled"`
	Multiple bool   `json:"multiple"`
	Folder   bool   `json:"folder"`
	Accept   string `json:"accept"`
}

// errPicker is returned for a file picker of the File System Access API. It gives the page
// access to files of the user, which the protocol cannot grant.
var errPicker = errors.New("a file picker opened")

// upload gives files to a file field, to an element that opens the browser's file
// chooser, or to a place where files are dropped. What looks clickable is clicked first;
// anything else first gets the files dropped, which does nothing where the page takes none.
func (a uploading) upload(ctx context.Context) error {
	if err := a.read(); err != nil {
		return err
	}
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "take", map[string]any{"watch": true})
	if err != nil {
		return err
	}
	a.fx.Out.Hit = aimed.Reached.Line
	var target struct {
		Field     bool `json:"field"`
		Clickable bool `json:"clickable"`
	}
	if err := a.p.AskWithRoots(ctx, f, "uploads", map[string]string{"ref": aimed.Reached.Ref}, &target); err != nil {
		return err
	}
	if target.Field {
		a.f = f
		field, err := a.ownField(ctx, aimed.Reached)
		if err != nil {
			return err
		}
		return a.give(ctx, field)
	}
	ways := []func(context.Context) (bool, error){a.drop, a.choose}
	if a.in.config.Elsewhere {
		ways = ways[1:] // only files of the browser's own machine can be dragged
	}
	if target.Clickable && len(ways) > 1 {
		slices.Reverse(ways)
	}
	picker := false
	for _, way := range ways {
		done, err := way(ctx)
		switch {
		case errors.Is(err, errPicker):
			picker = true
		case errors.Is(err, errDialogOpen) && !a.given:
			a.begun = false // the page got a click, and no file
			return page.DialogOpen(a.fx.Out.Tab, a.p.OpenDialog())
		case done || err != nil:
			return err
		}
	}
	if picker {
		return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+" opens a file picker of the File System Access API, which only the user can answer", "ask the user to choose the file in the browser, or use a file field of the page")
	}
	return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+" is not a file field, opens no file chooser, and takes no files that are dropped on it", "use the file field itself as the target")
}

// read finds the files.
func (a *uploading) read() error {
	for _, name := range a.q.Values {
		path, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("finding %s: %w", name, err)
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return protocol.NewError(protocol.CodeBadArgument, "there is no file "+path, "check its path; commas separate several files")
		}
		file, err := os.Open(path)
		if err != nil {
			return protocol.NewError(protocol.CodeBadArgument, path+" cannot be read", "give yourself the right to read it, or choose another file")
		}
		_ = file.Close()
		a.paths, a.folders = append(a.paths, path), append(a.folders, info.IsDir())
	}
	return nil
}

// ownField returns the file field that was reached, or that was reached by its label.
func (a *uploading) ownField(ctx context.Context, reached *page.Resolution) (fileField, error) {
	s, world, err := a.p.Ready(ctx, a.f)
	if err != nil {
		return fileField{}, err
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression:      fmt.Sprintf("(() => { const el = pilotfishPage.element(%q); return el.localName === 'label' ? el.control : el; })()", reached.Ref),
		UniqueContextID: world,
	})
	if err != nil || res.Result == nil || res.Result.ObjectID == "" {
		return fileField{}, errors.Join(page.ErrReplaced, err)
	}
	return fieldOf(ctx, s, res.Result.ObjectID, reached.Line)
}

// chosenField returns the file field that has opened the file chooser, in whatever frame
// it is.
func (a *uploading) chosenField(ctx context.Context) (fileField, error) {
	chooser := a.fx.Chooser
	for _, f := range a.p.Frames.All() {
		if f.ID != chooser.FrameID {
			continue
		}
		s, _, err := a.p.Ready(ctx, f)
		if err != nil {
			return fileField{}, err
		}
		res, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: chooser.BackendNodeID, ExecutionContextID: a.p.Frames.ContextOf(f)})
		if err != nil || res.Object == nil {
			return fileField{}, errors.Join(page.ErrReplaced, err)
		}
		return fieldOf(ctx, s, res.Object.ObjectID, "the file field that "+a.fx.Out.Hit+" opens")
	}
	return fileField{}, page.ErrNoFrame
}

// fieldOf reads the kind and the state of a file field.
func fieldOf(ctx context.Context, s *devtools.Session, id runtime.RemoteObjectID, line string) (fileField, error) {
	field := fileField{s: s, id: id, line: line}
	yes := true
	res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: id, ReturnByValue: &yes,
		FunctionDeclaration: "function () { return { disabled: this.matches(':disabled'), multiple: this.multiple, folder: this.webkitdirectory, accept: this.accept }; }",
	})
	if err != nil {
		return field, err
	}
	if res.Result == nil || jsonv2.Unmarshal(res.Result.Value, &field) != nil {
		return field, page.ErrReplaced
	}
	return field, nil
}

// give gives the files to a file field, if it takes all of them.
func (a *uploading) give(ctx context.Context, field fileField) error {
	if err := a.fits(field); err != nil {
		return err
	}
	if !field.Folder && slices.ContainsFunc(a.paths, func(path string) bool { return !accepts(field.Accept, path) }) {
		a.fx.Out.Accept = field.Accept
	}
	if a.in.config.Elsewhere {
		return a.send64(ctx, field)
	}
	a.fx.Acted, a.given, a.begun = true, true, true
	return a.fx.Call(ctx, func(ctx context.Context) error {
		q := page.NewCalls(field.s)
		err := errors.Join(
			q.Send(ctx, runtime.CallFunctionOn.Method, taken(field.id)),
			q.Send(ctx, dom.SetFileInputFiles.Method, dom.SetFileInputFilesParams{Files: a.paths, ObjectID: field.id}),
		)
		if err == nil {
			err = q.Await(ctx, 1, nil)
		}
		if err != nil || !field.Folder {
			return err
		}
		// The browser reads the folder before the field has its files. If the document is
		// gone by then, that is an effect.
		_ = q.Await(ctx, 0, nil)
		return nil
	})
}

// largestPayload bounds the files that are sent to a browser on another machine, in bytes.
const largestPayload = 64 << 20

// send64 gives a file field the content of the files, for a browser that does not see them.
// The field tells its page by events that are not trusted.
func (a *uploading) send64(ctx context.Context, field fileField) error {
	type file struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Content []byte `json:"content"`
	}
	var files []file
	left := int64(largestPayload)
	for i, path := range a.paths {
		if a.folders[i] {
			return protocol.NewError(protocol.CodeNotActable, path+" is a folder, and the browser is on another machine; nothing was uploaded", "name the files in it")
		}
		in, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		content, err := io.ReadAll(io.LimitReader(in, left+1))
		_ = in.Close()
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if left -= int64(len(content)); left < 0 {
			return protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the files are larger than %d MB together, and the browser is on another machine; nothing was uploaded", largestPayload>>20), "upload smaller files")
		}
		files = append(files, file{filepath.Base(path), mime.TypeByExtension(filepath.Ext(path)), content})
	}
	payload, err := jsonv2.Marshal(files)
	if err != nil {
		return fmt.Errorf("encoding the files: %w", err)
	}
	a.fx.Acted, a.given, a.begun, a.fx.Out.Untrusted = true, true, true, true
	return a.fx.Call(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, field.s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			ObjectID: field.id, Arguments: []*runtime.CallArgument{{Value: payload}},
			FunctionDeclaration: `function (files) {
				const all = new DataTransfer();
				for (const { name, type, content } of files) all.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name, { type }));
				this.files = all.files;
				for (const type of ['input', 'change']) this.dispatchEvent(new Event(type, { bubbles: true, composed: type === 'input' }));
			}`,
		})
		return err
	})
}

// taken waits until a file field tells its page that it has files, or the same as before.
func taken(id runtime.RemoteObjectID) runtime.CallFunctionOnParams {
	yes := true
	return runtime.CallFunctionOnParams{
		ObjectID: id, AwaitPromise: &yes,
		FunctionDeclaration: "function () { return new Promise((done) => { for (const type of ['change', 'cancel']) this.addEventListener(type, () => done(), { once: true }); }); }",
	}
}

// fits returns an error when a field does not take the files, or not all of them.
func (a *uploading) fits(field fileField) error {
	what := page.Plain(field.line)
	folder := slices.Index(a.folders, true)
	switch {
	case field.Disabled:
		return (&page.Resolution{State: "disabled", Line: field.line}).Refusal()
	case field.Folder && slices.Contains(a.folders, false):
		return protocol.NewError(protocol.CodeNotActable, what+" takes a folder, and "+a.paths[slices.Index(a.folders, false)]+" is a file; nothing was uploaded", "give the folder that the file is in")
	case field.Folder && len(a.paths) > 1:
		return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s takes one folder, and you gave %d; nothing was uploaded", what, len(a.paths)), "give the folder that contains them, or upload one after the other")
	case field.Folder && isEmpty(a.paths[0]):
		return protocol.NewError(protocol.CodeBadArgument, "there is no file in "+a.paths[0]+"; nothing was uploaded", "give another folder")
	case !field.Folder && folder >= 0:
		return protocol.NewError(protocol.CodeNotActable, what+" takes files, and "+a.paths[folder]+" is a folder; nothing was uploaded", "name the files in it")
	case !field.Multiple && !field.Folder && len(a.paths) > 1:
		return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s takes one file, and you gave %d; nothing was uploaded", what, len(a.paths)), "upload one of them")
	}
	return nil
}

// isEmpty reports whether there is no file in a folder, or in those in it.
func isEmpty(folder string) bool {
	empty := true
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			empty = false
			return fs.SkipAll
		}
		return nil // what cannot be read is left out, as the browser does
	})
	return empty
}

// accepts reports whether a file is of a kind that a field asks for, as far as its name
// tells.
func accepts(accept, path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(ext))
	for one := range strings.SplitSeq(strings.ToLower(accept), ",") {
		one = strings.TrimSpace(one)
		top, whole := strings.CutSuffix(one, "/*")
		switch {
		case one == "", one == "*", one == "*/*", one == ext, one == kind:
			return true
		case strings.HasPrefix(one, "."):
		case whole && strings.HasPrefix(kind, top+"/"), kind == "" && ext != "":
			return true
		}
	}
	return false
}

// choose clicks an element that opens the browser's file chooser, which is intercepted,
// and gives the files to its field. done is false when no chooser opened.
func (a *uploading) choose(ctx context.Context) (done bool, err error) {
	defer a.intercepted(ctx)()
	if err := a.click(ctx); err != nil {
		return false, err
	}
	if err := a.settle(ctx); err != nil {
		return false, err
	}
	if err := a.missed(); err != nil {
		return false, err
	}
	wait := chooserWait
	if until, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(until)/2) // the rest is to say that none opened
	}
	late, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err = a.fx.Pump(late, nil, func() bool { return a.fx.Chooser != nil || a.fx.Leads() })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	switch {
	case err != nil:
		return false, err
	case a.fx.Chooser == nil && a.fx.Leads():
		return true, protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+" opens no file chooser: the click led elsewhere; nothing was uploaded", "use the file field itself as the target", page.SnapshotAgain())
	case a.fx.Chooser == nil:
		return false, nil
	case a.fx.Chooser.BackendNodeID == 0:
		return false, errPicker
	}
	field, err := a.chosenField(ctx)
	if err != nil {
		return true, err
	}
	a.guarded, a.asked = false, false
	if err := a.p.Ask(ctx, a.f, "watch", nil, nil); err != nil {
		return true, err
	}
	return true, a.give(ctx, field)
}

// intercepted makes the browser hand over file choosers instead of showing them, in the
// processes of all frames, until the returned function is called.
func (a *uploading) intercepted(ctx context.Context) (end func()) {
	var all []*devtools.Session
	for _, f := range a.p.Frames.All() {
		if s, _ := a.p.Frames.State(f); s != nil && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	hold := func(on bool) {
		for _, s := range all { // one that has ended opens no chooser
			_ = devtools.Post(context.WithoutCancel(ctx), s, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: on})
		}
	}
	hold(true)
	return func() { hold(false) }
}

// drop drags the files over an element and drops them there, as from a file manager. taken
// is false when the page takes no files there; it then sees that they are dragged away.
func (a *uploading) drop(ctx context.Context) (taken bool, err error) {
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "aim", map[string]any{"watch": true})
	if err != nil {
		return false, err
	}
	at, way, err := page.Outward(ctx, a.p, f, aimed.Reached, page.NoGuard)
	if err != nil {
		return false, err
	}
	a.f, a.way, a.asked = f, way, false
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: a.paths, DragOperationsMask: 1} // copies
	drag := func(kind input.DispatchDragEventType, at page.Point) message {
		return dragMessage(kind, at, data)
	}
	over, err := a.landing(ctx, f, drag(input.DispatchDragEventTypeDragEnter, at), drag(input.DispatchDragEventTypeDragOver, at))
	if err != nil {
		return false, err
	}
	if !over.Taken {
		// A drop would make the browser open the file.
		outside := page.Point{X: -1, Y: -1}
		return false, a.send(ctx, a.p.Session, drag(input.DispatchDragEventTypeDragOver, outside), drag(input.DispatchDragEventTypeDragCancel, outside))
	}
	a.given, a.fx.Out.Dropped = true, true
	return true, a.send(ctx, a.p.Session, drag(input.DispatchDragEventTypeDrop, at))
}
