import { Secret } from '@fleet/kernel'
import type { Cipher } from '@fleet/store'
import * as z from 'zod'

const placeOf = (id: number) => ({ table: 'processes', column: 'variables', row: String(id) })

const entries = z.array(z.string())

/** `NAME=VALUE` of each variable of a container, bound to its Process. */
export const sealVariables = (cipher: Cipher, id: number, variables: readonly string[]): string =>
  cipher.seal(placeOf(id), new Secret(JSON.stringify(variables)))

/** Throws SealBroken. */
export const openVariables = (
  cipher: Cipher,
  { id, variables }: { readonly id: number; readonly variables: string | null },
): readonly string[] =>
  variables === null ? [] : entries.parse(JSON.parse(cipher.open(placeOf(id), variables).reveal()))

export const nameOfVariable = (entry: string): string => entry.slice(0, entry.indexOf('='))
