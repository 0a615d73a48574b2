// Package task keeps the tasks of a session: the head of each, its journal, who
// runs it, and the routines that were made of tasks. The loop itself runs in the
// panel; what it does is written here before it is shown, so that a task whose
// panel is gone can be read, and resumed at its step.
package task
