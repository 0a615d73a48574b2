// Package toolservers keeps the user's own MCP servers: programs that the agents of
// conversations start beside the browser's tools. They run as the user, so that each has a
// permission of its own: allowed, denied, or asked about before an agent gets it.
//
// The list is a file that only the user can read, because the environment of a server
// often has a token in it. Nothing prints such a value. An agent that gets a server also
// gets its environment: it is the agent that starts it.
package toolservers
