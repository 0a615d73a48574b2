package attempts

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Lay adds to a World what only a program outside of the confinement can make, and what
// the environment says. The returned function takes it away.
func Lay(ctx context.Context, w World) (World, func(), error) {
	var ends []func()
	end := func() {
		for _, one := range ends {
			one()
		}
	}
	w.Env = map[string]string{}
	for _, name := range []string{"DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HOME", "PILOTFISH_HOME"} {
		w.Env[name] = os.Getenv(name)
	}
	w.Identities = map[string]string{w.State: identity(w.State), w.Config: identity(w.Config)}
	for _, profile := range w.Profiles {
		if socket, err := os.Readlink(filepath.Join(profile, "SingletonSocket")); err == nil {
			w.Singletons = append(w.Singletons, socket)
		}
	}
	w.Abstract = "pilotfish-attempts-" + rand.Text()
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", "@"+w.Abstract)
	if err != nil {
		return w, end, err
	}
	ends = append(ends, func() { _ = listener.Close() }) // nobody was served
	if w.Bus == "" {
		w.Bus = filepath.Join(os.TempDir(), "dbus-"+rand.Text()[:10])
		bus, err := new(net.ListenConfig).Listen(ctx, "unix", w.Bus)
		if err != nil {
			return w, end, err
		}
		ends = append(ends, func() { _ = bus.Close() }) // nobody was served
	}
	key, err := unix.AddKey("user", w.Abstract, []byte("x"), unix.KEY_SPEC_USER_KEYRING)
	if err == nil { // some systems have no keyrings
		ends = append(ends, func() { _, _ = unix.KeyctlInt(unix.KEYCTL_UNLINK, key, unix.KEY_SPEC_USER_KEYRING, 0, 0) }) // it was ours alone
	}
	master, terminal, err := pty.Open()
	if err != nil {
		return w, end, err
	}
	ends = append(ends, func() { _ = errors.Join(master.Close(), terminal.Close()) }) // nothing was written
	w.Terminal = terminal.Name()
	shared, err := os.CreateTemp("/dev/shm", "pf-attempts-*")
	if err != nil {
		return w, end, err
	}
	_, err = shared.WriteString("x")
	ends = append(ends, func() { _ = errors.Join(shared.Close(), os.Remove(shared.Name())) }) // it was ours alone
	if err != nil {
		return w, end, err
	}
	w.Shared = shared.Name()
	if w.Segment, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600); err != nil {
		return w, end, err
	}
	ends = append(ends, func() { _, _ = unix.SysvShmCtl(w.Segment, unix.IPC_RMID, nil) }) // it was ours alone
	return w, end, nil
}
