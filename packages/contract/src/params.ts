import * as z from 'zod'

/** Positive record id. */
export const id = z.int().min(1).max(Number.MAX_SAFE_INTEGER)
/** A whole number as a path writes it. */
const writtenId = /^[1-9]\d{0,15}$/
/**
 * The Instance of a path: its id, or the exact domain of a Route that leads to it (ENV-006). The gateway has the id in the place
 * of a domain before it parses the input, so a domain that is left belongs to no Instance.
 */
export const instanceId = z
  .union([id, z.string().min(1).max(253)])
  .transform((given, context) => {
    const parsed = id.safeParse(typeof given === 'string' && writtenId.test(given) ? Number(given) : given)
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: 'must be an id, or the domain of a Route' })
    return z.NEVER
  })
  .describe('An Instance, by its id or by the exact domain of a Route to it.')
/** Whole-number record id that a record may carry as null. */
export const nullableId = id.nullable()
/** Id of a record that is named by a UUID. */
export const uuid = z.uuid()
/** A flag: JSON boolean, or the strings `true` and `false` (NODE-033). */
export const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
/** Registry name of a Node (NODE-001). */
export const registryName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be 1 to 63 letters, digits, underscores or hyphens')
/** Step name (GW-020). */
export const stepName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lowercase letters, digits or hyphens, with a letter or digit at both ends',
  )
/** Lowercase DNS label (INS-002). */
export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a lowercase DNS label of 1 to 63 characters')
/** Absolute path of a file in its one spelling, so that two records of a file have the same text, and one of a file in a folder begins with it. */
export const filePath = (maxCharacters: number): z.ZodString =>
  z
    .string()
    .max(maxCharacters)
    .regex(
      /^(?:\/(?!\.{1,2}(?:\/|$))[^/\p{C}]+)+$/u,
      'must be an absolute path of a file, without `.`, `..` and empty parts',
    )
/** ISO 8601 time with offset. It is not checked: only the gateway makes it. */
export const time = z.string().meta({ format: 'date-time' })
export const none = {} as const satisfies z.ZodRawShape

/** For texts with bounds of their own that have to say something. */
export const FILLED = /\S/
export const BLANK = 'must not be blank'
/** Text that says something: blanks alone are as good as nothing. */
export const filledText = (maxCharacters: number): z.ZodString =>
  z.string().min(1).max(maxCharacters).regex(FILLED, BLANK)
/** Name that people choose and read: two that look alike are the same. */
export const displayName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\S(?:[\s\S]*\S)?$/, 'must not be blank, and must not begin or end with a space')

const integers = new Set(['number', 'int'])

/** The schema below optional, nullable, default and pipe wrappers. */
export function baseSchema(schema: z.ZodType): z.ZodType {
  const inner =
    (schema.def as { innerType?: z.ZodType; in?: z.ZodType }).innerType ?? // The wrapper kinds of zod share these two members.
    (schema.def as { in?: z.ZodType }).in // A pipe is decoded by what goes into it.
  return inner ? baseSchema(inner) : schema
}

/** Text from a path, query or command line as the type its schema wants; what does not fit stays text and fails there. */
export function decodeText(schema: z.ZodType, text: string): unknown {
  const type = baseSchema(schema).def.type
  if (integers.has(type)) return /^-?\d{1,16}$/.test(text) ? Number(text) : text
  if (type === 'boolean')
    return text === 'true' || text === '1' || text === ''
      ? true
      : text === 'false' || text === '0'
        ? false
        : text
  return text
}
