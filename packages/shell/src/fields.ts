/** What a script printed is not what was agreed. It carries no part of the output. */
export class MalformedOutput extends Error {
  override readonly name = 'MalformedOutput'
}

/** One named value of a script's answer; the value may hold any bytes. */
export interface Field {
  readonly name: string
  readonly value: Buffer
}

const NAME = /^[A-Za-z_][\w.-]{0,127}$/
const LENGTH = /^(?:0|[1-9]\d{0,9})$/
const NEWLINE = 0x0a

/**
 * Reads an answer of fields, each `name SP decimal-byte-count LF bytes LF`, in order; repeats are allowed.
 * Throws MalformedOutput for anything else, a missing last newline included.
 */
export function fieldList(stdout: Buffer): readonly Field[] {
  const list: Field[] = []
  for (let at = 0; at < stdout.length;) {
    const { name, start, end } = header(stdout, at)
    list.push({ name, value: stdout.subarray(start, end) })
    at = end + 1
  }
  return list
}

/** The same for answers that give every name once; a repeated name is refused. */
export function fields(stdout: Buffer): ReadonlyMap<string, Buffer> {
  const list = fieldList(stdout)
  const map = new Map(list.map(({ name, value }) => [name, value]))
  if (map.size !== list.length) throw new MalformedOutput('a field is repeated')
  return map
}

/** The text of a field that must be there. Throws MalformedOutput when it is missing or not UTF-8. */
export function textField(given: Pick<ReadonlyMap<string, Buffer>, 'get'>, name: string): string {
  const value = given.get(name)
  if (!value) throw new MalformedOutput(`the field ${name} is missing`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    throw new MalformedOutput(`the field ${name} is not UTF-8`)
  }
}

const header = (stdout: Buffer, at: number): { name: string; start: number; end: number } => {
  const newline = stdout.indexOf(NEWLINE, at)
  if (newline === -1) throw new MalformedOutput('a field ends before its header does')
  const [name = '', length = '', extra] = stdout.toString('latin1', at, newline).split(' ')
  if (!NAME.test(name) || !LENGTH.test(length) || extra !== undefined)
    throw new MalformedOutput('not the header of a field')
  const start = newline + 1
  const end = start + Number(length)
  if (stdout[end] !== NEWLINE) throw new MalformedOutput('a field does not end where its header says')
  return { name, start, end }
}
