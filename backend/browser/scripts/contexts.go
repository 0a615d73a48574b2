package scripts

import (
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/browser/devtools"
)

// A page has more contexts than its own: those of content scripts, which may use the
// interfaces of their extension, and the world in which Pilotfish reads the page. For the
// program they do not exist: it uses the contexts of documents and workers, and those of
// worlds that it made, and objects from them.

// ourWorlds is how the names of Pilotfish's own worlds begin.
const ourWorlds = "pilotfish"

// contexts are those of a session that the program may use, by id, with their unique id. An
// id counts again from 1 in another process, and a unique one does not.
type contexts map[int64]string

// missing is what the browser says of a context that does not exist. Clients know it: they
// ask again after a navigation.
func missing() error {
	return &devtools.MethodError{Code: codeServer, Message: "Cannot find context with specified id"}
}

// event applies an event to the contexts of a session, and reports whether the program gets
// it. worlds are the names of the worlds that the program made.
func (c contexts) event(e devtools.Event, worker bool, worlds map[string]bool) bool {
	var v struct {
		Context struct {
			ID       int64  `json:"id"`
			Origin   string `json:"origin"`
			Name     string `json:"name"`
			UniqueID string `json:"uniqueId"`
			AuxData  struct {
				IsDefault bool `json:"isDefault"`
			} `json:"auxData"`
		} `json:"context"`
		ExecutionContextID int64 `json:"executionContextId"`
		ExceptionDetails   struct {
			ExecutionContextID int64 `json:"executionContextId"`
		} `json:"exceptionDetails"`
	}
	switch e.Method {
	case runtime.ExecutionContextsCleared.Method:
		clear(c)
		return true
	case runtime.ExecutionContextCreated.Method, runtime.ExecutionContextDestroyed.Method, runtime.ConsoleAPICalled.Method,
		runtime.ExceptionThrown.Method, runtime.BindingCalled.Method, runtime.InspectRequested.Method:
	default:
		return true
	}
	if jsonv2.Unmarshal(e.Params, &v, chromedp.DefaultUnmarshalOptions) != nil {
		return false
	}
	if e.Method == runtime.ExecutionContextCreated.Method {
		foreign := strings.HasPrefix(v.Context.Origin, "chrome-extension:") || strings.HasPrefix(v.Context.Name, ourWorlds)
		if !worker && (foreign || !v.Context.AuxData.IsDefault && !worlds[v.Context.Name]) {
			return false
		}
		c[v.Context.ID] = v.Context.UniqueID
		return true
	}
	id := v.ExecutionContextID + v.ExceptionDetails.ExecutionContextID // one of them is set
	_, known := c[id]
	if e.Method == runtime.ExecutionContextDestroyed.Method {
		delete(c, id)
	}
	return known || id == 0
}

// judge refuses a command that names a context, or an object of one, that the program may
// not use.
func (c contexts) judge(method string, p params) error {
	for _, name := range []string{"objectId", "prototypeObjectId", "promiseObjectId"} {
		if err := c.object(p[name]); err != nil {
			return err
		}
	}
	var arguments []struct {
		ObjectID jsonv2.Value `json:"objectId"`
	}
	if p["arguments"] != nil && jsonv2.Unmarshal(p["arguments"], &arguments, chromedp.DefaultUnmarshalOptions) != nil {
		return refusal("the parameters cannot be read")
	}
	for _, one := range arguments {
		if err := c.object(one.ObjectID); err != nil {
			return err
		}
	}
	if unique := p["uniqueContextId"]; unique != nil {
		for _, known := range c {
			if p.text("uniqueContextId") == known {
				return nil
			}
		}
		return missing()
	}
	for _, name := range []string{"contextId", "executionContextId"} {
		if p[name] == nil {
			continue
		}
		var id int64
		if jsonv2.Unmarshal(p[name], &id) != nil || c[id] == "" {
			return missing()
		}
		if method == runtime.CommandEvaluate || method == runtime.CommandCallFunctionOn {
			delete(p, name)
			p["uniqueContextId"], _ = jsonv2.Marshal(c[id])
		}
	}
	return nil
}

// object refuses an object of a context that the program may not use. Its id has three
// numbers with dots between; the second is the context's id.
func (c contexts) object(id jsonv2.Value) error {
	if id == nil {
		return nil
	}
	var text string
	if jsonv2.Unmarshal(id, &text) != nil {
		return missing()
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return missing()
	}
	context, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || c[context] == "" {
		return missing()
	}
	return nil
}
