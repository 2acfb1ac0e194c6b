import { readFileSync } from 'node:fs'
import type { CliTree } from '@fleet/surfaces'

/** The generated index of all operations: parsing it takes a small part of the time that loading the catalogue would. */
export function readTree(): CliTree {
  const text = readFileSync(new URL('commands.json', import.meta.url), 'utf8')
  return JSON.parse(text) as CliTree // Written from this type by packages/surfaces, and compared with it in the tests.
}
