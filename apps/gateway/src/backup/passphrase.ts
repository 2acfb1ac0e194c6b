import { readFileSync } from 'node:fs'
import { Secret } from '@fleet/kernel'
import { Refusal } from '#/console/refusal.ts'

/** The first line of a file: a passphrase in an argument would be read by every user of the machine. */
export function passphraseFrom(path: string | undefined): Secret | undefined {
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Refusal(`${path} cannot be read.`, undefined, cause)
  }
  const [line = ''] = text.split('\n')
  if (line === '') throw new Refusal(`${path} contains no passphrase.`)
  return new Secret(line)
}
