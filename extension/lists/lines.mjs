// Which lines of a filter list Clean up uses, written as the engine reads them.

/** What the engine has and has not: only what hides elements. */
export const engineOptions = {
  loadNetworkFilters: false,
  loadCSPFilters: false,
  loadExtendedSelectors: true,
  enableHtmlFiltering: false,
  // A check would cost at each start of the engine what reading it costs.
  integrityCheck: true,
};

/** Returns the rules of a list that hide or restyle elements. */
export function linesOf(list) {
  const lines = [];
  for (const line of list.split(/\r?\n/)) {
    // Comments, and rules for some paths of a site, which the engine does not know.
    if (line === '' || line.startsWith('!') || line.startsWith('[')) continue;
    // Scripts, and what is cut out of the page's source.
    if (/#@?%#|\$@?\$/.test(line)) continue;
    const rule = /^(.*?)#(@?)(\$?\??)#(.*)$/.exec(line);
    if (rule === null) continue; // a rule about requests
    const [, sites, not, mode, body] = rule;
    if (!mode.includes('$')) {
      lines.push(`${sites}#${not}#${body.replaceAll(':contains(', ':has-text(')}`);
      continue;
    }
    // AdGuard writes a style as a rule of CSS, the engine as uBlock Origin does.
    const style = /^([^{}]*?)\s*\{([^{}]*)\}$/.exec(body);
    if (style === null || /@media|remove:/.test(body)) continue;
    lines.push(`${sites}#${not}#${style[1]}:style(${style[2].trim()})`);
  }
  return lines;
}
