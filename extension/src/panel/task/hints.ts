// The backend's replies are written for a command line. The model of a task has
// other tools, and would look in vain for `pilotfish snapshot`.

/** What stands for a command that a reply names, in the words of a task's actions. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/look again with `pilotfish snapshot`/g, 'look at the page of the next turn'],
  [/`pilotfish snapshot`/g, 'the page of the next turn'],
  [/look at it with `pilotfish inspect`/g, 'read it with the action read'],
  [/`(?:pilotfish )?dialog (accept|dismiss)`/g, 'the action dialog with answer $1'],
  [/`pilotfish tabs`/g, 'the action tabs'],
  [/`pilotfish newtab`/g, 'the action open_tab'],
  [/`pilotfish reload`/g, 'the action reload'],
  [/, or `pilotfish rules`/g, ''],
  [/(the user can allow this host): pilotfish rules allow open (\S+)/g, '$1 ($2) in Settings'],
  [/; snapshot --delta shows them/g, '; the page of the next turn shows what is in view'],
  [/… the frame: snapshot -s (f\d+)$/gm, '… 1 frame more $1'],
  [/, or a longer --timeout/g, ''],
];

/** What is left of a command line in a hint is of no use to a model. */
const commandLine = /pilotfish [a-z]|(?:^|\s)--[a-z]/;

/** A reply's text with the names of a task's own actions. */
export function inActions(text: string): string {
  let said = text;
  for (const [command, action] of phrases) said = said.replace(command, action);
  return said;
}

/** A hint for a task's model: the parts that are for a command line only are left out. */
export function hintInActions(hint: string): string {
  return inActions(hint)
    .split('; ')
    .filter((part) => !commandLine.test(part))
    .join('; ');
}

/** A result's text for the person: what marks a page's words is for the model. */
export function forPerson(text: string): string {
  return text.replace(/<page-[0-9a-f]+ origin="[^"]*">\n?|\n?<\/page-[0-9a-f]+>/g, '');
}
