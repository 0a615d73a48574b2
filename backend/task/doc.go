// Package task keeps the tasks of a session: the head of each, its journal,
// which panel view runs it, and the routines that were made from tasks. The
// loop itself runs in the panel. What it does is written here before it is
// shown, so that a task whose panel has closed can be read, and resumed at its
// step.
//
// Each view of the panel writes under its own name. Writes of a view that has
// closed are refused (ViewerGone). A search reads each journal once, keeps its
// texts in memory and adds what is written later. The screenshots of steps have
// a budget. The reasons are in docs/adr/190.
package task
