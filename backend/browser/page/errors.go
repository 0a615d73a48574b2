package page

import (
	"context"
	"errors"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// UnknownTab returns the error for an id that no tab has.
func UnknownTab(id protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
}

// ErrPDF is returned for a document that is a PDF file: the browser's viewer shows it,
// and no script can read it.
var ErrPDF = errors.New("the document is a PDF file")

// PDFLine stands for a PDF file where the text of a page contains it.
const PDFLine = "(a PDF file in the browser's viewer: a screenshot shows it)"

// TabError turns an error of a page into a protocol.Error with a code and a hint.
func TabError(ctx context.Context, id protocol.TabID, doing string, p *Page, err error) error {
	switch {
	case errors.Is(err, ErrCrashed):
		return protocol.NewError(protocol.CodeCrashed, "the page in "+string(id)+" crashed", "", protocol.Try("loads it again", "reload"))
	case errors.Is(err, ErrPDF):
		return protocol.NewError(protocol.CodeNotActable, "tab "+string(id)+" shows a PDF file in the browser's viewer, in which nothing can be read or acted on",
			"the user can read or save it", protocol.Try("shows it", "screenshot"))
	case errors.Is(err, ErrStale), errors.Is(err, ErrReplaced), isLeaving(err):
		return protocol.NewError(protocol.CodeGone, "the page in "+string(id)+" went to another document in the meantime", "look again")
	case errors.Is(err, devtools.ErrPipeEnded):
		return protocol.NewError(protocol.CodeNotRunning, "the browser has ended, or the connection to it", "what was under way may have been done or not: look before you repeat it")
	case errors.Is(err, devtools.ErrSessionEnded), IsTargetGone(err):
		return protocol.NewError(protocol.CodeUnknownTab, "tab "+string(id)+" was closed or replaced in the meantime", "", protocol.Try("lists the tabs", "tabs"))
	case p != nil && p.OpenDialog() != nil:
		return DialogOpen(id, p.OpenDialog())
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" did not answer in time, "+doing, "the page may hang", protocol.Try("loads it again", "reload"), protocol.Try("closes the tab", "closetab"), protocol.MoreTime())
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		return protocol.NewError(protocol.CodeTimeout, "the caller cancelled the command", "")
	}
	return protocol.NewError(protocol.CodeInternal, err.Error(), "")
}
