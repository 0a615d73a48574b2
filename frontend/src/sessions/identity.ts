// The form of a session's identity: every list is text, one entry a line.
import type { SessionIdentity } from '$ui/protocol/protocol';
import { choiceOf, identityOfChoice, missing, type BrowserChoice } from './own';

/** The fields of the form, as the user writes them. */
export interface IdentityForm extends BrowserChoice {
  color: string;
  profile: string;
  copyOf: string;
  proxy: string;
  proxySecret: string;
  proxyBypass: string;
  userAgent: string;
  languages: string;
  startPages: string;
  caFiles: string;
  accept: string;
  headers: string;
  geolocation: string;
  geolocationOrigins: string;
  extensions: string;
  flags: string;
}

const lines = (list: readonly string[] | undefined): string => (list ?? []).join('\n');

/** The form of an identity. */
export function formOf(id: SessionIdentity): IdentityForm {
  const profile = id.profile ?? 'own';
  const at = id.geolocation;
  return {
    ...choiceOf(id),
    color: id.color ?? '',
    profile: profile.startsWith('copy:') ? 'copy' : profile,
    copyOf: profile.startsWith('copy:') ? profile.slice('copy:'.length) : '',
    proxy: id.proxy ?? '',
    proxySecret: id.proxySecret ?? '',
    proxyBypass: lines(id.proxyBypass),
    userAgent: id.userAgent ?? '',
    languages: (id.languages ?? []).join(', '),
    startPages: lines(id.startPages),
    caFiles: lines(id.caFiles),
    accept: lines((id.accept ?? []).map((one) => `${one.host} ${one.sha256}`)),
    headers: lines((id.headers ?? []).map((one) => `${one.origin} ${one.name}: ${one.value}`)),
    geolocation: at
      ? [at.latitude, at.longitude, ...(at.accuracy === undefined ? [] : [at.accuracy])].join(', ')
      : '',
    geolocationOrigins: lines(at?.origins),
    extensions: lines(id.extensions),
    flags: lines(id.flags),
  };
}

function entries(text: string, between: RegExp): string[] {
  return text
    .split(between)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** What a form says, or what of it cannot be read. The app checks the rest. */
export function identityOf(form: IdentityForm): SessionIdentity | string {
  const id: SessionIdentity = {};
  const text = (key: 'color' | 'proxy' | 'proxySecret' | 'userAgent'): void => {
    const value = form[key].trim();
    if (value !== '') id[key] = value;
  };
  const list = (
    key: 'proxyBypass' | 'languages' | 'startPages' | 'caFiles' | 'extensions' | 'flags',
    between = /\n/,
  ): void => {
    const value = entries(form[key], between);
    if (value.length > 0) id[key] = value;
  };
  text('color');
  const absent = missing(form);
  if (absent !== undefined) return absent;
  // A browser that Pilotfish does not start is used as it is: nothing else has a meaning with it.
  if (form.browser !== '') return { ...id, ...identityOfChoice(form) };
  text('proxy');
  text('proxySecret');
  text('userAgent');
  list('proxyBypass', /[\n, ]/);
  list('languages', /[\n, ]/);
  list('startPages', /\s/);
  list('caFiles');
  list('extensions');
  list('flags');
  if (form.profile === 'temporary') id.profile = 'temporary';
  if (form.profile === 'copy') {
    if (form.copyOf.trim() === '') return 'Enter the session to copy.';
    id.profile = `copy:${form.copyOf.trim()}`;
  }
  const accept = entries(form.accept, /\n/).map((line) => /^(\S+)\s+(\S+)$/.exec(line));
  if (accept.includes(null)) return 'Write each accepted certificate as a host and a fingerprint.';
  if (accept.length > 0) {
    id.accept = accept.map((found) => ({ host: found?.[1] ?? '', sha256: found?.[2] ?? '' }));
  }
  const headers = entries(form.headers, /\n/).map((line) =>
    /^(\S+)\s+([^\s:]+)\s*:\s*(.*)$/.exec(line),
  );
  if (headers.includes(null)) return 'Write each header as https://api.example.com Name: value.';
  if (headers.length > 0) {
    id.headers = headers.map((found) => ({
      origin: found?.[1] ?? '',
      name: found?.[2] ?? '',
      value: found?.[3] ?? '',
    }));
  }
  const where = entries(form.geolocation, /,/).map(Number);
  const origins = entries(form.geolocationOrigins, /[\n, ]/);
  if (where.length > 0 || origins.length > 0) {
    const [latitude, longitude, accuracy] = where;
    if (
      latitude === undefined ||
      longitude === undefined ||
      where.length > 3 ||
      where.some(Number.isNaN)
    ) {
      return 'Write the geolocation as latitude and longitude: 48.52, 9.05.';
    }
    id.geolocation = {
      latitude,
      longitude,
      ...(accuracy !== undefined && { accuracy }),
      ...(origins.length > 0 && { origins }),
    };
  }
  return id;
}
