// Package model is the driver of Chat for hosted and local models: each model
// profile is an agent. No program is started; the loop of model and tools runs
// in this process.
//
//   - A session keeps no state: each turn builds the messages from the
//     conversation's journal, so a restart, an edited message and a change of the
//     agent need no special handling.
//   - Tools run one after the other, in the order of the calls: they act on one
//     tab.
//   - A conversation that is too long is shortened by whole tool results first,
//     then by whole turns. Nothing is cut in the middle: page content stays in its
//     envelope.
package model
