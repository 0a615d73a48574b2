// Package quick is the short way of the command line: the commands that an agent
// gives all day, as they are mostly written, go to the running app by a program
// so small that its start costs next to nothing. Whatever is less plain (an
// option, another command, a mistake, no app that runs) is handed over to the
// whole program beside it, before anything was sent.
package quick

import (
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// Whole is the name of the whole program, which lies beside this one.
const Whole = "pilotfish-whole"

// Run does what the arguments say, and returns the exit code. It does not return
// when it hands over. version is that of both programs.
func Run(args []string, version string) int {
	if len(args) == 1 && args[0] == "version" {
		return end(os.Stdout, os.Stderr, protocol.CommandReply{OK: true}, say.Version(os.Stdout, version))
	}
	request, ok := read(args)
	if !ok {
		return handOver(args)
	}
	port, token, ok := app(os.Getenv)
	if !ok {
		return handOver(args)
	}
	conn, err := dial(port)
	if err != nil {
		return handOver(args)
	}
	defer conn.Close()
	reply, err := ask(conn, port, token, request, func(q protocol.Waiting) { say.Waiting(os.Stderr, q) })
	return end(os.Stdout, os.Stderr, reply, err)
}

// end prints a reply, or why there is none, and returns the exit code.
func end(stdout, stderr io.Writer, reply protocol.CommandReply, err error) int {
	// What was done before it failed is told, too.
	if err == nil && (reply.OK || len(reply.Data) > 0) {
		err = say.Text(stdout, reply.Text)
	}
	if err == nil && !reply.OK {
		err = say.Failed(reply)
	}
	if err != nil {
		return say.Failure(stderr, protocol.AsError(err))
	}
	return 0
}

// places are the arguments that the words behind a command's name are given to,
// where all of them are texts. A test compares them with the registry.
func places(name string) (arguments []string, known bool) {
	switch name {
	case "click", "dblclick", "hover", "check", "uncheck", "focus":
		return []string{"target"}, true
	case "fill", "type", "select":
		return []string{"target", "value"}, true
	case "press":
		return []string{"key"}, true
	case "goto":
		return []string{"url"}, true
	case "snapshot", "tabs", "url", "title", "text", "back", "forward", "reload":
		return nil, true
	}
	return nil, false
}

// read reads a command that is written plainly: its name, and a word for each of
// its arguments.
func read(args []string) (protocol.CommandRequest, bool) {
	var request protocol.CommandRequest
	if len(args) == 0 {
		return request, false
	}
	arguments, known := places(args[0])
	if !known || len(args)-1 != len(arguments) {
		return request, false
	}
	request.Command = args[0]
	for i, word := range args[1:] {
		text, err := json.Marshal(word)
		if err != nil || strings.HasPrefix(word, "-") {
			return request, false
		}
		if request.Args == nil {
			request.Args = make(map[string]json.RawMessage, len(arguments))
		}
		request.Args[arguments[i]] = text
	}
	return request, true
}

// app finds the running app as the whole program does: inside an agent by the
// agent's own token, elsewhere by the file that only this user can read.
func app(getenv func(string) string) (port int, token string, ok bool) {
	if base, token := getenv(protocol.EnvURL), getenv(protocol.EnvToken); base != "" && token != "" {
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.User != nil || strings.ContainsAny(token, "\r\n") {
			return 0, "", false
		}
		port, err := strconv.Atoi(u.Port())
		return port, token, err == nil
	}
	dirs, err := config.UserDirs(getenv)
	if err != nil {
		return 0, "", false
	}
	endpoint, err := instance.ReadEndpoint(dirs.EndpointFile())
	return endpoint.Port, endpoint.Token, err == nil && !strings.ContainsAny(endpoint.Token, "\r\n")
}

// handOver becomes the whole program.
func handOver(args []string) int {
	own, err := os.Executable()
	if err == nil {
		if resolved, linkErr := filepath.EvalSymlinks(own); linkErr == nil {
			own = resolved
		}
		whole := filepath.Join(filepath.Dir(own), Whole)
		err = syscall.Exec(whole, append([]string{whole}, args...), os.Environ())
	}
	return say.Failure(os.Stderr, protocol.NewError(protocol.CodeInternal,
		"the program "+Whole+" cannot be started beside pilotfish: "+err.Error(), "install Pilotfish again, or run `make build`"))
}
