package downloads

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

const (
	// piece is how much of a file is brought in one message, in bytes.
	piece = 3 << 20
	// largest bounds a file that is brought from another machine, in bytes.
	largest = 4 << 30
)

// bring copies a file of the browser's machine into the folder for downloads, under the name
// that the download has, and ends the download.
func (d *List) bring(o download, from string) {
	path := filepath.Join(d.config.Dir, "."+o.ID+".part")
	err := d.copy(d.ctx, from, path)
	d.mu.Lock()
	i := d.index(o.guid)
	if i < 0 {
		d.mu.Unlock()
		_ = os.Remove(path)
		return
	}
	kept := &d.list[i]
	kept.State, kept.Path = "done", path
	if err == nil {
		err = d.place(kept)
	}
	if err != nil {
		d.config.Log.Warn("a download stays on the browser's machine", "download", o.ID, "error", err)
		_ = os.Remove(path)
		kept.State, kept.Path = "canceled", ""
	}
	kept.remove()
	if kept.Path != "" {
		kept.Name = filepath.Base(kept.Path)
	}
	ended := kept.Download
	d.wake()
	d.mu.Unlock()
	d.changed(ended)
}

// copy reads a file of the browser's machine through a file field of a page of ours, which
// nobody sees: the protocol has no other way that every engine offers.
func (d *List) copy(ctx context.Context, from, to string) (err error) {
	made, err := cdp.Call(ctx, d.config.Conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Hidden: new(true)})
	if err != nil {
		return fmt.Errorf("opening a page that reads the file: %w", err)
	}
	defer func() {
		_ = devtools.Post(ctx, d.config.Conn.Root, target.CloseTarget, target.CloseTargetParams(made))
	}()
	s, err := d.config.Conn.Attach(ctx, made.TargetID)
	if err != nil {
		return err
	}
	field, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "Object.assign(document.createElement('input'), { type: 'file' })"})
	if err != nil || field.Result == nil {
		return errors.Join(errors.New("there is no file field"), err)
	}
	id := field.Result.ObjectID
	if _, err := cdp.Call(ctx, s, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{from}, ObjectID: id}); err != nil {
		return fmt.Errorf("giving the page the file: %w", err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for at := int64(0); at <= largest; {
		res, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			ObjectID: id, AwaitPromise: new(true), ReturnByValue: new(true),
			FunctionDeclaration: `function () {
				return new Promise((done, fail) => {
					const reader = new FileReader();
					reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
					reader.onerror = () => fail(reader.error);
					reader.readAsDataURL(this.files[0].slice(` + strconv.FormatInt(at, 10) + `, ` + strconv.FormatInt(at+piece, 10) + `));
				});
			}`,
		})
		if err != nil {
			return fmt.Errorf("reading the file: %w", err)
		}
		var text string
		if res.ExceptionDetails != nil || res.Result == nil || jsonv2.Unmarshal(res.Result.Value, &text) != nil {
			return errors.New("the browser cannot read the file")
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(data) > piece {
			return errors.New("the page that reads the file answered with something else")
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
		if len(data) < piece {
			return nil
		}
		at += piece
	}
	return fmt.Errorf("the file is larger than %d GB", largest>>30)
}
