/** Half of a breath, in ms: it lasts as long in full as it does dimmed. */
const half = 800;

/**
 * Makes an attachment that dims its element to an opacity and back as long as something is busy;
 * all elements do it at once. It is no CSS animation: for one, browser and window draw sixty
 * times a second even where nothing changes, which took 15 % of a core while an agent worked.
 */
export function breathe(dimmed: number): (element: HTMLElement) => () => void {
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  return (element) => {
    let timer: ReturnType<typeof setTimeout>;
    const turn = (): void => {
      const now = Date.now();
      const dim = Math.floor(now / half) % 2 === 1 && !still.matches;
      element.style.opacity = dim ? String(dimmed) : '';
      timer = setTimeout(turn, half - (now % half));
    };
    turn();
    return () => {
      clearTimeout(timer);
      element.style.opacity = '';
    };
  };
}
