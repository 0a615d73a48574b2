// @ts-check
// A language for tests: every text in ⟦ ⟧, its letters with accents, and about 30 % longer.
const plain = 'AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz';
/** The letter that stands for each of `plain`: none of them is an English one. */
const accented = 'ÀàɃƀÇçĐđÉéƑƒĜĝĤĥÎîĴĵĶķĹĺḾḿÑñÔôṔṕɊɋŔŕŠšŤťÛûṼṽŴŵẊẋÝýŽž';

/**
 * A text in the pseudo-language. Slots stay as they are.
 * @param {string} text
 */
export function pseudo(text) {
  const letters = [...text.replace(/\{\d+\}/g, '')];
  const longer = '~~~~~ '
    .repeat(Math.ceil(letters.length / 20))
    .slice(0, Math.ceil(letters.length * 0.3))
    .trim();
  const other = text.replace(/\{\d+\}|[A-Za-z]/g, (one) => accented[plain.indexOf(one)] ?? one);
  return `⟦${other}${longer}⟧`;
}

/**
 * What finds an English text in the pseudo-language, too.
 * @param {string | RegExp} english
 * @param {boolean} [exact] Whether it is the whole text.
 */
export function either(english, exact = false) {
  const source =
    typeof english === 'string' ? english.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : english.source;
  const outer = '[⟦⟧~ ]*';
  const letters = source.replace(/\\.|\^|[A-Za-z]/g, (one) => {
    const other = accented[plain.indexOf(one)];
    if (one === '^') return `^${outer}`;
    return other === undefined ? one : `[${one}${other}]${outer}`;
  });
  const flags = typeof english === 'string' ? (exact ? 'u' : 'iu') : english.flags;
  return new RegExp(exact ? `^${outer}${letters}${outer}$` : letters, flags);
}
