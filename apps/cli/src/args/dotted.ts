import { usage } from '#/exit.ts'

type Json = Readonly<Record<string, unknown>>

/** A copy with the value at the path; objects on the way are made. Throws for a path through something that is no object. */
export function withMember(target: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (name === '' || name === '__proto__') throw usage(`${path.join('.')} is not a valid member name.`)
  if (target !== undefined && !isObject(target))
    throw usage(`${path.join('.')} goes through a value that is not an object.`)
  return { ...target, [name]: withMember(target?.[name], rest, value) }
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
])
/** A value whose type nobody declares: the words null, true and false are those values, anything else is text. */
export const scalar = (text: string): unknown => (WORDS.has(text) ? WORDS.get(text) : text)

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
