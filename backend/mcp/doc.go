// Package mcp offers the registry of commands to models as tools of the Model
// Context Protocol: over streamable HTTP in the server, and over stdio in the
// bridge of the command line.
//
// A model pays for every tool's schema in each of its turns, and for every
// turn. So there are few tools, and each does much:
//
//   - browser_snapshot reads the page and gives refs to act on.
//   - browser_act takes a list of actions, so that a form takes one turn; its
//     reply consists of the actions' replies, which say what happened.
//   - browser_navigate opens a page and, on request, reads it in the same turn.
//   - browser_read, browser_screenshot and browser_tabs are the other things that
//     nearly every task needs; their arguments are typed, because a model that
//     can see the arguments does not guess them.
//   - task_run starts a task with the agent of the side panel and reports its
//     progress; task_status and task_stop are for a task that takes longer.
//   - browser_run takes any command of the registry as a line, and help on
//     request: a hundred rare commands cost one name each.
//
// All of it is generated from the registry's specs. A command that is added
// there appears in browser_run and its help without a change here, and in the
// lists of the tools that name it. The help of arguments is shortened until the
// whole fits into protocol.MCPSchemaChars.
package mcp
