package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// misbehave does what an agent must not do.
func (t *turn) misbehave(word, rest string) bool {
	a := t.session.agent
	switch word {
	case "stranger":
		a.update("nobody", chunk("agent_message_chunk", "for nobody"))
	case "unknown":
		t.update(object{"sessionUpdate": "a_kind_of_tomorrow", "content": []object{{"type": "text", "text": "tomorrow"}}})
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": t.call(), "title": "With parts of tomorrow", "status": "completed", "content": []object{
			{"type": "hologram", "data": 7}, content("what is known"),
		}})
		a.write(message{Method: "session/of_tomorrow", Params: object{"sessionId": t.session.id}})
		a.request(nil, "fs/read_text_file", object{"sessionId": t.session.id, "path": "/etc/passwd"})
		a.write(message{ID: json.RawMessage("987654"), Result: object{"nobody": "asked"}})
	case "rubbish":
		for i := range number(rest, 0, 3) {
			a.writeRaw(fmt.Appendf(nil, "warning: this is no message, number %d\n", i))
		}
	case "broken":
		a.writeRaw([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + "\n"))
	case "stderr":
		fmt.Fprintln(os.Stderr, rest)
	case "close-out":
		_ = os.Stdout.Close()
		select {}
	case "close-in":
		_ = os.Stdin.Close()
		t.say("closed")
		select {}
	case "die":
		a.writeRaw([]byte(`{"jsonrpc":"2.0","method":"session/upd`))
		fmt.Fprintln(os.Stderr, "scripted: a fault in the middle of a turn")
		os.Exit(number(rest, 0, 3))
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "child":
		// The child has a process session of its own and ignores SIGHUP.
		child := exec.Command("sh", "-c", "trap '' HUP; sleep 300") //nolint:noctx // it is to outlive us
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			t.say(err.Error())
			return true
		}
		t.say(fmt.Sprint("child ", child.Process.Pid))
	default:
		return false
	}
	return true
}
