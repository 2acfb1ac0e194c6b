import { MalformedOutput } from '@fleet/shell'
import * as z from 'zod'

/** What a manager printed as JSON, as exact types. Throws MalformedOutput. */
export function readJson<T>(printed: string, schema: z.ZodType<T>): T {
  const read = schema.safeParse(parsed(printed))
  if (!read.success) throw new MalformedOutput('not what this manager prints')
  return read.data
}

function parsed(printed: string): unknown {
  try {
    return JSON.parse(printed) as unknown // as: JSON.parse is typed `any`.
  } catch {
    throw new MalformedOutput('not JSON')
  }
}

/** A version or name as a manager prints it: bounded, and without control characters. */
export const plainText = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}]+$/u)
