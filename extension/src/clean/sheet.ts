/** The engine's style sheets, taken apart: one rule for each selector. */

/** One rule. */
export interface Rule {
  readonly selector: string;
  readonly style: string;
}

/** Whether a rule hides. */
export function hides({ style }: Rule): boolean {
  return /^display:\s*none\s*!important;?$/.test(style);
}

/**
 * Reads a style sheet of the engine: groups of selectors, one on each line, with one style. The
 * groups are separated by an empty line.
 */
export function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  for (const group of css.split('\n\n')) {
    const parts = /^([\s\S]*?) \{ ([^{}]*) \}\s*$/.exec(group);
    if (parts === null) continue;
    const style = (parts[2] ?? '').trim();
    for (const selector of (parts[1] ?? '').split(',\n'))
      if (selector.trim() !== '' && !/[{}]/.test(selector))
        rules.push({ selector: selector.trim(), style });
  }
  return rules;
}

/** Writes rules as a style sheet. */
export function written(rules: readonly Rule[]): string {
  return rules.map(({ selector, style }) => `${selector} { ${style} }`).join('\n');
}
