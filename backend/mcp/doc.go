// Package mcp offers the registry of commands to models by the Model Context
// Protocol: over streamable HTTP in the server, over stdio in the bridge of the
// command line.
//
// A model pays for every tool's schema in each of its turns, and for every turn.
// So there are few tools, and each does much:
//
//   - browser_snapshot looks, and gives refs to act on.
//   - browser_act takes a list of actions, so that a form is one turn; its reply
//     is the replies of the actions, which say what happened.
//   - browser_navigate opens a page and, when asked, looks at it in the same turn.
//   - browser_read, browser_screenshot and browser_tabs are the other things that
//     nearly every task needs; their arguments are typed, because a model that
//     can see the arguments does not guess them.
//   - task_run hands a whole job to the agent of the side panel and tells how it
//     goes as progress; task_status and task_stop are for one that lasts.
//   - browser_run takes any command of the registry as a line, and help on
//     demand: a hundred rare commands cost one name each.
//
// All of it is generated from the registry's specs: a command that is added
// there is in browser_run and its help, and in the lists of the tools that name
// it, without a change here. The whole is kept under protocol.MCPSchemaChars by
// shortening the arguments' help.
package mcp
