package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
	"pilotfish/backend/trust"
)

// largestProject bounds the file of a repository, in bytes.
const largestProject = 64 << 10

// ReadProject reads the file of a repository. It follows no link, and its content is
// what ParseProject and the question to the user get.
func ReadProject(file string) ([]byte, error) {
	bad := func(what string) error {
		return protocol.NewError(protocol.CodeBadArgument, file+" "+what, fmt.Sprintf("a repository describes its session in a file %s of at most %d KiB", config.ProjectFile, largestProject>>10))
	}
	if !filepath.IsAbs(file) || filepath.Base(file) != config.ProjectFile {
		return nil, bad("is not the file of a repository")
	}
	info, err := os.Lstat(file)
	if err != nil {
		return nil, bad("cannot be read: " + err.Error())
	}
	if !info.Mode().IsRegular() {
		return nil, bad("is not a file")
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, bad("cannot be read: " + err.Error())
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, largestProject+1))
	switch {
	case err != nil:
		return nil, bad("cannot be read: " + err.Error())
	case len(data) > largestProject:
		return nil, bad("is too large")
	}
	return data, nil
}

// ParseProject reads and checks what a repository says. A repository is foreign: it
// cannot set what trusts an authority or a certificate, adds a program to the browser,
// or reads a file, a secret or another session.
func ParseProject(data []byte) (protocol.SessionIdentity, error) {
	var id protocol.SessionIdentity
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&id)
	if missing, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(missing.Errors) > 0 {
		line, _ := missing.Errors[0].Position()
		return protocol.SessionIdentity{}, unknown(config.ProjectFile, line, strings.Join(missing.Errors[0].Key(), "."))
	}
	if err != nil {
		return protocol.SessionIdentity{}, unreadable(config.ProjectFile, err)
	}
	if err = Check(id); err == nil {
		err = checkForeign(id)
	}
	if err != nil {
		return protocol.SessionIdentity{}, located(config.ProjectFile, data, "", err)
	}
	return id, nil
}

// checkForeign refuses what only the user may set.
func checkForeign(id protocol.SessionIdentity) error {
	const allowed = "you can write it under [sessions.NAME] in your own settings.toml"
	for key, set := range map[string]bool{"flags": len(id.Flags) > 0, "extensions": len(id.Extensions) > 0, "ca_files": len(id.CAFiles) > 0, "accept": len(id.Accept) > 0, "proxy_secret": id.ProxySecret != "", "browser_secret": id.BrowserSecret != ""} {
		if set {
			return problem(key, allowed, "a repository cannot set it")
		}
	}
	if strings.HasPrefix(id.Profile, profileCopy) {
		return problem("profile", allowed, "a repository cannot copy the profile of a session")
	}
	if strings.HasPrefix(id.Browser, protocol.BrowserIn) {
		return problem("browser", allowed, "a repository cannot use the browser of a session")
	}
	for _, page := range id.StartPages {
		if u, err := url.Parse(page); err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return problem("start_pages", "pages of a repository begin with http:// or https://", "%.100q is not a page of the web", page)
		}
	}
	return nil
}

// Project returns the session of a work tree and what its file says, when the user
// trusts that. They are asked once for each content of the file.
func Project(ctx context.Context, file string, folders *trust.Folders, user question.Asker) (protocol.SessionName, *protocol.SessionIdentity, error) {
	var id protocol.SessionIdentity
	name := ProjectSession(file)
	look := func() (trust.Folder, error) {
		data, err := ReadProject(file)
		if err == nil {
			id, err = ParseProject(data)
		}
		return trust.File(file, data), err
	}
	may, err := folders.May(ctx, user, look, func(trust.Folder) protocol.Approval { return approval(file, name, id) })
	switch {
	case err != nil:
		return "", nil, err
	case !may:
		return "", nil, protocol.NewError(protocol.CodeRefused, "you do not trust "+file, "start a session by its name instead")
	}
	return name, &id, nil
}

// Nobody is the asker of an app without a window: it refuses every file that is not trusted
// yet, and names the command by which the user trusts it.
type Nobody struct{}

// Ask implements question.Asker.
func (Nobody) Ask(_ context.Context, q protocol.Approval) (protocol.ApprovalAnswer, error) {
	at := slices.IndexFunc(q.Args, func(a protocol.ApprovalArg) bool { return a.Name == argFile })
	file := q.Args[at].Value
	return "", protocol.NewError(protocol.CodeRefused, file+" is not trusted, and there is no window in which you could be asked", "",
		protocol.Try("shows what it sets and asks you", "trust", filepath.Dir(file)))
}

// ProjectSession returns the name of the session of a work tree: its folder's name, and
// a part of the sum of its path.
func ProjectSession(file string) protocol.SessionName {
	dir := filepath.Dir(file)
	sum := sha256.Sum256([]byte(dir))
	name := config.FolderName(filepath.Base(dir))
	return protocol.SessionName(strings.TrimRight(name[:min(len(name), 24)], "-_") + "-" + hex.EncodeToString(sum[:3]))
}
