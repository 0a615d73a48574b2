// Package task keeps the tasks of a session: the head of each, its journal, who
// runs it, and the routines that were made of tasks. The loop itself runs in the
// panel; what it does is written here before it is shown, so that a task whose
// panel is gone can be read, and resumed at its step.
//
// A view of the panel writes under its own name. Writes of a view that is gone are
// refused (ViewerGone). A search reads each journal once, keeps its words in memory
// and follows what is written. Screenshots of steps have a budget. docs/adr/190
// has the reasons.
package task
