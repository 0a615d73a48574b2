// Package chat keeps conversations with agents: the queue of each, its turns,
// its journal, its permissions, and who watches. It speaks to agents through
// Driver, and knows no protocol of theirs (packages acp, claude and builtin below
// it do).
package chat
