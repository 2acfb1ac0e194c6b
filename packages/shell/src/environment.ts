import type { Word } from './command.ts'

const NAME = /^[A-Za-z_]\w*$/

/**
 * Words in front of a command that set its environment: `run(...environment({ LC_ALL: 'C' }), 'git', 'status')`.
 * For public values only; a secret travels on standard input. Undefined values drop out.
 */
export function environment(values: Readonly<Record<string, string | undefined>>): readonly Word[] {
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (!NAME.test(name)) throw new Error('not a name of an environment variable')
    return value === undefined ? [] : [`${name}=${value}`]
  })
  return words.length === 0 ? [] : ['env', ...words]
}
