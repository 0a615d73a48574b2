// What the window's form of a session's identity receives.
import * as v from 'valibot';
import type * as p from './protocol';

const texts = v.exactOptional(v.array(v.string()));
const text = v.exactOptional(v.string());

export const sessionIdentitySchema = v.object({
  color: text,
  profile: text,
  proxy: text,
  proxySecret: text,
  proxyBypass: texts,
  userAgent: text,
  languages: texts,
  startPages: texts,
  caFiles: texts,
  accept: v.exactOptional(v.array(v.object({ host: v.string(), sha256: v.string() }))),
  headers: v.exactOptional(
    v.array(v.object({ origin: v.string(), name: v.string(), value: v.string() })),
  ),
  geolocation: v.exactOptional(
    v.object({
      latitude: v.number(),
      longitude: v.number(),
      accuracy: v.exactOptional(v.number()),
      origins: texts,
    }),
  ),
  extensions: texts,
  flags: texts,
}) satisfies v.GenericSchema<unknown, p.SessionIdentity>;

export const proxyTestSchema = v.object({
  proxy: v.string(),
  host: v.string(),
  milliseconds: v.number(),
}) satisfies v.GenericSchema<unknown, p.ProxyTest>;
