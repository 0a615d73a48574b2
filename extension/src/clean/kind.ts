import type { HiddenKind } from './types';

/**
 * What something that is hidden is to a reader, by its id and classes, and by the first words in
 * it. `otherwise` is the kind when neither says more.
 */
export function kindOf(names: string, words: string, otherwise: HiddenKind): HiddenKind {
  const all = names.toLowerCase();
  if (/cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|privacy/.test(all)) return 'notice';
  if (/newsletter|subscri|sign-?up|mailing|paywall|regwall/.test(all)) return 'newsletter';
  if (/cookie|consent|datenschutz/i.test(words)) return 'notice';
  if (/newsletter|mailing list|subscribe|your e-?mail|abonnier/i.test(words)) return 'newsletter';
  if (
    /(^|[^a-z])(ad|ads|adv|advert\w*|adsby\w*|ad[-_]?(box|slot|unit|banner)|sponsor\w*|dfp|gpt|taboola|outbrain|doubleclick)([^a-z]|$)/.test(
      all,
    )
  )
    return 'ad';
  return otherwise;
}
