// What the generated schemas (see schemas.mjs) are made of, beside valibot.
import * as v from 'valibot';

/** Go encodes a nil slice as null; inside the page it becomes an empty list. */
export const list = <S extends v.GenericSchema>(item: S) => v.nullish(v.array(item), []);

/** A word of a list to which later versions may add. */
export function word<T extends string>(): v.GenericSchema<T> {
  return v.custom<T>((value) => typeof value === 'string');
}

/**
 * True when the schema's output and the generated type are the same: each is
 * assignable to the other, and neither has a field that the other lacks (an
 * optional field alone would not break assignability).
 */
export type Agrees<S extends v.GenericSchema, T> = [v.InferOutput<S>] extends [T]
  ? [T] extends [v.InferOutput<S>]
    ? [AllKeys<v.InferOutput<S>>, AllKeys<T>] extends [AllKeys<T>, AllKeys<v.InferOutput<S>>]
      ? true
      : false
    : false
  : false;

/** The keys of every member of a union, not only the common ones. */
type AllKeys<T> = T extends unknown ? keyof T : never;

/** Does not compile when an entry is false. */
export type AssertAll<T extends Record<string, true>> = T;
