package overrides

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// defaultAccuracy is that of a geolocation without one, in metres.
const defaultAccuracy = 50

// FollowGeolocation sets the geolocation of every page, before anything of the page runs, until ctx
// or the browser ends. The origins that it names may read it without asking.
func FollowGeolocation(ctx context.Context, conn *devtools.Conn, where protocol.Geolocation, log *slog.Logger) {
	root, err := conn.AttachBrowser(ctx)
	if err != nil {
		log.WarnContext(ctx, "pages do not get the session's geolocation", "error", err)
		return
	}
	events := root.Events(target.AttachedToTarget.Method)
	defer events.Cancel()
	flat := true
	if err := devtools.Post(ctx, root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: "page"}, {Exclude: true}},
	}); err != nil {
		log.WarnContext(ctx, "pages do not get the session's geolocation", "error", err)
		return
	}
	for _, origin := range where.Origins {
		if err := devtools.Post(ctx, root, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: browser.PermissionSettingGranted, Origin: origin,
		}); err != nil {
			log.WarnContext(ctx, "an origin does not get the session's geolocation", "error", err)
		}
	}
	near := cmp.Or(where.Accuracy, defaultAccuracy)
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events.C:
			if !ok {
				return // the pipe has ended
			}
			v, ok := devtools.Decode(e, target.AttachedToTarget)
			if !ok {
				continue
			}
			if s := conn.Session(v.SessionID); s != nil {
				// A page that has gone needs no geolocation.
				_ = devtools.Post(ctx, s, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: &where.Latitude, Longitude: &where.Longitude, Accuracy: &near})
				devtools.Resume(ctx, s)
			}
		}
	}
}
