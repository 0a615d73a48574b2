// What the window's list of secrets receives.
import * as v from 'valibot';
import { list } from './border';
import type * as p from './protocol';
import { SecretHeader, SecretPassword, SecretTOTP } from './protocol';

export const secretSchema = v.object({
  name: v.string(),
  kind: v.picklist([SecretPassword, SecretTOTP, SecretHeader]),
  origin: v.string(),
  user: v.exactOptional(v.string()),
  header: v.exactOptional(v.string()),
  from: v.exactOptional(v.string()),
  kept: v.string(),
  added: v.string(),
  used: v.exactOptional(v.string()),
  usedBy: v.exactOptional(v.string()),
}) satisfies v.GenericSchema<unknown, p.Secret>;

export const secretsSchema = list(secretSchema);
