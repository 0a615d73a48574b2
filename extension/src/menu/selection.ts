/**
 * The selected text of a frame, also of a text field; empty if nothing is selected. Runs in the
 * page, injected by the browser, so it must not refer to anything outside itself.
 */
export function selectedHere(): { text: string; url: string } {
  const most = 200_000;
  const field = document.activeElement;
  let text = getSelection()?.toString() ?? '';
  if (
    text === '' &&
    (field instanceof HTMLTextAreaElement ||
      (field instanceof HTMLInputElement && field.type !== 'password'))
  )
    text = field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
  return { text: text.slice(0, most), url: location.href };
}
